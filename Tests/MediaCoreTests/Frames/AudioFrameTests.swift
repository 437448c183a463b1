import CMediaSDK
import MediaCore
import Testing

@Suite struct AudioFrameTests {
  private let format = AudioFormat(.s16, sampleRate: 48_000, channels: 2)

  @Test func isSilentWritableAndKnowsItself() throws {
    let frame = try AudioFrame.make(format, sampleCount: 480)
    defer { frame.release() }
    #expect(frame.format == format)
    #expect(frame.bytes.count == 1920)
    #expect(frame.s16.allSatisfy { $0 == 0 })
    #expect(UInt(bitPattern: frame.bytes.baseAddress) % 64 == 0)
    #expect(frame.native.pointee.duration_ns == 10_000_000)
    #expect(frame.native.pointee.level == 127)
    #expect(frame.native.pointee.plane_count == 1)
    #expect(frame.native.pointee.flags == UInt32(MSDK_FRAME_WRITABLE))
    #expect(frame.native.pointee.planes?.pointee == frame.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
  }

  @Test func isCounted() throws {
    let frame = try AudioFrame.make(format, sampleCount: 1)
    let same = try AudioFrame.retained(foreign: frame.native)
    #expect(frame.references == 2)
    same.release()
    frame.release()
    #expect(frame.references == 0)
    #expect(failure { _ = try AudioFrame.retained(foreign: frame.native) }?.status == .handle)
    #expect(!AudioFrame.release(foreign: frame.native))
    #expect(failure { _ = try AudioFrame.retained(foreign: nil) }?.text.contains("NULL") == true)
    var garbage = msdk_audio_frame()
    #expect(failure { _ = try AudioFrame.retained(foreign: &garbage) }?.status == .handle)
  }

  @Test func lengthsAreBounded() {
    #expect(failure { _ = try AudioFrame.make(format, sampleCount: 0) }?.status == .range)
    #expect(failure { _ = try AudioFrame.make(format, sampleCount: 192_001) }?.status == .range)
  }

  @Test func poolsAreBounded() throws {
    let pool = BufferPool(limit: 1)
    let first = try #require(try AudioFrame.make(format, sampleCount: 480, from: pool, deadline: 0))
    let memory = first.bytes.baseAddress
    #expect(try AudioFrame.make(format, sampleCount: 480, from: pool, deadline: 0) == nil)
    first.release()
    let second = try #require(try AudioFrame.make(format, sampleCount: 240, from: pool, deadline: 0))
    #expect(second.bytes.baseAddress == memory)
    second.release()
  }

  @Test func canBeShortened() throws {
    let frame = try AudioFrame.make(format, sampleCount: 480)
    defer { frame.release() }
    frame.shorten(to: 48)
    #expect(frame.sampleCount == 48)
    #expect(frame.bytes.count == 192)
    #expect(frame.native.pointee.duration_ns == 1_000_000)
    frame.shorten(to: 480)
    #expect(frame.sampleCount == 48)
  }

  @Test func tellsWhichSampleWasCapturedWhen() throws {
    let frame = try AudioFrame.make(format, sampleCount: 480)
    defer { frame.release() }
    frame.native.pointee.timestamp_ns = 1_000_000_000
    #expect(frame.position(of: 1_000_000_000) == 0)
    #expect(frame.position(of: 1_000_020_833) == 0)
    #expect(frame.position(of: 1_000_020_834) == 1)
    #expect(frame.position(of: 999_999_999) == -1)
    #expect(frame.position(of: 1_010_000_000) == 480)
    #expect(frame.position(of: 0) == -48_000)
    #expect(frame.position(of: .max) > 0)
    #expect(frame.position(of: .min) < 0)
    frame.native.pointee.timestamp_ns = .min
    #expect(frame.position(of: .max) > 0)
  }
}
