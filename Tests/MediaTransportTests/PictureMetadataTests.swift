import CMediaSDK
import MediaCore
import MediaRTP
import Testing

@testable import MediaTransport

/// What a frame says beside its bits.
private struct Said: Sendable, Equatable {
  var matrix: UInt32
  var fullRange: UInt32
  var orientation: UInt32
}

private final class Listener: EncodedSink {
  let said = Journal<Said>()

  func receive(_ frame: EncodedFrame, _ picture: FrameID) {
    let native = frame.native.pointee
    said.add(Said(matrix: native.color_matrix, fullRange: native.color_full_range, orientation: native.orientation))
  }
}

@Suite(.serialized) struct PictureMetadataTests {
  private static let pool = BufferPool(limit: 8)

  private func send(_ said: Said, _ number: Int, isKey: Bool, by transport: any Transport, on stream: StreamID, _ time: TestTime) throws {
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(MSDK_CODEC_VP8)
    (attributes.width, attributes.height) = (320, 240)
    if isKey { attributes.flags = UInt32(MSDK_ENCODED_KEY) }
    (attributes.color_matrix, attributes.color_full_range, attributes.orientation) = (said.matrix, said.fullRange, said.orientation)
    attributes.timestamp_ns = time.clock.now()
    let made = try RTPEnd.picture(900, isKey: isKey).withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: attributes, from: Self.pool, deadline: .max)
    }
    let frame = try #require(made)
    defer { frame.release() }
    _ = transport.send(frame, FrameID(number), on: stream)
  }

  /// Key frames until the first came, then each of `all`, of which those in `keys` are key frames; what is heard of those.
  private func heard(
    _ all: [Said], keys: Set<Int> = [0], by transport: any Transport, on stream: StreamID, at listener: Listener, _ time: TestTime = .real
  ) throws -> ArraySlice<Said> {
    // Of the first nobody is told when it came.
    let plain = Said(matrix: 2, fullRange: 0, orientation: 0)
    var number = 0
    while listener.said.entries.isEmpty, number < 2000 {
      number += 1
      try send(plain, number, isKey: true, by: transport, on: stream, time)
      time.run(milliseconds: 10)
    }
    for (index, said) in all.enumerated() {
      try send(said, number + 1 + index, isKey: keys.contains(index), by: transport, on: stream, time)
      time.run(milliseconds: 20)
    }
    _ = time.waits { listener.said.entries.suffix(all.count) == all[...] }
    return listener.said.entries.suffix(all.count)
  }

  private static let all = [
    Said(matrix: 1, fullRange: 1, orientation: 5), Said(matrix: 1, fullRange: 1, orientation: 3),
    Said(matrix: 9, fullRange: 0, orientation: 0),
    Said(matrix: 9, fullRange: 0, orientation: 0), Said(matrix: 2, fullRange: 0, orientation: 0),
    Said(matrix: 6, fullRange: 1, orientation: 1),
    Said(matrix: 6, fullRange: 1, orientation: 1), Said(matrix: 2, fullRange: 0, orientation: 0)
  ]

  @Test func itPassesOverRTP() throws {
    let (room, here, there) = try RTPEnd.pair { ($0.orientation, $0.colorSpace) = (4, 6) }
    let stream = try here.publish(.video)
    #expect(here.transport.carriage(of: stream) == Carriage())
    let listener = Listener()
    #expect(eventually { here.count("receivers 1") == 1 })
    try send(Self.all[0], 0, isKey: true, by: here.transport, on: stream, .real)
    for number in 1...2000 where there.added.entries.isEmpty {
      try send(Self.all[0], number, isKey: true, by: here.transport, on: stream, .real)
      TestTime.real.run(milliseconds: 10)
    }
    let added = try #require(there.added.entries.first)
    guard case .video(let format, _) = added.format else { throw MediaError(.fail, "no video") }
    #expect(format.color.matrix == 1 && format.color.fullRange)
    there.transport.subscribe(to: added.id, listener)
    #expect(try heard(Self.all, keys: [0, 7], by: here.transport, on: stream, at: listener) == Self.all[...])
    room.close(here, there)
  }

  @Test func itSaysWhatItDoesNotCarry() throws {
    let (room, here, there) = try RTPEnd.pair { _ in }
    let stream = try here.publish(.video)
    #expect(here.transport.carriage(of: stream) == Carriage(color: false, orientation: false))
    room.close(here, there)
  }
}
