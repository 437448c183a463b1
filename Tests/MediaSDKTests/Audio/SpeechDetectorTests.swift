import Testing

@testable import MediaSDK

private let ms: Int64 = 1_000_000

@Suite struct SpeechDetectorTests {
  private func hear(_ detector: inout SpeechDetector, _ level: UInt32, _ count: Int, from start: Int64) -> [Int64] {
    var changes: [Int64] = []
    for index in 0..<Int64(count) where detector.hear(level, duration: 20 * ms, at: start + index * 20 * ms) {
      changes.append(start + index * 20 * ms)
    }
    return changes
  }

  @Test func loudSoundForSixtyMillisecondsBegins() {
    var detector = SpeechDetector()
    #expect(hear(&detector, 20, 10, from: 0) == [40 * ms])
    #expect(detector.isSpeaking)
    #expect(detector.level == 20)
  }

  @Test func aClickIsNoSpeech() {
    var detector = SpeechDetector()
    for index in 0..<50 as Range<Int64> {
      let hasChanged = detector.hear(index % 3 == 2 ? 127 : 5, duration: 20 * ms, at: index * 20 * ms)
      #expect(!hasChanged)
    }
  }

  @Test func quietSoundIsNoSpeech() {
    var detector = SpeechDetector()
    #expect(hear(&detector, 46, 100, from: 0).isEmpty)
  }

  @Test func pausesBetweenWordsDoNotEndIt() {
    var detector = SpeechDetector()
    _ = hear(&detector, 20, 10, from: 0)
    #expect(hear(&detector, 127, 35, from: 200 * ms).isEmpty)
    #expect(hear(&detector, 20, 1, from: 900 * ms).isEmpty)
    #expect(detector.isSpeaking)
  }

  @Test func eightHundredMillisecondsOfSilenceEndIt() {
    var detector = SpeechDetector()
    _ = hear(&detector, 20, 10, from: 0)
    #expect(detector.nextCheck == 180 * ms + SpeechDetector.hold)
    #expect(hear(&detector, 127, 100, from: 200 * ms) == [980 * ms])
    #expect(!detector.isSpeaking)
    #expect(detector.level == 127)
    #expect(detector.nextCheck == nil)
  }

  @Test func aStreamThatStopsEndsItByTheClock() {
    var detector = SpeechDetector()
    _ = hear(&detector, 20, 10, from: 0)
    let changes = [900, 980, 2000].map { detector.check(at: $0 * ms) }
    #expect(changes == [false, true, false])
  }
}
