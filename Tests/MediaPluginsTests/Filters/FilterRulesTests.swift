import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct FilterRulesTests {
  private let format = VideoFormat(.nv12, width: 64, height: 48)

  @Test func theFrameItselfComesWithTheReferenceThatWasGiven() throws {
    let input = try VideoFrame.make(format)
    defer { input.release() }
    input.retain()
    #expect(try FilterRules.accept(input.native, for: input, agreed: format) == nil)
    #expect(input.references == 1)
    #expect(failure { _ = try FilterRules.accept(input.native, for: input, agreed: format) }?.status == .handle)
    input.retain()
    let other = VideoFormat(.nv12, width: 32, height: 48)
    #expect(failure { _ = try FilterRules.accept(input.native, for: input, agreed: other) }?.status == .format)
  }

  @Test func anotherFrameBecomesTheOneThatCame() throws {
    let input = try VideoFrame.make(format)
    let made = try VideoFrame.make(format)
    defer { input.release() }
    (input.native.pointee.sequence, input.native.pointee.timestamp_ns) = (7, 123)
    #expect(try FilterRules.accept(made.native, for: input, agreed: format) == made)
    #expect(made.native.pointee.sequence == 7 && made.native.pointee.timestamp_ns == 123 && !made.isWritable && made.references == 1)
    // Once more would be somebody else's.
    #expect(
      failure { _ = try FilterRules.accept(made.native, for: input, agreed: format) }?.text.contains("it had returned before") == true)
    made.release()
    #expect(failure { _ = try FilterRules.accept(made.native, for: input, agreed: format) }?.status == .handle)
    let small = try VideoFrame.make(VideoFormat(.nv12, width: 32, height: 48))
    #expect(failure { _ = try FilterRules.accept(small.native, for: input, agreed: format) }?.status == .format)
    let none: UnsafeMutablePointer<msdk_video_frame>? = nil
    #expect(failure { _ = try FilterRules.accept(none, for: input, agreed: format) }?.status == .invalid)
  }

  @Test func soundKeepsItsLengthAndIsOfNumbers() throws {
    let sound = AudioFormat(.f32, sampleRate: 48_000, channels: 1)
    let input = try AudioFrame.make(sound, sampleCount: 480)
    defer { input.release() }
    let short = try AudioFrame.make(sound, sampleCount: 240)
    #expect(failure { _ = try FilterRules.accept(short.native, for: input, isWritable: true, held: 1) }?.status == .format)
    let broken = try AudioFrame.make(sound, sampleCount: 480)
    broken.f32[3] = .nan
    #expect(failure { _ = try FilterRules.accept(broken.native, for: input, isWritable: true, held: 1) }?.status == .invalid)
    input.retain()
    #expect(try FilterRules.accept(input.native, for: input, isWritable: true, held: 1) == nil)
    #expect(failure { _ = try FilterRules.accept(input.native, for: input, isWritable: true, held: 1) }?.status == .handle)
  }
}
