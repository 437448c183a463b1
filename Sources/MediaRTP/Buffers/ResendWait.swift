/// How long sound is held back so that packets that were lost can be had again: a round trip and what it takes to miss them, while losses go on, and
/// not at all where that would take too long. One loss now and then is concealed, which is heard less than a delay.
struct ResendWait: Sendable {
  /// Longer than that nobody waits to be answered.
  private static let longest: Int64 = 200_000_000
  /// Two losses within that are no accident.
  private static let near: Int64 = 2_000_000_000
  /// So long it is waited after the last loss.
  private static let lasting: Int64 = 10_000_000_000
  /// Between the sender's clock that resends and this end's that asks.
  static let margin: Int64 = 10_000_000

  private let most: Int64
  var roundTrip: Int64?
  private var lastConcealed: Int64?
  private var until: Int64 = .min

  init(most: Int64) {
    self.most = min(most, ResendWait.longest)
  }

  /// A packet was given up.
  mutating func concealed(now: Int64) {
    if let lastConcealed, now &- lastConcealed <= ResendWait.near { until = now &+ ResendWait.lasting }
    lastConcealed = now
  }

  /// A packet that was lost came after all: without the wait it would have been given up.
  mutating func resent(now: Int64) {
    if now < until { until = now &+ ResendWait.lasting }
  }

  /// The next packet shows that one is missing, and a round trip later it is here.
  func wait(packet: Int64, now: Int64) -> Int64 {
    guard now < until, let roundTrip else { return 0 }
    let wait = packet &+ roundTrip &+ ResendWait.margin
    return wait <= most ? wait : 0
  }

  mutating func reset() {
    (lastConcealed, until) = (nil, .min)
  }
}
