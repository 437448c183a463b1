import MediaCore
import Testing

@testable import MediaRTP

@Suite struct PacerTests {
  private let ms: Int64 = 1_000_000

  struct Sent: Equatable {
    var at: Int64
    var number: Int
    var kind: PacedKind
    var probe: Int32 = 0
  }

  /// Drives it as a driver does, from one time to another: what left, and how often it was woken.
  private func drive(_ pacer: inout Pacer<Int>, from: Int64, to: Int64) -> (sent: [Sent], padding: [Int], expired: [Int], wakes: Int) {
    var (sent, padding, expired, wakes, now) = ([Sent](), [Int](), [Int](), 0, from)
    while true {
      wakes += 1
      while let departure = pacer.next(now: now) {
        switch departure {
        case .packet(let number, let kind, let probe): sent.append(Sent(at: now, number: number, kind: kind, probe: probe))
        case .padding(let size, _):
          padding.append(size)
          pacer.padded(size, now: now)
        case .expired(let number, _): expired.append(number)
        }
      }
      guard let next = pacer.deadline(now: now), next <= to else { return (sent, padding, expired, wakes) }
      #expect(next > now)
      guard next > now else { return (sent, padding, expired, wakes) }
      now = next
    }
  }

  @Test func itSpreadsAPictureOverItsTime() {
    var pacer = Pacer<Int>(rate: 2_000_000)
    for number in 0..<20 {
      let isTaken = pacer.enqueue(number, size: 1250, kind: .video, now: 0)
      #expect(isTaken)
    }
    #expect(pacer.expectedDelay(at: 0) == 100 * ms)
    let (sent, _, _, wakes) = drive(&pacer, from: 0, to: 1000 * ms)
    #expect(sent.map(\.number) == Array(0..<20))
    // What was owed for the last has been paid, though nobody has looked since.
    #expect(pacer.expectedDelay(at: 2000 * ms) == 0)
    // 25,000 bytes at 2 Mbit/s are 100 ms; one is sent ahead.
    #expect((sent.last?.at ?? 0) >= 90 * ms && (sent.last?.at ?? 0) <= 100 * ms, "\(sent)")
    #expect(wakes <= 21)
    #expect(pacer.deadline(now: 1000 * ms) == nil)
  }

  @Test func heldItSendsSoundAlone() {
    var pacer = Pacer<Int>(rate: 2_000_000)
    for number in 0..<40 { _ = pacer.enqueue(number, size: 1250, kind: number < 4 ? .retransmission : .video, now: 0) }
    let (before, _, _, _) = drive(&pacer, from: 0, to: 50 * ms)
    #expect(before.count > 5)
    let backlog = pacer.backlog(at: 50 * ms)
    #expect(backlog == pacer.expectedDelay(at: 50 * ms) && backlog < 200 * ms)
    pacer.probe(ProbeCluster(id: 1, rate: 4_000_000), now: 50 * ms)
    pacer.setHeld(true, now: 50 * ms)
    var sent: [Sent] = []
    for number in 0..<20 {
      let now = (60 + Int64(number) * 20) * ms
      _ = pacer.enqueue(100 + number, size: 100, kind: .audio, now: now)
      sent += drive(&pacer, from: now, to: now).sent
    }
    #expect(sent.count == 20 && sent.allSatisfy { $0.kind == .audio && $0.probe == 0 }, "\(sent)")
    // More should not be made meanwhile.
    #expect(pacer.backlog(at: 450 * ms) > 3000 * ms && pacer.expectedDelay(at: 450 * ms) < 200 * ms)
    // What is held goes in its order when it is let go, as fast as before.
    pacer.setHeld(false, now: 450 * ms)
    let (after, padding, _, _) = drive(&pacer, from: 450 * ms, to: 1000 * ms)
    #expect(before.map(\.number) + after.map(\.number) == Array(0..<40) && padding == [])
    #expect((after.last?.at ?? 0) > 550 * ms, "\(after)")
  }

