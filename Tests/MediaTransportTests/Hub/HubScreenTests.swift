import Testing

@testable import MediaTransport

/// A dense page of a screen, a key frame of 290 kB, for members whose links take seconds for it.
@Suite struct HubScreenTests {
  struct Case: Sendable, CustomStringConvertible {
    var links: [HubStar.Link]
    /// Within how many milliseconds the page is there on the first link.
    var soon: Int64
    /// And sharp on all of them.
    var sharp: Int64

    var description: String { "\(links.map { "\($0.rate / 1000) kbit/s, loss \($0.loss)" })" }
  }

  /// The key frame alone takes 4.8 and 15.9 s, headers included.
  static let cases: [Case] = [
    Case(links: [.init(rate: 500_000), .init()], soon: 7_000, sharp: 12_000),
    Case(links: [.init(rate: 150_000)], soon: 20_000, sharp: 36_000)
  ]

  @Test(arguments: cases) func aDensePageComesAsSoonAsTheLinkCarriesIt(_ wanted: Case) throws {
    let missed = try HubScreenTests.missed(wanted, seed: 1)
    #expect(missed.isEmpty, "\(missed)")
  }

  /// Two slow ones do not take each other's turn. Where packets are lost a second key frame is made now and then, in one call of ten: then nothing
  /// of all that is as it should be.
  @Test func twoThatAreSlowDoNotDelayEachOther() async throws {
    let wanted = Case(links: [.init(rate: 500_000, loss: 0.02), .init(rate: 400_000), .init()], soon: 7_500, sharp: 15_000)
    let missed = try await withThrowingTaskGroup(of: [String].self) { group in
      for seed in 1...8 as ClosedRange<UInt64> { group.addTask { try HubScreenTests.missed(wanted, seed: seed) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(missed.count == 8 && missed.count { !$0.isEmpty } <= 2, "\(missed.filter { !$0.isEmpty })")
  }

  /// What is not as it should be of a call, each as a sentence.
  private static func missed(_ wanted: Case, seed: UInt64) throws -> [String] {
    let star = try HubStar(watchers: wanted.links, seed: seed)
    try star.meet()
    star.turnPage()
    let begin = star.now
    try star.run(wanted.sharp)
    var missed: [String] = []
    func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) {
      if !condition { missed.append("seed \(seed): \(otherwise())") }
    }
    // One for the page, and what makes it sharp.
    expect(star.keyFramesMade == 1 && star.made.count == 13, "\(star.keyFramesMade) key frames, \(star.made.count) frames")
    for (place, watcher) in star.watchers.enumerated() {
      let name = "watcher \(place) of \(wanted)"
      let forwarded = watcher.forwarded.map { $0.at - begin }
      expect(forwarded.count == 1 && watcher.mostInFlight == 1, "\(name) was sent key frames at \(forwarded)")
      expect(watcher.shown.map(\.index) == Array(0..<13), "\(name) was shown \(watcher.shown.map { ($0.index, $0.at - begin) })")
      let first = watcher.shown.first.map { $0.at - begin } ?? .max
      if place == 0 { expect(first <= wanted.soon, "\(name) was shown the page after \(first) ms") }
      guard watcher.down.rate > 1_000_000 else { continue }
      // The estimate begins at 300 kbit/s. Nobody's slow link is to be noticed.
      expect(first <= 1_500, "\(name) was shown the page after \(first) ms")
      for frame in watcher.shown.suffix(8) { expect(frame.at - star.made[frame.index].at <= 150, "\(name): \(frame)") }
    }
    return missed
  }

  /// Another page while the first one is on its way: that comes whole, and then the other one.
  @Test func aPageThatFollowsSoonWaitsUntilTheFirstHasCome() throws {
    let star = try HubStar(watchers: [.init(rate: 500_000), .init()], seed: 1)
    star.refinement.count = 2
    try star.meet()
    star.turnPage()
    let begin = star.now
    try star.run(2_000)
    star.turnPage()
    try star.run(14_000)
    let (slow, fast) = (star.watchers[0], star.watchers[1])
    #expect(slow.mostInFlight == 1 && slow.forwarded.count == 2, "\(slow.forwarded.map { ($0.index, $0.at - begin) })")
    // The third was requested for the slow one.
    #expect(star.keyFramesMade == 3 && star.made.count == 9)
    #expect(slow.shown.map(\.index) == [0, 1, 2, 6, 7, 8], "\(slow.shown.map { ($0.index, $0.at - begin) })")
    #expect(fast.shown.map(\.index) == Array(0..<9), "\(fast.shown.map { ($0.index, $0.at - begin) })")
    for frame in fast.shown.suffix(6) { #expect(frame.at - star.made[frame.index].at <= 900, "\(frame)") }
  }
}
