import Testing

@testable import MediaPlugins

@Suite struct FrameTimeMeterTests {
  private static let ms: Int64 = 1_000_000

  /// Verdicts on frames that come `every` so often for so long and take so long each.
  private func verdicts(
    _ meter: FrameTimeMeter, from start: Int64 = 0, every: Int64, taking: Int64, for length: Int64, declared: Int64? = nil
  ) -> [FrameTimeMeter.Verdict] {
    stride(from: start, to: start + length, by: Int(every)).compactMap { meter.note(at: $0, took: taking, interval: declared) }
  }

  @Test func moreThanHalfTheIntervalIsSlow() {
    let (ms, meter) = (Self.ms, FrameTimeMeter())
    #expect(verdicts(meter, every: 40 * ms, taking: 20 * ms, for: 4000 * ms).isEmpty)
    #expect(verdicts(FrameTimeMeter(), every: 40 * ms, taking: 21 * ms, for: 1100 * ms) == [.init(mean: 21 * ms, interval: 40 * ms)])
  }

  @Test func itIsSaidOnceInFiveSeconds() {
    let ms = Self.ms
    #expect(verdicts(FrameTimeMeter(), every: 10 * ms, taking: 9 * ms, for: 4900 * ms).count == 1)
    #expect(verdicts(FrameTimeMeter(), every: 10 * ms, taking: 9 * ms, for: 7500 * ms).count == 2)
  }

  @Test func framesThatComeFasterThanDeclaredDoNotMakeItSlow() {
    let ms = Self.ms
    #expect(verdicts(FrameTimeMeter(), every: 2 * ms, taking: 2 * ms, for: 3000 * ms, declared: 33 * ms).isEmpty)
    #expect(!verdicts(FrameTimeMeter(), every: 2 * ms, taking: 2 * ms, for: 3000 * ms).isEmpty)
  }

  @Test func framesThatComeSeldomLeaveTime() {
    let ms = Self.ms
    #expect(verdicts(FrameTimeMeter(), every: 500 * ms, taking: 100 * ms, for: 5000 * ms, declared: 33 * ms).isEmpty)
    #expect(verdicts(FrameTimeMeter(), every: 2000 * ms, taking: 1500 * ms, for: 5000 * ms).count == 1)
  }

  /// It would come less often because it is slow.
  @Test func aProducerHasHalfOfItsFramesDuration() {
    let ms = Self.ms
    func count(every: Int64, taking: Int64) -> Int {
      let meter = FrameTimeMeter()
      return stride(from: 0, to: 1500 * ms, by: Int(every)).compactMap { meter.note(at: $0, took: taking, ofFrame: 33 * ms) }.count
    }
    #expect(count(every: 33 * ms, taking: 16 * ms) == 0)
    #expect(count(every: 33 * ms, taking: 17 * ms) == 1)
    #expect(count(every: 300 * ms, taking: 20 * ms) == 1)
  }

  /// It stands for a thread that did not run.
  @Test func oneLongCallIsNotSlow() {
    let (ms, meter) = (Self.ms, FrameTimeMeter())
    func verdicts(_ times: [Int64]) -> Int {
      times.enumerated().compactMap { meter.note(at: Int64($0.offset) * 100 * ms, took: $0.element * ms, ofFrame: 100 * ms) }.count
    }
    #expect(verdicts([1, 1, 1, 1, 900, 1, 1, 1, 1, 1, 1]) == 0)
    #expect(verdicts([1, 1, 1, 1, 900, 900, 1, 1, 1, 1, 1]) == 1)
  }

  @Test func theTextNamesBothTimes() {
    let text = FrameTimeMeter.Verdict(mean: 21_460_000, interval: 33_333_333).text("org.example.x")
    #expect(text == "org.example.x takes 21.5 ms a frame, more than half of the 33.3 ms between two frames")
  }
}
