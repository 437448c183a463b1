import CMediaSDK
import MediaCore
import MediaRTP

/// Takes what the session at the member makes.
final class MemberEnd: RTPSessionDelegate {
  private var packets: [[UInt8]] = []
  var keyFrames: [SSRC] = []
  var target: Int?

  func take() -> [[UInt8]] {
    defer { packets.removeAll(keepingCapacity: true) }
    return packets
  }

  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { packets.append(Array(packet)) }
  func session(received picture: PictureBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
  func session(lost packets: Int, duration: Int64, of stream: SSRC) {}

  func session(did event: RTPSessionEvent) {
    switch event {
    case .keyFrameRequested(let ssrc): keyFrames.append(ssrc)
    case .target(let rate): target = rate
    case .streamBegan, .streamEnded, .spoke, .collision: break
    }
  }
}

/// Takes what the session at the room makes of the member's packets: units with the bytes that came, and all else as it was sent. What is lost shows
/// by the gap in their ids.
final class RoomEnd: RTPSessionDelegate {
  private var packets: [[UInt8]] = []
  var units: [(ssrc: SSRC, sent: ScriptedStreams.Sent, frame: EncodedFrame)] = []
  private let streams: ScriptedStreams
  private let pool = BufferPool(limit: 256)

  init(_ streams: ScriptedStreams) {
    self.streams = streams
  }

  deinit {
    for unit in units { unit.frame.release() }
  }

  func take() -> [[UInt8]] {
    defer { packets.removeAll(keepingCapacity: true) }
    return packets
  }

  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { packets.append(Array(packet)) }

  func session(received picture: PictureBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
    guard let sent = streams.arrived(stream, stamp: picture.timestamp) else { return }
    // nil when all frames are in use: lost to whoever takes the next.
    let frame = try? EncodedFrame.make(size: picture.size, attributes: sent.attributes, from: pool, deadline: 0, fill: take)
    if let frame { units.append((stream, sent, frame)) }
  }

  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
    guard let sent = streams.arrived(stream, stamp: stamp) else { return }
    let frame = try? EncodedFrame.make(copying: sound, attributes: sent.attributes, from: pool, deadline: 0)
    if let frame { units.append((stream, sent, frame)) }
  }

  func session(lost packets: Int, duration: Int64, of stream: SSRC) {}

  func session(did event: RTPSessionEvent) {
    if case .streamEnded(let ssrc) = event { streams.forgetTold(of: ssrc) }
  }
}
