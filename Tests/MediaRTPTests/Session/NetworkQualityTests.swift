import MediaCore
import Testing

@testable import MediaRTP

/// A network second by second, and the grades that it gets.
private struct Watched {
  var quality = NetworkQuality()
  var figures = NetworkFigures()
  var now: Int64 = 1_000_000_000_000
  private(set) var changes: [(second: Int, change: NetworkQuality.Change)] = []
  private var second = 0

  init() {
    (figures.roundTrip, figures.estimate, figures.wanted) = (50_000_000, 2_000_000, 1_000_000)
  }

  /// So many seconds of 100 packets each way, of which so many are lost.
  mutating func pass(
    _ seconds: Int, outgoing: Int64 = 0, incoming: Int64 = 0, sends: Bool = true, receives: Bool = true, reports: Bool = true
  ) {
    for _ in 0..<seconds {
      now += NetworkQuality.interval
      second += 1
      if sends {
        figures.packetsSent += 100
        if reports {
          figures.packetsReported += 100
          figures.reportedLost += outgoing
          figures.lastReport = now
        }
      }
      if receives {
        figures.packetsReceived += UInt64(100 - incoming)
        figures.packetsLost += incoming
      }
      for change in quality.sample(figures, now: now) { changes.append((second, change)) }
    }
  }

  func grades(_ direction: NetworkQuality.Direction) -> [NetworkQuality.Grade] {
    changes.filter { $0.change.direction == direction }.map(\.change.grade)
  }
}

@Suite struct NetworkQualityTests {
  @Test func aGoodOneIsToldOnce() {
    var watched = Watched()
    watched.pass(60)
    #expect(watched.grades(.outgoing) == [.good] && watched.grades(.incoming) == [.good])
    #expect(watched.changes.allSatisfy { $0.second == 3 }, "\(watched.changes)")
    #expect(watched.quality.outgoing == .good && watched.quality.incoming == .good)
  }

  @Test func directionsAreJudgedApart() {
    var watched = Watched()
    watched.pass(10)
    watched.pass(10, outgoing: 6)
    #expect(watched.grades(.outgoing) == [.good, .poor] && watched.grades(.incoming) == [.good])
    watched.pass(10, outgoing: 6, incoming: 30)
    #expect(watched.grades(.outgoing) == [.good, .poor] && watched.grades(.incoming).last == .bad)
  }

  @Test func itFallsWithinThreeSecondsAndRisesAfterFive() throws {
    var watched = Watched()
    watched.pass(10)
    watched.pass(10, incoming: 40)
    let fall = try #require(watched.changes.first { $0.change == .init(direction: .incoming, grade: .bad) })
    #expect((12...13).contains(fall.second), "\(watched.changes)")
    watched.pass(30)
    let rise = try #require(watched.changes.last)
    // What was lost is forgotten by halves.
    #expect(rise.change == .init(direction: .incoming, grade: .good) && (25...34).contains(rise.second), "\(watched.changes)")
  }

  @Test func whatLiesOnTheBorderDoesNotFlap() {
    var watched = Watched()
    watched.pass(10)
    for second in 0..<120 { watched.pass(1, incoming: second % 2 == 0 ? 2 : 4) }
    for second in 0..<120 { watched.pass(1, incoming: second % 7 < 3 ? 2 : 4) }
    #expect(watched.grades(.incoming).count <= 2, "\(watched.changes)")
    // One second alone is no news.
    watched.pass(20)
    let count = watched.changes.count
    watched.figures.roundTrip = 2_000_000_000
    watched.pass(1)
    watched.figures.roundTrip = 50_000_000
    watched.pass(20)
    #expect(watched.changes.count == count)
  }

  @Test func betterIsBetterByAMargin() {
    var watched = Watched()
    watched.pass(10)
    watched.pass(10, outgoing: 6)
    // Less than 3 %, but not by a third.
    for second in 0..<30 { watched.pass(1, outgoing: second % 2 == 0 ? 2 : 3) }
    #expect(watched.grades(.outgoing) == [.good, .poor], "\(watched.changes)")
    watched.pass(20, outgoing: 1)
    #expect(watched.grades(.outgoing) == [.good, .poor, .good])
  }

