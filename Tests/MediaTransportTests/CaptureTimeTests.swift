import CMediaSDK
import Glibc
import MediaCore
import Testing

@testable import MediaTransport

private final class Listener: EncodedSink {
  /// Which frame it is, by its last bytes, and its stamp.
  let read = Journal<(index: Int, stamp: Int64)>()

  func receive(_ frame: EncodedFrame, _ picture: FrameID) {
    read.add((frame.bytes.suffix(2).reduce(0) { $0 << 8 | Int($1) }, frame.native.pointee.timestamp_ns))
  }
}

/// Over sockets: what is read is stamped as it was stamped by who sent it, on the clock that both have here.
@Suite(.serialized) struct CaptureTimeTests {
  private static let pool = BufferPool(limit: 8)
  private static let second: Int64 = 1_000_000_000
  /// Of a machine that is busy: what is looked for are whole seconds.
  private static let tolerance = second / 2

  /// Frames captured two seconds ago, and from the hundredth on seven: with the extension all of them are right, without it those of two seconds later.
  @Test(arguments: [true, false]) func aStampThatStepsBackIsFollowedOverRTP(saysCapture: Bool) throws {
    let (room, here, there) = try RTPEnd.pair { $0.captureTime = saysCapture ? 7 : 0 }
    defer { room.close(here, there) }
    let stream = try here.publish(.video)
    #expect(eventually { here.count("receivers 1") == 1 })
    var stamps: [Int64] = []
    func send() throws {
      let index = stamps.count
      stamps.append(MediaTime.monotonic() - (index < 100 ? 2 : 7) * Self.second)
      var attributes = msdk_encoded_frame()
      attributes.codec = UInt32(MSDK_CODEC_VP8)
      (attributes.width, attributes.height, attributes.flags) = (320, 240, UInt32(MSDK_ENCODED_KEY))
      attributes.timestamp_ns = stamps[index]
      let bytes = RTPEnd.picture(900, isKey: true) + [UInt8(index >> 8), UInt8(index & 255)]
      let made = try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: Self.pool, deadline: .max) }
      let frame = try #require(made)
      defer { frame.release() }
      _ = here.transport.send(frame, FrameID(index), on: stream)
      usleep(20_000)
    }
    while there.added.entries.isEmpty, stamps.count < 90 { try send() }
    let listener = Listener()
    there.transport.subscribe(to: try #require(there.added.entries.first).id, listener)
    while stamps.count < 300 { try send() }
    #expect(eventually { listener.read.entries.last?.index ?? 0 > 250 })
    let read = listener.read.entries
    let wrong = read.filter { abs($0.stamp - stamps[$0.index]) > Self.tolerance }.map(\.index)
    #expect(read.contains { $0.index < 100 } && read.contains { $0.index >= 200 })
    #expect(saysCapture ? wrong.isEmpty : wrong.allSatisfy { $0 < 200 }, "\(wrong)")
  }
}
