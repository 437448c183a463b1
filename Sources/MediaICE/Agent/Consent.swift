/// Whether the other end still wants what is sent (RFC 7675): it answers a request every 4 to 6 s; without an answer for 30 s nothing is
/// sent any longer. The times of one route.
///
/// It also says whether the route is suspect. A request that has no answer is followed by another one after a second, so that some that get
/// lost say nothing, an outage is noticed in some seconds, and its end in one.
struct Consent: Sendable {
  static let expiry: Int64 = 30_000_000_000
  static let intervals: ClosedRange<Int64> = 4_000_000_000...6_000_000_000
  /// No answer for so long: the route is suspect, and the session may restart.
  static let suspicion: Int64 = 12_500_000_000
  /// Data came, and do not any longer: it is asked at once. No sender of RTP is silent for so long, as it reports.
  static let hush: Int64 = 2_500_000_000
  /// Between requests as long as the first of them has no answer.
  static let repetition: Int64 = 1_000_000_000
  /// Nothing at all has come for so long since a request: the route is suspect.
  static let silence: Int64 = 5_000_000_000

  /// When the last answer came, or the route was selected.
  private(set) var heard: Int64 = .max
  /// When the next request is due, where things come.
  private var regular: Int64 = .max
  private var began: Int64 = .max
  /// When the last request was sent.
  private var asked: Int64 = .min
  private var isUnanswered = false
  /// When the first one was sent since which nothing has come; .max: none.
  private var silentSince: Int64 = .max
  /// When data came last.
  private var data: Int64 = .min

  mutating func begin(now: Int64, random: RandomSource) {
    self = Consent()
    (heard, began) = (now, now)
    regular = now &+ random.time(in: Consent.intervals)
  }

  mutating func end() { self = Consent() }

  mutating func sent(now: Int64, random: RandomSource) {
    regular = now &+ random.time(in: Consent.intervals)
    (asked, isUnanswered, silentSince) = (now, true, min(silentSince, now))
  }

  mutating func answered(now: Int64) {
    if heard != .max { heard = max(heard, now) }
    (isUnanswered, silentSince) = (false, .max)
  }

  /// Something came by the route that answers nothing: it is not silent. A route that is suspect is so until there is an answer. `isData`: of
  /// the application.
  mutating func arrived(now: Int64, isData: Bool) {
    if !isSuspect(now: now) { silentSince = .max }
    if isData { data = now }
  }

  /// A lite agent sends nothing: the requests of the other end are what it knows.
  mutating func withoutRequests() { regular = .max }

  /// The route has been the same for that long.
  func isSettled(now: Int64, after time: Int64) -> Bool { began != .max && now >= began &+ time }

  func isExpired(now: Int64) -> Bool { heard != .max && now >= heard &+ Consent.expiry }
  func isSuspect(now: Int64) -> Bool { heard != .max && now >= suspectAt }

  private var suspectAt: Int64 {
    min(heard &+ Consent.suspicion, silentSince == .max ? .max : silentSince &+ Consent.silence)
  }

  /// When the next request is to be sent.
  var due: Int64 {
    guard regular != .max else { return .max }
    if isUnanswered { return min(regular, asked &+ Consent.repetition) }
    return data > asked ? min(regular, data &+ Consent.hush) : regular
  }

  func deadline(now: Int64) -> Int64 {
    guard heard != .max else { return .max }
    return min(due, isSuspect(now: now) ? heard &+ Consent.expiry : suspectAt)
  }
}
