import CMediaSDK
import Testing

@testable import IsolationProtocol
@testable import MediaCore

/// Of one test: what a host has given, with a reference each.
private let kept = Monitor<[AudioFrame]>([])

@Suite struct AudioPartsTests {
  private func messages(_ frame: AudioFrame) -> [[UInt8]] {
    var (all, first): ([[UInt8]], Int) = ([], 0)
    while first < frame.sampleCount {
      var writer = WireWriter()
      first += AudioParts.write(frame, from: first, to: &writer)
      all.append(Array(writer.bytes))
    }
    return all
  }

  /// What is held of a frame is given back once, also when the next one is refused.
  @Test func aFrameThatIsRefusedEndsTheOneBefore() throws {
    let sent = try ramp(30_000, flags: 0)
    defer { sent.release() }
    var message = messages(sent)[0]
    var keeper = openHost
    keeper.audio_frame_acquire = { context, format, count, out in
      let result = openHost.audio_frame_acquire?(context, format, count, out) ?? -1
      if let frame = out?.pointee.flatMap({ try? AudioFrame.retained(foreign: $0) }) { kept.withLock { $0.append(frame) } }
      return result
    }
    do {
      let parts = AudioParts()
      _ = try take(parts, message, keeper)
      // More samples than a frame may have.
      for place in 0..<4 { message[place] = 0xFF }
      let error = #expect(throws: MediaError.self) { _ = try take(parts, message, keeper) }
      #expect(error?.status == .corrupt)
    }
    let frames = kept.withLock { $0 }
    #expect(frames.map(\.references) == [1])
    for frame in frames { frame.release() }
  }

  private func take(_ parts: AudioParts, _ message: [UInt8], _ host: msdk_host = openHost) throws -> AudioParts.Taken {
    try message.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      return try parts.take(&reader, host, nil)
    }
  }

  @Test func partsMakeOneFrame() throws {
    let sent = try ramp(30_000, flags: MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_END)
    defer { sent.release() }
    let (all, parts) = (messages(sent), AudioParts())
    try #require(all.count == 3)
    for message in all.dropLast() {
      guard case .part = try take(parts, message) else { return #expect(Bool(false), "a part is no frame") }
    }
    guard case .frame(let frame) = try take(parts, all[2]) else { return #expect(Bool(false), "the last part makes the frame") }
    defer { frame.release() }
    #expect(frame.sampleCount == 30_000 && frame.bytes.elementsEqual(sent.bytes))
    #expect(frame.native.pointee.timestamp_ns == 1_000_000_000)
    let flags = UInt32(MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_END)
    #expect(frame.native.pointee.flags & flags == flags)
  }

  @Test func partsThatDoNotFollowAreRefused() throws {
    let sent = try ramp(30_000, flags: 0)
    defer { sent.release() }
    let all = messages(sent)
    for order in [[1], [0, 2], [0, 1, 1]] {
      let parts = AudioParts()
      for index in order.dropLast() { _ = try take(parts, all[index]) }
      let error = #expect(throws: MediaError.self) { _ = try take(parts, all[order[order.count - 1]]) }
      #expect(error?.status == .corrupt)
    }
    // One that begins anew replaces what was not completed.
    let parts = AudioParts()
    _ = try take(parts, all[0])
    for index in 0...1 { guard case .part = try take(parts, all[index]) else { return #expect(Bool(false)) } }
    guard case .frame(let frame) = try take(parts, all[2]) else { return #expect(Bool(false)) }
    frame.release()
  }
}
