import MediaCore
import Testing

@testable import MediaRTP

@Suite struct JitterBufferTests {
  private let ms: Int64 = 1_000_000

  private func insert(_ buffer: JitterBuffer, _ number: Int64, at now: Int64, stamp: UInt32? = nil) -> JitterBuffer.Insertion {
    [UInt8(truncatingIfNeeded: number)].withUnsafeBytes {
      buffer.insert(number, stamp: RTPTimestamp(stamp ?? UInt32(truncatingIfNeeded: number &* 960)), $0, now: now)
    }
  }

  @Test func packetsComeInOrderAndAtOnceOnAnEvenWay() {
    let buffer = JitterBuffer(clockRate: 48_000)
    #expect(buffer.nextDeadline == nil && buffer.step(now: 0) == nil)
    for number in Int64(65_000)..<66_000 {
      let now = number * 20 * ms
      #expect(insert(buffer, number, at: now) == .kept)
      #expect(buffer.nextDeadline.map { $0 <= now } == true)
      guard case .packet(number, _)? = buffer.step(now: now) else { return #expect(Bool(false), "no \(number)") }
      #expect(buffer.packet(number)?.first == UInt8(truncatingIfNeeded: number))
      #expect(buffer.step(now: now) == nil && buffer.count == 0)
    }
  }

  @Test func aLossIsToldInItsPlace() {
    let buffer = JitterBuffer(clockRate: 48_000)
    for number in Int64(0)..<10 {
      _ = insert(buffer, number, at: number * 20 * ms)
      _ = buffer.step(now: number * 20 * ms)
    }
    _ = insert(buffer, 13, at: 13 * 20 * ms)
    #expect(buffer.step(now: 13 * 20 * ms) == .lost(count: 3, duration: 3 * 960))
    #expect(insert(buffer, 12, at: 13 * 20 * ms) == .late)
    #expect(buffer.step(now: 13 * 20 * ms) == .packet(13, stamp: 13 * 960))
  }

  @Test func silenceThatWasNotSentIsNoLoss() {
    let buffer = JitterBuffer(clockRate: 48_000)
    for number in Int64(0)..<5 {
      _ = insert(buffer, number, at: number * 20 * ms)
      _ = buffer.step(now: number * 20 * ms)
    }
    // 400 ms of nothing, by the stamp.
    _ = insert(buffer, 5, at: 25 * 20 * ms, stamp: 25 * 960)
    #expect(buffer.step(now: 25 * 20 * ms) == .packet(5, stamp: 25 * 960))
  }

  @Test func jitterIsWaitedFor() {
    let buffer = JitterBuffer(clockRate: 48_000)
    var random = SeededRandom(seed: 8)
    let count: Int64 = 3000
    let arrivals = (0..<count).map { ($0, $0 * 20 * ms + Int64.random(in: 0...(60 * ms), using: &random)) }.sorted { $0.1 < $1.1 }
    var (packets, lost, latest) = (0, 0, Int64(-1))
    var place = 0
    var now: Int64 = 0
    var held: [Int64] = []
    while now < (count + 20) * 20 * ms {
      while place < arrivals.count, arrivals[place].1 <= now {
        _ = insert(buffer, arrivals[place].0, at: arrivals[place].1)
        place += 1
      }
      while let step = buffer.step(now: now) {
        switch step {
        case .packet(let number, _):
          #expect(number > latest)
          latest = number
          packets += 1
          if number > 1000 { held.append(now - number * 20 * ms) }
        case .lost(let missing, _): if latest > 1000 { lost += missing }
        }
      }
      now += ms
    }
    #expect(Double(lost) / 2000 < 0.07, "\(lost) lost")
    let mean = held.reduce(0, +) / Int64(max(1, held.count))
    #expect(mean > 45 * ms && mean < 75 * ms, "\(mean)")
    #expect(packets > 2800)
  }

  @Test func duplicatesJumpsAndCrowdsAreSurvived() {
    let buffer = JitterBuffer(clockRate: 48_000, capacity: 16)
    #expect(insert(buffer, 5, at: 0) == .kept)
    #expect(insert(buffer, 5, at: 0) == .duplicate)
    #expect(insert(buffer, 4, at: 0) == .late)
    for number in Int64(6)..<100 { #expect(insert(buffer, number, at: 0) == .kept) }
    #expect(buffer.count <= 16)
    #expect(insert(buffer, 1_000_000, at: 1, stamp: 7) == .kept)
    var steps = 0
    while buffer.step(now: .max / 4) != nil { steps += 1 }
    #expect(steps > 0 && steps <= 20)
    buffer.reset()
    #expect(buffer.nextDeadline == nil && insert(buffer, 3, at: 9) == .kept)
    let large = [UInt8](repeating: 0, count: 1501)
    #expect(large.withUnsafeBytes { JitterBuffer(clockRate: 8000).insert(1, stamp: RTPTimestamp(0), $0, now: 0) } == .refused)
  }

  /// It has room by what came since, as at first: 32 packets.
  @Test func aRestartGivesNoRoom() {
    let buffer = JitterBuffer(clockRate: 48_000)
    for number in Int64(0)..<20 { #expect(insert(buffer, number, at: 0) == .kept) }
    buffer.reset()
    #expect(insert(buffer, 0, at: 0) == .kept && insert(buffer, 40, at: 0) == .kept)
    // The first is past, as there is no room for both.
    #expect(buffer.step(now: .max / 4) == .lost(count: 31, duration: 38_400))
    #expect(buffer.step(now: .max / 4) == .packet(40, stamp: 38_400))
  }

  @Test func noiseNeverHarms() {
    for seed in UInt64(1)...10 {
      var random = SeededRandom(seed: seed)
      let buffer = JitterBuffer(clockRate: 48_000, capacity: 32)
      var now: Int64 = 0
      for number in Int64(0)..<2000 {
        now += Int64.random(in: 0...(40 * ms), using: &random)
        let odd = max(0, number + Int64.random(in: -40...40, using: &random))
        _ = insert(buffer, odd, at: now, stamp: UInt32.random(in: 0...(.max), using: &random) >> UInt32.random(in: 0...31, using: &random))
        var steps = 0
        while buffer.step(now: now) != nil { steps += 1 }
        #expect(steps <= 70)
        #expect(buffer.count <= 32)
      }
    }
  }
}
