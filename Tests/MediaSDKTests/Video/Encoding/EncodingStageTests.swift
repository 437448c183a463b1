import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaSDK

/// Encodings without a stream around them.
@Suite struct EncodingStageTests {
  private func stage(_ change: (inout OutgoingVideoOptions) -> Void = { _ in }) throws -> EncodingStage {
    var options = Make.vp8()
    change(&options)
    return EncodingStage(try Codecs.builtIn.video(UInt32(MSDK_CODEC_VP8)), options, temporalLayers: 1, events: { _ in })
  }

  private func step(_ number: Int, _ format: VideoFormat, bitrate: UInt64 = 300_000, isKey: Bool = false) -> EncodingStage.Step {
    EncodingStage.Step(
      format: format, bitrate: bitrate, frameRate: format.frameRate, forceKeyFrame: isKey, timestamp: Int64(number) * 40 * millisecond,
      sequence: UInt64(number), isRepeat: false, carriage: Carriage())
  }

  /// What became of a frame of noise, which costs what there is to spend.
  private func encode(
    _ step: EncodingStage.Step, by stage: EncodingStage, _ change: (VideoFrame) -> Void = { _ in }
  ) throws -> msdk_encoded_frame? {
    let frame = try VideoFrame.make(step.format)
    defer { frame.release() }
    frame.fill(100)
    var random = SeededRandom(seed: step.sequence)
    let luma = frame.plane(0)
    for index in 0..<Int(luma.stride) * Int(step.format.height) { luma.data[index] = UInt8(truncatingIfNeeded: random.next()) }
    change(frame)
    guard let encoded = try stage.encode(frame, step) else { return nil }
    defer { encoded.release() }
    return encoded.native.pointee
  }

  private func isKey(_ frame: msdk_encoded_frame?) -> Bool { (frame?.flags ?? 0) & UInt32(MSDK_ENCODED_KEY) != 0 }

  /// Each has its size, its rate and its key frames.
  @Test func threeOfOneStreamDoNotKnowOfEachOther() throws {
    let formats = [Make.format(320, 180, 25), Make.format(160, 90, 25), Make.format(80, 46, 25)]
    let rates: [UInt64] = [800_000, 200_000, 60_000]
    let stages = try formats.map { _ in try stage() }
    var bytes = [0, 0, 0] as [UInt64]
    for number in 1...30 {
      for (index, stage) in stages.enumerated() {
        let frame = try encode(step(number, formats[index], bitrate: rates[index], isKey: index == 1 && number == 8), by: stage)
        #expect(isKey(frame) == (number == 1 || index == 1 && number == 8) || frame == nil)
        guard let frame else { continue }
        #expect(frame.codec == UInt32(MSDK_CODEC_VP8) && frame.sequence == UInt64(number))
        #expect(frame.timestamp_ns == Int64(number) * 40 * millisecond)
        #expect((frame.width, frame.height) == (formats[index].width, formats[index].height))
        if number > 1 { bytes[index] += frame.size }
      }
    }
    #expect(bytes[0] > 2 * bytes[1] && bytes[1] > 2 * bytes[2] && bytes[2] > 0, "\(bytes)")
  }

  @Test func anotherFormatBeginsAnewAndAnotherRateDoesNot() throws {
    let stage = try stage()
    #expect(!stage.hasEncoder)
    #expect(isKey(try encode(step(1, Make.format()), by: stage)) && stage.hasEncoder)
    #expect(!isKey(try encode(step(2, Make.format(), bitrate: 500_000), by: stage)))
    let other = try encode(step(3, Make.format(160, 90)), by: stage)
    #expect(isKey(other) && other?.width == 160)
  }

  @Test func aKeyFrameIsDueAfterItsInterval() throws {
    let stage = try stage { $0.keyFrameInterval = 200 * millisecond }
    var keys: [Int] = []
    for number in 1...12 where isKey(try encode(step(number, Make.format(), bitrate: 2_000_000), by: stage)) { keys.append(number) }
    #expect(keys == [1, 6, 11])
  }

  @Test func afterARestItBeginsWithAKeyFrame() throws {
    let stage = try stage()
    #expect(try isKey(encode(step(1, Make.format()), by: stage)) && !isKey(encode(step(2, Make.format()), by: stage)))
    stage.rest()
    #expect(try isKey(encode(step(5, Make.format()), by: stage)) && !isKey(encode(step(6, Make.format()), by: stage)))
  }

  @Test func aScreensFrameKeepsToItsBound() throws {
    let stage = try stage { $0.kind = .screenShare }
    var one = step(1, Make.format(640, 360, 5), bitrate: 2_000_000)
    let free = try #require(try encode(one, by: stage))
    (one.sequence, one.timestamp, one.forceKeyFrame, one.longestFrame) = (1, second, true, Int(free.size / 3))
    let bound = try #require(try encode(one, by: stage))
    #expect(bound.size <= free.size / 3 && bound.flags & UInt32(MSDK_ENCODED_COARSE) != 0, "\(bound.size) of \(free.size)")
  }
}
