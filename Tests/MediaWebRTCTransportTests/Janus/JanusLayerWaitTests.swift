import Testing

@testable import MediaWebRTCTransport

@Suite struct JanusLayerWaitTests {
  /// When key frames are asked for within a minute, in milliseconds.
  private func requests(_ wait: inout JanusLayerWait) -> [Int64] {
    (0...600).map { $0 * 100 }.filter { wait.isDue(now: $0 * 1_000_000) }
  }

  @Test func keyFramesAreAskedForLessAndLessOftenAndNotForEver() {
    var wait = JanusLayerWait()
    #expect(requests(&wait) == [])
    wait.wait(for: 1, now: 0)
    #expect(requests(&wait) == [500, 1_500, 3_500, 7_500])
  }

  @Test func whatHasComeIsNotWaitedFor() {
    var wait = JanusLayerWait()
    wait.wait(for: 1, now: 0)
    #expect(wait.isDue(now: 600_000_000))
    wait.wait(for: nil, now: 700_000_000)
    #expect(wait.next == nil)
    #expect(requests(&wait) == [])
  }

  @Test func eachLayerIsWaitedForAnew() {
    var wait = JanusLayerWait()
    wait.wait(for: 1, now: 0)
    #expect(requests(&wait).count == 4)
    wait.wait(for: 1, now: 0)
    #expect(wait.next == nil)
    wait.wait(for: 0, now: 0)
    #expect(requests(&wait) == [500, 1_500, 3_500, 7_500])
  }
}
