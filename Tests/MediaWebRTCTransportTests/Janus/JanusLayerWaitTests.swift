import Testing

@testable import MediaWebRTCTransport

@Suite struct JanusLayerWaitTests {
  /// When key frames are asked for within a minute, in milliseconds.
  private func requests(_ wait: inout JanusLayerWait) -> [Int64] {
    var result: [Int64] = []
    for time in stride(from: Int64(0), through: 60_000, by: 100) where wait.isDue(now: time * 1_000_000) { result.append(time) }
    return result
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
    let isDue = wait.isDue(now: 600_000_000)
    #expect(isDue)
    wait.wait(for: nil, now: 700_000_000)
    #expect(wait.next == nil)
    #expect(requests(&wait) == [])
  }

  @Test func eachLayerIsWaitedForAnew() {
    var wait = JanusLayerWait()
    wait.wait(for: 1, now: 0)
    #expect(requests(&wait) == [500, 1_500, 3_500, 7_500])
    wait.wait(for: 1, now: 0)
    #expect(wait.next == nil)
    wait.wait(for: 0, now: 0)
    #expect(requests(&wait) == [500, 1_500, 3_500, 7_500])
  }
}