  @Test func heldAndWithoutSoundItSendsAPacketNowAndThen() {
    var pacer = Pacer<Int>(rate: 2_000_000)
    pacer.setHeld(true, now: 0)
    for number in 0..<40 { _ = pacer.enqueue(number, size: 1250, kind: .video, now: 0) }
    let (sent, _, _, wakes) = drive(&pacer, from: 0, to: 1000 * ms)
    #expect(sent.map(\.at) == (0...10).map { $0 * 100 * ms }, "\(sent)")
    #expect(wakes == 11)
    pacer.probe(ProbeCluster(id: 1, rate: 4_000_000), now: 1000 * ms)
    let (more, padding, expired, _) = drive(&pacer, from: 1050 * ms, to: 4000 * ms)
    #expect(more.count < 21 && more.allSatisfy { $0.probe == 0 } && padding == [])
    // None of them waits for longer than ever.
    #expect(expired.count == 40 - 11 - more.count && pacer.deadline(now: 4000 * ms) == nil)
  }

  /// Sound of which nothing will be heard takes no picture's place.
  @Test func heldItSendsAPacketNowAndThenBesideSoundThatIsNotReported() {
    var pacer = Pacer<Int>(rate: 2_000_000)
    pacer.setHeld(true, now: 0)
    for number in 0..<40 { _ = pacer.enqueue(number, size: 1250, kind: .video, now: 0) }
    var sent: [Sent] = []
    for number in 0..<50 as Range<Int64> {
      _ = pacer.enqueue(100 + Int(number), size: 100, kind: .audio, isReported: false, now: number * 20 * ms)
      sent += drive(&pacer, from: number * 20 * ms, to: number * 20 * ms).sent
    }
    #expect(sent.count { $0.kind == .audio } == 50)
    #expect(sent.filter { $0.kind == .video }.map(\.at) == (0..<10).map { $0 * 100 * ms }, "\(sent)")
  }

  /// 100 ms in bursts of 5 ms, and of 40 ms up to 63 kB.
  @Test(arguments: [(8_000_000, 4), (9_000_000, 5), (10_000_000, 40), (16_000_000, 51), (30_000_000, 51), (200_000_000, 100)])
  func itWakesForBurstsAndNotForPackets(rate: Int, burst: Int) {
    var pacer = Pacer<Int>(rate: rate)
    let count = rate / 100_000
    for number in 0..<count { _ = pacer.enqueue(number, size: 1250, kind: .video, now: 0) }
    let (sent, _, _, wakes) = drive(&pacer, from: 0, to: 1000 * ms)
    #expect(sent.count == count)
    #expect(wakes <= count / burst + 2, "\(wakes)")
    var largest = 0
    for packet in sent { largest = max(largest, sent.filter { $0.at == packet.at }.count) }
    #expect(largest == burst, "\(largest)")
    let last = sent.last?.at ?? 0
    #expect(last < 100 * ms && last + Int64(burst) * 1250 * 8 * 1_000_000_000 / Int64(rate) >= 100 * ms, "\(last)")
  }

  @Test func audioGoesAtOnceAndRetransmissionsBeforePictures() {
    var pacer = Pacer<Int>(rate: 300_000)
    for number in 0..<10 { _ = pacer.enqueue(number, size: 1200, kind: .video, now: 0) }
    _ = drive(&pacer, from: 0, to: 1 * ms)
    _ = pacer.enqueue(100, size: 1200, kind: .retransmission, now: 2 * ms)
    _ = pacer.enqueue(200, size: 120, kind: .audio, now: 2 * ms)
    let sent = drive(&pacer, from: 2 * ms, to: 1000 * ms).sent
    #expect(sent[0] == Sent(at: 2 * ms, number: 200, kind: .audio))
    #expect(sent[1].number == 100)
    #expect(sent.dropFirst(2).map(\.number) == Array(1..<10))
    // What it took is paid for by the others: 10 packets of 1200 bytes and the sound at 300 kbit/s.
    #expect((sent.last?.at ?? 0) > 300 * ms)
  }

  @Test func aQueueOfMoreThanTwoSecondsGoesFaster() {
    var pacer = Pacer<Int>(rate: 100_000)
    // Six seconds' worth.
    for number in 0..<75 { _ = pacer.enqueue(number, size: 1000, kind: .video, now: 0) }
    #expect(pacer.expectedDelay == 6000 * ms)
    let (sent, _, expired, _) = drive(&pacer, from: 0, to: 2900 * ms)
    #expect(expired.isEmpty)
    #expect(sent.count > 45, "\(sent.count)")
  }

