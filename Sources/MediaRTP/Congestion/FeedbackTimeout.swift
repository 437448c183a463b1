/// Whether word of what was sent comes when it usually does. On a link that has fallen both ways queues are full before anything can be told of
/// them, and word comes back as late as they are long; that it does not come is what is known first. How late is usual is learned, so that a way
/// that jitters, or has become a longer one, is not taken for one that has fallen.
///
/// Late by a little, pictures are held back; late by more, a share of the rate is left that is halved again and again, until word comes.
struct FeedbackTimeout {
  /// Beyond what is usual, by thrice of what it differs by within these: pictures wait.
  static let margins: ClosedRange<Int64> = 30_000_000...150_000_000
  /// Beyond that: the first halving; and then each time again.
  static let patience: Int64 = 170_000_000
  static let step: Int64 = 100_000_000
  /// Nothing was sent for so long: what was sent before says nothing, as the last word of it may have been lost.
  static let pause: Int64 = 250_000_000
  /// Beyond the shortest round trip: nothing stands in the way.
  static let free: Int64 = 100_000_000
  static let least = 1.0 / 64
  static let recovery = 1.1

  /// How old the oldest packet is when a feedback tells of it.
  private(set) var usual: Int64?
  private var deviation: Int64 = 0
  private var age: Int64 = 0
  /// Of the rate, what is left.
  private(set) var share = 1.0
  private(set) var isHolding = false
  private var begin = Int64.min
  private var lastSent: Int64?
  private var lastCut: Int64?

  mutating func reset() {
    (share, isHolding, begin, lastCut) = (1, false, lastSent ?? .min, nil)
  }

  mutating func sent(now: Int64) {
    if lastSent.map({ now - $0 > FeedbackTimeout.pause }) ?? true { begin = now }
    lastSent = now
  }

  /// For how long no word has come of what is sent without a pause.
  private func waiting(_ oldest: Int64?) -> Int64 {
    guard let oldest, let lastSent else { return 0 }
    return max(0, lastSent - max(oldest, begin))
  }

  /// A feedback tells of packets, of which the last was sent then. Of `former`, sent then, nothing had been told before and of `oldest` nothing is
  /// yet: what an earlier feedback told that was lost has waited for this one.
  mutating func told(last: Int64, former: Int64?, oldest: Int64?, shortest: Int64?, now: Int64) {
    age = now - max(former ?? last, min(begin, last))
    if let usual { deviation += (abs(age - usual) - deviation) / 8 }
    usual = usual.map { $0 + (age - $0) / (age > $0 ? 4 : 8) } ?? age
    look(oldest, now: now)
    guard !isHolding, share < 1 else { return }
    let isFree = shortest.map { now - last <= $0 + FeedbackTimeout.free } ?? false
    share = isFree ? 1 : min(1, share * FeedbackTimeout.recovery)
  }

  /// The rate is known anew, from what came: no more has to be waited for than that.
  mutating func measured() {
    (share, isHolding, lastCut) = (1, false, nil)
    usual = max(usual ?? 0, age)
  }

  mutating func look(_ oldest: Int64?, now: Int64) {
    guard let usual else { return }
    let late = waiting(oldest) - usual - min(max(3 * deviation, FeedbackTimeout.margins.lowerBound), FeedbackTimeout.margins.upperBound)
    isHolding = late > 0
    guard late > FeedbackTimeout.patience else {
      lastCut = nil
      return
    }
    if let lastCut, now - lastCut < FeedbackTimeout.step { return }
    lastCut = now
    share = max(share / 2, FeedbackTimeout.least)
  }
}
