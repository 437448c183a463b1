/// Whether the other end still wants what is sent (RFC 7675): it answers a request every 4 to 6 s; without an answer for 30 s nothing is
/// sent any longer. The times of one route.
struct Consent: Sendable {
  static let expiry: Int64 = 30_000_000_000
  static let intervals: ClosedRange<Int64> = 4_000_000_000...6_000_000_000
  /// Two requests in a row have no answer: the route is suspect, and the session may restart.
  static let suspicion: Int64 = 12_500_000_000

  /// When the last answer came, or the route was selected.
  private(set) var heard: Int64 = .max
  private(set) var due: Int64 = .max
  private var began: Int64 = .max

  mutating func begin(now: Int64, random: RandomSource) {
    (heard, began) = (now, now)
    due = now &+ random.time(in: Consent.intervals)
  }

  mutating func end() { (heard, due, began) = (.max, .max, .max) }

  mutating func sent(now: Int64, random: RandomSource) { due = now &+ random.time(in: Consent.intervals) }

  mutating func answered(now: Int64) {
    if heard != .max { heard = max(heard, now) }
  }

  /// A lite agent sends nothing: the requests of the other end are what it knows.
  mutating func withoutRequests() { due = .max }

  /// The route has been the same for that long.
  func isSettled(now: Int64, after time: Int64) -> Bool { began != .max && now >= began &+ time }

  func isExpired(now: Int64) -> Bool { heard != .max && now >= heard &+ Consent.expiry }
  func isSuspect(now: Int64) -> Bool { heard != .max && now >= heard &+ Consent.suspicion }

  func deadline(now: Int64) -> Int64 {
    guard heard != .max else { return .max }
    return min(due, isSuspect(now: now) ? heard &+ Consent.expiry : heard &+ Consent.suspicion)
  }
}