  @Test func whatWaitsTooLongExpires() {
    var pacer = Pacer<Int>(rate: 30_000)
    for number in 0..<500 { _ = pacer.enqueue(number, size: 1000, kind: .video, now: 0) }
    _ = pacer.enqueue(1000, size: 1000, kind: .retransmission, now: 0)
    let later = drive(&pacer, from: 1100 * ms, to: 1101 * ms)
    #expect(later.expired == [1000])
    let late = drive(&pacer, from: 3100 * ms, to: 3101 * ms)
    #expect(late.sent.isEmpty)
    #expect(late.expired.count > 480)
    #expect(pacer.bytes == 0)
    _ = pacer.enqueue(1, size: 100, kind: .audio, now: 4000 * ms)
    let sound = drive(&pacer, from: 4600 * ms, to: 4700 * ms)
    #expect(sound.expired == [1])
  }

  @Test func aPictureThatHasBegunToLeaveLeavesWhole() {
    var pacer = Pacer<Int>(rate: 30_000)
    for number in 0..<120 { _ = pacer.enqueue(number, size: 1000, kind: .video, isFirst: number % 60 == 0, now: 0) }
    let all = drive(&pacer, from: 0, to: 9_000 * ms)
    #expect(all.sent.map(\.number) == Array(0..<60))
    #expect((all.sent.last?.at ?? 0) > 3_000 * ms)
    #expect(all.expired == Array(60..<120))
    // Not for ever.
    var held = Pacer<Int>(rate: 30_000)
    for number in 0..<150 { _ = held.enqueue(number, size: 1000, kind: .video, isFirst: number == 0, now: 0) }
    held.setHeld(true, now: 0)
    let late = drive(&held, from: 0, to: 11_000 * ms)
    #expect(late.sent.count == 101 && late.expired.count == 49)
  }

  /// Where the bounds say so, nothing goes faster than the rate, and nothing is given up for a while.
  @Test func aLongQueueGoesAtTheRateWhereThatIsWanted() {
    var bounds = PacerBounds()
    (bounds.picture, bounds.leaving, bounds.budget) = (20_000 * ms, 20_000 * ms, nil)
    var pacer = Pacer<Int>(rate: 100_000, bounds)
    for number in 0..<150 { _ = pacer.enqueue(number, size: 1000, kind: .video, isFirst: number % 50 == 0, now: 0) }
    let all = drive(&pacer, from: 0, to: 13_000 * ms)
    #expect(all.sent.map(\.number) == Array(0..<150) && all.expired.isEmpty)
    let last = all.sent.last?.at ?? 0
    #expect(last > 11_500 * ms && last < 12_100 * ms, "\(last)")
  }

  @Test func thereIsRoomForSoMuch() {
    var pacer = Pacer<Int>(rate: 1_000_000, longest: 10_000)
    let isTaken = [(9000, PacedKind.video), (1001, .video), (1000, .audio), (.max, .video)].map {
      pacer.enqueue(1, size: $0, kind: $1, now: 0)
    }
    #expect(isTaken == [true, false, true, false])
    #expect(pacer.bytes(of: .video) == 9000)
    var wide = Pacer<Int>(rate: 1_000_000, longest: .max)
    let taken = (0..<5000).filter { wide.enqueue($0, size: 1, kind: .retransmission, now: 0) }.count
    #expect(taken == 4096)
  }

  @Test func aProbeGoesAtItsRateAndIsPaddedWhereThereIsNothing() {
    var pacer = Pacer<Int>(rate: 300_000)
    pacer.probe(ProbeCluster(id: 7, rate: 4e6), now: 0)
    // There are no pictures yet.
    let early = drive(&pacer, from: 0, to: 100 * ms)
    #expect(early.padding.isEmpty)
    for number in 0..<3 { _ = pacer.enqueue(number, size: 1200, kind: .video, now: 100 * ms) }
    let (sent, padding, _, _) = drive(&pacer, from: 100 * ms, to: 130 * ms)
    #expect(sent.allSatisfy { $0.probe == 7 })
    #expect(sent.count == 3)
    // 15 ms of 4 Mbit/s are 7500 bytes.
    let bytes = 3600 + padding.reduce(0, +)
    #expect(bytes >= 7500 && bytes < 8700, "\(bytes)")
    #expect(padding.allSatisfy { $0 <= 1200 })
    _ = pacer.enqueue(9, size: 1200, kind: .video, now: 140 * ms)
    let after = drive(&pacer, from: 140 * ms, to: 2000 * ms).sent
    #expect(after.map(\.probe) == [0])
    #expect((after.first?.at ?? 0) > 141 * ms)
  }

