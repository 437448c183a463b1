// A virtual camera in Swift: joins a room, declares the formats it can make, makes the agreed one, and counts the frames that arrive. It is
// the counterpart of Examples/C/send.c. In a package of one's own:
//
//     dependencies: [.package(path: "../mediasdk")],
//     targets: [.executableTarget(name: "send", dependencies: [.product(name: "MediaSDK", package: "mediasdk")])]
import CMediaSDK
import MediaCore
import MediaSDK

/// A grey ramp that moves to the left. Rows are `stride` bytes apart, which is often more than the width.
func draw(_ frame: VideoFrame, _ number: Int) {
  let format = frame.format
  let (luma, chroma) = (frame.plane(0), frame.plane(1))
  for y in 0..<Int(format.height) {
    let row = luma.data + y * Int(luma.stride)
    for x in 0..<Int(format.width) { row[x] = UInt8(16 + (x + 4 * number) % 220) }
  }
  // NV12: U and V side by side; 128 is no colour.
  for y in 0..<Int(format.height + 1) / 2 {
    (chroma.data + y * Int(chroma.stride)).update(repeating: 128, count: Int(format.width + 1) / 2 * 2)
  }
}

func join(_ engine: Engine, _ userID: String) throws(MediaError) -> Session {
  let session = try engine.makeSession(SessionOptions(url: "loopback:lobby", userID: userID))
  try session.connect()  // connects in the background; events report the result
  return session
}

let frames = 60
let engine = Engine()

// bob: takes whatever stream is offered. Events can be called back, as here, or pulled, as alice does below.
let bob = try join(engine, "bob")
let (received, width) = (Monitor(0), Monitor<UInt32>(0))
bob.setEventCallback { stamped in
  guard case .incomingVideoAdded(let stream) = stamped.event else { return }
  stream.setFrameCallback { frame in
    received.withLock { $0 += 1 }
    width.withLock { $0 = frame.format.width }
  }
  do { try stream.start() } catch { fatalError("bob: \(error)") }
}

// What this program can make. The order has no say: the SDK picks the best that the network carries, and may change its mind.
var options = OutgoingVideoOptions(formats: [
  VideoFormat(.nv12, width: 1280, height: 720, frameRate: FrameRate(30)),
  VideoFormat(.nv12, width: 640, height: 360, frameRate: FrameRate(30))
])
options.codec = UInt32(MSDK_CODEC_VP8)
let stream = try engine.makeOutgoingVideo(options)
let alice = try join(engine, "alice")

var sender: FrameSender?
var next: Int64 = 0
var number = 0
while number < frames {
  // Until there is a sender, wait for events; then only look whether one is there.
  while let stamped = try? alice.nextEvent(deadline: sender == nil ? engine.now() + 100_000_000 : 0) {
    switch stamped.event {
    case .state(.connected, _): try alice.start(stream)
    case .state(.disconnected, let error?): throw error
    case .frameSenderChanged(_, let new):  // make this from now on; the former sender refuses frames
      sender = new
      next = engine.now()
      print("making \(new.format)")
    default: break
    }
  }
  guard let sender else { continue }
  let frame = try sender.acquire(deadline: engine.now() + 1_000_000_000)
  defer { frame.release() }  // ours; the SDK has one of its own
  draw(frame, number)
  do throws(MediaError) {
    try sender.send(frame, timestamp: next)
    number += 1
  } catch {
    guard error.status == .stale else { throw error }
    continue  // the event with the new sender is waiting
  }
  // Until a time of the engine's clock, not for a while: so the frame rate does not drift.
  next += 1_000_000_000 / 30
  _ = received.wait(until: next) { _ in nil as Bool? }
}
_ = received.wait(until: engine.now() + 2_000_000_000) { $0 >= frames - 5 ? true : nil }
try alice.stop(stream)

let counters = stream.stats.counters
let arrived = received.withLock { $0 }
print(
  "\(counters.offered) frames sent, \(counters.encoded) encoded, \(counters.replaced) replaced; \(arrived) arrived, \(width.withLock { $0 }) wide"
)
engine.close()  // ends all that was made from it
guard arrived > 0 else { throw MediaError(.timeout, "nothing arrived") }
