import CMediaSDK
import Testing

@testable import IsolationProtocol
@testable import MediaCore

/// A host whose pool always has a frame.
nonisolated(unsafe) let openHost: msdk_host = {
  var host = msdk_host()
  host.audio_frame_acquire = { _, format, count, out in
    guard let format, let wanted = try? AudioFormat(checking: format.pointee, argument: "format"),
      let frame = try? AudioFrame.make(wanted, sampleCount: Int(count))
    else { return msdk_result(MSDK_E_NOMEM) }
    out?.pointee = frame.native
    return msdk_result(MSDK_OK)
  }
  return host
}()

func ramp(_ count: Int, flags: Int) throws -> AudioFrame {
  let frame = try AudioFrame.make(AudioFormat(.f32, sampleRate: 192_000, channels: 2), sampleCount: count)
  let samples = frame.bytes.bindMemory(to: Float.self)
  for index in samples.indices { samples[index] = Float(index) }
  frame.native.pointee.flags |= UInt32(flags)
  frame.native.pointee.timestamp_ns = 1_000_000_000
  (frame.native.pointee.sequence, frame.native.pointee.level) = (12, 34)
  return frame
}

@Suite struct AudioMessageTests {
  @Test func whatAFrameBearsSurvives() throws {
    let sent = try ramp(480, flags: MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_CORRUPT | MSDK_FRAME_END)
    defer { sent.release() }
    var writer = WireWriter()
    AudioMessage.write(sent, from: 0, count: 480, to: &writer)
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      let frame = try #require(try AudioMessage.read(&reader, openHost, nil))
      defer { frame.release() }
      let native = frame.native.pointee
      #expect(native.level == 34 && native.sequence == 12 && native.timestamp_ns == 1_000_000_000)
      let flags = UInt32(MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_CORRUPT | MSDK_FRAME_END)
      #expect(native.flags & flags == flags)
      #expect(frame.bytes.elementsEqual(sent.bytes))
    }
  }
}