  @Test(arguments: [(200, NetworkQuality.Grade.good), (400, .poor), (1500, .bad)] as [(Int64, NetworkQuality.Grade)])
  func roundTripsCountInBothDirections(_ milliseconds: Int64, _ grade: NetworkQuality.Grade) {
    var watched = Watched()
    watched.figures.roundTrip = milliseconds * 1_000_000
    watched.pass(10)
    #expect(watched.quality.outgoing == grade && watched.quality.incoming == grade)
  }

  @Test(
    arguments: [(700_000, NetworkQuality.Grade.good), (400_000, .poor), (100_000, .bad), (0, .good)] as [(UInt64, NetworkQuality.Grade)])
  func theEstimateIsHeldAgainstWhatIsWanted(_ estimate: UInt64, _ grade: NetworkQuality.Grade) {
    var watched = Watched()
    watched.figures.estimate = estimate
    watched.pass(4)
    // It has not found out yet.
    #expect(watched.quality.outgoing == .good)
    watched.pass(16)
    #expect(watched.quality.outgoing == grade && watched.quality.incoming == .good, "\(watched.changes)")
  }

  @Test func whoeverReportedAndDoesNoMoreIsLost() {
    var watched = Watched()
    watched.pass(10)
    watched.pass(14, reports: false)
    #expect(watched.quality.outgoing == .good)
    watched.pass(6, reports: false)
    #expect(watched.quality.outgoing == .bad && watched.grades(.incoming) == [.good])
    // Nobody reports of what is not sent.
    var quiet = Watched()
    quiet.pass(10)
    quiet.pass(8, sends: false)
    quiet.pass(14, reports: false)
    #expect(quiet.quality.outgoing == .good, "\(quiet.changes)")
  }

  @Test func withoutMediaNothingIsKnown() {
    var watched = Watched()
    watched.pass(30, sends: false, receives: false)
    #expect(watched.changes.isEmpty && watched.quality.outgoing == .unknown)
    watched.pass(5)
    watched.pass(8, receives: false)
    #expect(watched.quality.incoming == .good)
    watched.pass(5, receives: false)
    #expect(watched.grades(.incoming) == [.good, .unknown] && watched.quality.outgoing == .good)
    // No reports, no round trip, no estimate: nothing to judge by.
    var simple = Watched()
    (simple.figures.roundTrip, simple.figures.estimate) = (nil, 0)
    simple.pass(60, reports: false)
    #expect(simple.grades(.outgoing).isEmpty && simple.grades(.incoming) == [.good])
  }

  @Test func fewPacketsSayNothingOfLoss() {
    var loss = RecentLoss()
    loss.add(expected: 4, lost: 2)
    #expect(loss.fraction == nil)
    loss.add(expected: 50, lost: 0)
    #expect(loss.fraction.map { $0 > 0 && $0 < 0.03 } == true)
    // Duplicates, and what came late.
    loss.add(expected: 50, lost: -20)
    #expect(loss.fraction == 0)
    loss.add(expected: 50, lost: 10)
    #expect(loss.fraction.map { $0 > 0.1 } == true)
  }

  /// A stream ends, with all that it counted.
  @Test func whatEndsTakesNothingWithIt() {
    var watched = Watched()
    watched.pass(10)
    (watched.figures.packetsReceived, watched.figures.packetsLost) = (10, 0)
    watched.pass(10)
    #expect(watched.grades(.incoming) == [.good])
    watched.pass(10, incoming: 30)
    #expect(watched.grades(.incoming) == [.good, .bad])
  }

  @Test func figuresThatGoBackwardTrapNothing() {
    var watched = Watched()
    watched.pass(5)
    watched.figures = NetworkFigures()
    (watched.figures.packetsLost, watched.figures.reportedLost, watched.figures.roundTrip) = (.min, .max, .max)
    watched.pass(5)
    (watched.figures.packetsReceived, watched.figures.packetsReported, watched.figures.estimate, watched.figures.wanted) = (
      .max, .max, .max, 1
    )
    watched.pass(5, sends: false, receives: false)
    #expect(watched.quality.outgoing <= .good)
  }
}