  @Test func aProbeThatCannotBePaddedIsGivenUp() {
    var pacer = Pacer<Int>(rate: 300_000)
    _ = pacer.enqueue(1, size: 1200, kind: .video, now: 0)
    pacer.probe(ProbeCluster(id: 1, rate: 4e6), now: 0)
    while let departure = pacer.next(now: 1 * ms) {
      if case .padding = departure { break }
    }
    while let departure = pacer.next(now: 5 * ms) {
      guard case .padding = departure else { continue }
      pacer.padded(0, now: 5 * ms)
    }
    #expect(pacer.deadline(now: 5 * ms) == nil)
    // One that waits for pictures for too long.
    var idle = Pacer<Int>(rate: 300_000)
    idle.probe(ProbeCluster(id: 1, rate: 4e6), now: 0)
    _ = idle.enqueue(1, size: 1200, kind: .video, now: 6000 * ms)
    let late = drive(&idle, from: 6000 * ms, to: 7000 * ms)
    #expect(late.sent.map(\.probe) == [0])
  }

  @Test func whateverIsAskedItStaysWithinItsRateAndBounds() {
    for seed in 1...10 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      var pacer = Pacer<Int>(rate: 1_000_000)
      var (now, number, left, bytes) = (Int64(0), 0, Set<Int>(), 0)
      while now < 20_000 * ms {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let kind = PacedKind.allCases.randomElement(using: &random) ?? .video
          if pacer.enqueue(number, size: Int.random(in: 0...1500, using: &random), kind: kind, now: now) { left.insert(number) }
          number += 1
        }
        if Int.random(in: 0..<50, using: &random) == 0 { pacer.setRate(Int.random(in: -5...5_000_000, using: &random), now: now) }
        if Int.random(in: 0..<50, using: &random) == 0 {
          pacer.probe(ProbeCluster(id: 1, rate: Double.random(in: 0...2e7, using: &random)), now: now)
        }
        var steps = 0
        while let departure = pacer.next(now: now), steps < 10_000 {
          steps += 1
          switch departure {
          case .packet(let one, _, _), .expired(let one, _): #expect(left.remove(one) != nil)
          case .padding(let size, _):
            pacer.padded(Bool.random(using: &random) ? size : 0, now: now)
            bytes += size
          }
        }
        #expect(steps < 10_000)
        #expect(left.count == pacer.count)
        now += Int64.random(in: 0...20, using: &random) * ms
      }
    }
  }

  @Test func roomIsTheSameBeforeAndWhenItIsTaken() {
    var pacer = Pacer<Int>(rate: 300_000, longest: 10_000)
    #expect(pacer.room(for: .video) == (4096, 10_000) && pacer.room(for: .audio) == (4096, 10_000))
    for number in 0..<9 {
      let isTaken = pacer.enqueue(number, size: 1000, kind: .video, now: 0)
      #expect(isTaken)
    }
    #expect(pacer.room(for: .video) == (4087, 1000) && pacer.room(for: .audio) == (4096, 1000))
    let tooLarge = pacer.enqueue(9, size: 1001, kind: .audio, now: 0)
    let fits = pacer.enqueue(9, size: 1000, kind: .audio, now: 0)
    #expect(!tooLarge && fits && pacer.room(for: .video) == (4087, 0))
    var many = Pacer<Int>(rate: 300_000)
    for number in 0..<4096 {
      let isTaken = many.enqueue(number, size: 1, kind: .video, now: 0)
      #expect(isTaken)
    }
    let isTaken = many.enqueue(4096, size: 1, kind: .video, now: 0)
    #expect(!isTaken && many.room(for: .video).packets == 0 && many.room(for: .audio).packets == 4096)
  }
}
