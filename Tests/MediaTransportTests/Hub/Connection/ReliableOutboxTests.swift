import MediaCore
import Testing

@testable import MediaTransport

@Suite struct ReliableOutboxTests {
  private static let second: Int64 = 1_000_000_000

  /// `#expect` takes no call that changes something.
  private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) { #expect(condition, sourceLocation: place) }

  private func said(_ log: inout ReliableOutbox, now: Int64 = 0) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    while let frame = log.next(now: now) { frames.append(frame) }
    return frames
  }

  @Test func whatWasReceivedIsForgottenAndTheRestIsSaidAgain() {
    var log = ReliableOutbox()
    for number in 0..<10 { holds(log.keep([UInt8(number)])) }
    #expect(said(&log) == (0..<10).map { [UInt8($0)] })
    holds(log.confirm(4, now: 0))
    // Neither fewer than before nor more than were said.
    for wrong in [3, 11, .max] as [UInt64] { holds(!log.confirm(wrong, now: 0)) }
    holds(log.confirm(4, now: 0))
    holds(log.keep([10]))
    log.beginAgain(now: 0)
    #expect(said(&log) == (4...10).map { [UInt8($0)] })
    holds(log.confirm(11, now: 0))
    #expect(log.count == 0 && log.bytes == 0)
  }

  @Test func whatWasNotSaidCannotHaveBeenReceived() {
    var log = ReliableOutbox()
    holds(log.keep([1]))
    holds(!log.confirm(1, now: 0))
  }

  @Test func theMemoryOfWhatIsKeptIsBounded() {
    for size in [1, 100, 65_536] {
      var log = ReliableOutbox()
      let frame = [UInt8](repeating: 0, count: size)
      var kept = 0
      while log.keep(frame) { kept += 1 }
      #expect(kept == ReliableOutbox.most / (size + ReliableOutbox.messageCost))
      #expect(log.bytes <= ReliableOutbox.most && log.count == kept)
      _ = said(&log)
      holds(log.confirm(1, now: 0))
      holds(log.keep(frame) && !log.keep(frame))
    }
  }

  /// A message of a few bytes was kept in memory for 65,537.
  @Test func aMessageTakesTheMemoryOfItsBytes() throws {
    for notice in try HubMessageTests.notices() {
      let frame = HubConnection.frame { notice.write(to: &$0) }
      #expect(
        frame.count > 2 && frame.capacity <= frame.count + ReliableOutbox.messageCost / 2, "\(notice): \(frame.capacity) for \(frame.count)"
      )
    }
  }

  @Test func soMuchMayBeSaidAndNotReceived() {
    for size in [1, 1000] {
      var log = ReliableOutbox()
      let window = min(ReliableOutbox.window, (ReliableOutbox.windowBytes + size - 1) / size)
      for number in 0..<1000 { holds(log.keep([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))) }
      #expect(said(&log).count == window)
      holds(log.confirm(10, now: 0))
      #expect(said(&log).count == 10)
    }
  }

  /// Others do what they like as often as they like, and who confirms late finds out how it is.
  @Test func whatOthersDoAgainAndAgainTakesNoMemory() {
    var log = ReliableOutbox()
    func toggle(_ count: Int) {
      for number in 0..<count {
        for stream in 0..<9 as Range<UInt32> {
          let notice = HubNotice.streamMuted(stream, number % 2 == 0)
          holds(log.keep(HubConnection.frame { notice.write(to: &$0) }, notice.meaning))
          _ = log.next(now: 0)
        }
      }
    }
    toggle(100)
    let bytes = log.bytes
    #expect(log.count <= ReliableOutbox.window + ReliableOutbox.mostWaiting)
    toggle(10_001)
    #expect(log.count <= ReliableOutbox.window + ReliableOutbox.mostWaiting && log.bytes <= bytes)
    holds(log.confirm(UInt64(ReliableOutbox.window), now: 0))
    let rest = said(&log).compactMap { frame in try? frame.dropFirst(2).withUnsafeBytes { try HubNotice(parsing: $0) } }
    let states = rest.compactMap { notice -> UInt32? in if case .streamMuted(let number, true) = notice { number } else { nil } }
    #expect(rest.count <= ReliableOutbox.mostWaiting && Array(states.suffix(9)) == Array(0..<9))
  }

  @Test func whatCameAndWentIsNotToldOf() {
    var log = ReliableOutbox()
    for number in 0..<ReliableOutbox.window + ReliableOutbox.mostWaiting { holds(log.keep([UInt8(truncatingIfNeeded: number)])) }
    _ = said(&log)
    let bytes = log.bytes
    for number in 0..<50_000 as Range<UInt32> {
      holds(log.keep([1], .begins(.stream(number))) && log.keep([2], .state(.muted(number))))
      holds(log.keep([3], .ends(.stream(number), with: [.muted(number)])))
    }
    #expect(log.count == ReliableOutbox.window + ReliableOutbox.mostWaiting && log.bytes == bytes)
  }

  @Test func whereLittleWaitsAllOfItIsSaid() {
    var log = ReliableOutbox()
    for number in 0..<80 as Range<UInt8> {
      holds(log.keep([1, number], .begins(.stream(7))) && log.keep([2, number], .state(.muted(7))))
      holds(log.keep([3, number], .ends(.stream(7), with: [.muted(7)])))
    }
    #expect(said(&log) == (0..<80).flatMap { [[1, $0], [2, $0], [3, $0]] })
  }

  @Test func whoReceivesNothingIsNotWaitedForForever() {
    var log = ReliableOutbox()
    for _ in 0..<ReliableOutbox.window { holds(log.keep([1])) }
    _ = said(&log, now: Self.second)
    // Nothing waits behind them.
    #expect(log.deadline == .max)
    holds(log.keep([1]))
    #expect(log.deadline == Self.second + ReliableOutbox.timeout)
    holds(log.confirm(1, now: 9 * Self.second) && log.keep([1]))
    _ = said(&log, now: 9 * Self.second)
    #expect(log.deadline == 9 * Self.second + ReliableOutbox.timeout)
    log.beginAgain(now: 20 * Self.second)
    _ = said(&log, now: 20 * Self.second)
    #expect(log.deadline == 20 * Self.second + ReliableOutbox.timeout)
  }

  @Test func everySoManyAreToldOf() {
    var log = ReliableOutbox()
    for _ in 0..<63 { holds(!log.receive()) }
    holds(log.receive())
    holds(log.tell() == 64)
    holds(!log.receive())
  }

  /// Whatever is said, confirmed and lost: who hears it knows in the end what is, and is never told of what they were not told to be.
  @Test func theOtherEndKnowsInTheEndWhatIs() {
    for seed in 0..<15 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      // Every third is told as fast as things happen.
      let (pace, isSlow) = (seed % 3 == 0 ? 40 : 6, seed % 3 != 0)
      var (log, now, largest) = (ReliableOutbox(), Int64(0), 0)
      var (state, known): ([UInt32: UInt8], [UInt32: UInt8]) = ([:], [:])
      /// On their way, of all that came so far the number, and of it what was confirmed.
      var (way, heard): ([[UInt8]], UInt64) = ([], 0)
      func hear(_ most: Int) {
        for frame in way.prefix(most) {
          let number = UInt32(frame[1])
          #expect((known[number] != nil) == (frame[0] != 1))
          known[number] = frame[0] == 3 ? nil : frame[2]
          heard += 1
        }
        way.removeFirst(min(most, way.count))
      }
      for _ in 0..<20_000 {
        now += 1
        let number = UInt32.random(in: 0..<40, using: &random)
        let value = UInt8.random(in: 0...255, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30 where state[number] == nil:
          state[number] = value
          holds(log.keep([1, UInt8(number), value], .begins(.stream(number))))
        case 0..<80 where state[number] != nil:
          state[number] = value
          holds(log.keep([2, UInt8(number), value], .state(.muted(number))))
        case 80..<90 where state[number] != nil:
          state[number] = nil
          holds(log.keep([3, UInt8(number), 0], .ends(.stream(number), with: [.muted(number)])))
        case 90..<94:
          for _ in 0..<Int.random(in: 0..<pace, using: &random) { if let frame = log.next(now: now) { way.append(frame) } }
        case 94..<96: hear(Int.random(in: 0..<60, using: &random))
        case 96: holds(log.confirm(heard, now: now))
        case 97 where Int.random(in: 0..<20, using: &random) == 0:
          // The connection breaks: what was on its way is lost, and what was heard is known with the next.
          way = []
          holds(log.confirm(heard, now: now))
          log.beginAgain(now: now)
        default: break
        }
        largest = max(largest, log.count)
        #expect(log.count <= ReliableOutbox.window + ReliableOutbox.mostWaiting + 3 * 40)
      }
      #expect(largest > ReliableOutbox.mostWaiting || !isSlow)
      repeat {
        way += said(&log, now: now)
        hear(.max)
        holds(log.confirm(heard, now: now))
      } while log.count > 0
      #expect(known == state && log.bytes == 0)
    }
  }
}
