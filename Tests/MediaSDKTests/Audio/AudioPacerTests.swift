import Testing

@testable import MediaSDK

private let ms: Int64 = 1_000_000

@Suite struct AudioPacerTests {
  private let buffer = 20 * ms

  /// When each of `count` buffers that all wait from the start leaves.
  private func departures(_ count: Int, pacer: inout AudioPacer, from start: Int64) -> [Int64] {
    var now = start
    return (0..<count).map { _ in
      now = max(now, pacer.due)
      pacer.leave(at: now, duration: buffer)
      return now
    }
  }

  @Test func theFirstLeavesAtOnce() {
    let pacer = AudioPacer(bufferDuration: buffer)
    #expect(pacer.due == .min)
  }

  @Test func aFileLeavesInRealTime() {
    var pacer = AudioPacer(bufferDuration: buffer)
    let times = departures(500, pacer: &pacer, from: 1000 * ms)
    #expect(times[1] == 1000 * ms, "one buffer may be early")
    #expect(times[490] - times[1] == 489 * buffer)
  }

  @Test func alongerBufferIsItsOwnLead() {
    var pacer = AudioPacer(bufferDuration: 100 * ms)
    pacer.leave(at: 0, duration: 100 * ms)
    #expect(pacer.due == 0)
    pacer.leave(at: 0, duration: 100 * ms)
    #expect(pacer.due == 100 * ms)
  }

  @Test(arguments: [200, 900]) func aFastClockBuildsUpNothing(ppm: Int64) {
    var pacer = AudioPacer(bufferDuration: buffer)
    var worst: Int64 = 0
    for index in 0..<30_000 as Range<Int64> {
      let now = index * (buffer - buffer * ppm / 1_000_000)
      let leaves = max(now, pacer.due)
      worst = max(worst, leaves - now)
      pacer.leave(at: leaves, duration: buffer, isFast: leaves > now)
    }
    #expect(worst < buffer, "ten minutes, and \(worst) ns late")
  }

  @Test func whatWasLateCatchesUp() {
    var pacer = AudioPacer(bufferDuration: buffer)
    pacer.leave(at: 0, duration: buffer)
    // Four buffers come together, 80 ms late.
    for index in 0..<4 {
      #expect(pacer.due <= 80 * ms, "buffer \(index)")
      pacer.leave(at: 80 * ms, duration: buffer)
    }
  }

  /// 450 ms of nothing, then what was captured meanwhile.
  @Test func aSourceThatWasHeldUpIsInTimeAgainAtOnce() {
    var pacer = AudioPacer(bufferDuration: buffer)
    func leave(_ index: Int64, at now: Int64) -> Int64 {
      let leaves = max(now, pacer.due)
      pacer.leave(at: leaves, duration: buffer, captured: (index - 1) * buffer)
      return leaves - (index - 1) * buffer
    }
    var ages: [Int64] = []
    for index in 1...50 as ClosedRange<Int64> { ages.append(leave(index, at: index * buffer)) }
    for index in 51...73 as ClosedRange<Int64> { ages.append(leave(index, at: 73 * buffer)) }
    for index in 74...200 as ClosedRange<Int64> { ages.append(leave(index, at: index * buffer)) }
    #expect(ages.max() == 23 * buffer)
    #expect(ages.suffix(128).allSatisfy { $0 == buffer }, "\(ages.suffix(128).max() ?? 0)")
    #expect((17...18).contains(pacer.caughtUp / buffer), "\(pacer.caughtUp)")
  }

  @Test func aPauseIsNotMadeUpForThoughItsTimesAreKnown() {
    var pacer = AudioPacer(bufferDuration: buffer)
    pacer.leave(at: 0, duration: buffer, captured: 0)
    var now = 5000 * ms
    for index in 0..<10 as Range<Int64> {
      now = max(now, pacer.due)
      pacer.leave(at: now, duration: buffer, captured: 5000 * ms + index * buffer)
    }
    #expect(now >= 5000 * ms + 8 * buffer && pacer.caughtUp == 0)
  }

  @Test func whatIsLateByMinutesIsNotPouredOut() {
    var pacer = AudioPacer(bufferDuration: buffer)
    pacer.leave(at: 0, duration: buffer, captured: 0)
    pacer.leave(at: 60_000 * ms, duration: buffer, captured: buffer)
    #expect(pacer.due >= 60_000 * ms && pacer.caughtUp == 0)
  }

  @Test func aPauseIsNotMadeUpFor() {
    var pacer = AudioPacer(bufferDuration: buffer)
    pacer.leave(at: 0, duration: buffer)
    let times = departures(10, pacer: &pacer, from: 5000 * ms)
    #expect(times[9] >= 5000 * ms + 8 * buffer - buffer)
  }

  @Test func resetForgets() {
    var pacer = AudioPacer(bufferDuration: buffer)
    pacer.leave(at: 0, duration: buffer)
    pacer.reset()
    #expect(pacer.due == .min)
  }
}
