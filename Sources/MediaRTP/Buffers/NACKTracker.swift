/// Packets that did not come, and when they are asked for (RFC 4585, section 6.2.1): at once after a gap, again after each round trip, a few
/// times and not for longer than they would be of use. From the second time on each request is repeated a little later: where one was lost, or what
/// it brought, another may be, too. What came late only is taken off the list.
struct NACKTracker: Sendable {
  struct Settings: Sendable {
    /// More than that, of 1024 at most, are not asked for one by one: a key frame is.
    var most = 250
    var mostRequests: UInt8 = 10
    var longest: Int64 = 1_000_000_000
    /// Whatever happens meanwhile: no sender keeps it.
    var longestOfAll: Int64 = 3_000_000_000
    /// A packet is taken for late rather than lost for so long.
    var patience: Int64 = 0

    init() {}
  }

  private struct Missing {
    let number: Int64
    let found: Int64
    /// When it was asked for, in earnest, first.
    var since: Int64
    var requests: UInt8 = 0
    /// The next request repeats the last one.
    var isRepeated = false
    var next: Int64
  }

  /// From there on requests are repeated.
  static let longRoundTrip: Int64 = 40_000_000

  let settings: Settings
  private var missing: [Missing] = []
  private var highest: Int64?
  /// Between the first requests of a packet, while nothing was measured.
  var roundTrip: Int64 = 100_000_000
  /// Given up, or too many at once: what depends on them will not be complete.
  private(set) var isBeyondHelp = false

  init(_ settings: Settings = Settings()) {
    var settings = settings
    settings.most = min(max(0, settings.most), 1024)
    self.settings = settings
    missing.reserveCapacity(settings.most)
  }

  var count: Int { missing.count }
  func isMissing(_ number: Int64) -> Bool { missing.contains { $0.number == number } }
  var oldest: Int64? { missing.first?.number }

  enum Arrival: Sendable {
    case new
    /// It had been missing.
    case late
    /// It had been asked for, and so long ago that it is the resend and not the late original.
    case resent
  }

  /// Hears of a packet.
  mutating func received(_ number: Int64, now: Int64) -> Arrival {
    guard let highest else {
      self.highest = number
      return .new
    }
    if number <= highest {
      guard let place = missing.firstIndex(where: { $0.number == number }) else { return .new }
      let lost = missing.remove(at: place)
      return lost.requests > 0 && now &- lost.found >= roundTrip / 4 * 3 ? .resent : .late
    }
    self.highest = number
    // Numbers are unwrapped from those of packets, of which each is at most half a round ahead.
    let gap = number &- highest &- 1
    guard gap > 0 else { return .new }
    guard gap <= Int64(settings.most - missing.count) else {
      missing.removeAll(keepingCapacity: true)
      isBeyondHelp = true
      return .new
    }
    for lost in (highest + 1)..<number { missing.append(Missing(number: lost, found: now, since: now, next: now &+ settings.patience)) }
    return .new
  }

  /// What to ask for now. `givesUp`: what was asked for often or for long enough is taken off the list. What `isOfUse` denies is not asked for.
  mutating func requests(now: Int64, givesUp: Bool = true, isOfUse: (Int64) -> Bool = { _ in true }, _ body: (Int64) -> Void) {
    missing.removeAll { lost in
      let isEnough = lost.requests >= settings.mostRequests || now &- lost.since > settings.longest
      guard givesUp && isEnough || now &- lost.found > settings.longestOfAll else { return false }
      isBeyondHelp = true
      return true
    }
    let interval = max(roundTrip, 5_000_000)
    // Over a short path the next request is not later than a repeated one would be.
    let pause = interval >= NACKTracker.longRoundTrip ? interval / 8 : 0
    for place in missing.indices where missing[place].next <= now {
      missing[place].next = now &+ interval
      guard isOfUse(missing[place].number) else { continue }
      if missing[place].isRepeated {
        (missing[place].isRepeated, missing[place].next) = (false, now &+ interval &- pause)
      } else {
        guard missing[place].requests < settings.mostRequests else { continue }
        missing[place].requests += 1
        missing[place].isRepeated = pause > 0 && missing[place].requests > 1
        if missing[place].isRepeated { missing[place].next = now &+ pause }
      }
      body(missing[place].number)
    }
  }

  /// What was asked for was asked for in vain, and is asked for anew.
  mutating func beginAgain(now: Int64) {
    for place in missing.indices {
      (missing[place].since, missing[place].requests, missing[place].isRepeated, missing[place].next) = (now, 0, false, now)
    }
  }

  var nextDeadline: Int64? { missing.lazy.map(\.next).min() }

  /// Nothing below it is of use any more.
  mutating func forget(below number: Int64) {
    missing.removeAll { $0.number < number }
  }

  /// True once after it became so: then a key frame is asked for.
  mutating func takeBeyondHelp() -> Bool {
    defer { isBeyondHelp = false }
    return isBeyondHelp
  }

  mutating func reset() {
    missing.removeAll(keepingCapacity: true)
    highest = nil
    isBeyondHelp = false
  }
}
