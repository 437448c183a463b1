/// One direction's grade: worse after two seconds in which all says so, better after five in which all says so with a margin.
struct DirectionGrade: Sendable {
  typealias Grade = NetworkQuality.Grade

  struct Evidence: Sendable {
    /// 0...1.
    var loss: Double?
    var roundTrip: Int64?
    /// Of what would be sent, how much can be.
    var share: Double?
    /// Whoever reported does so no more.
    var isUnheard = false

    /// nil: nothing is known.
    func grade(margin: Double) -> Grade? {
      if isUnheard { return .bad }
      var grades: [Grade] = []
      if let loss { grades.append(loss * margin > 0.1 ? .bad : loss * margin > 0.03 ? .poor : .good) }
      if let roundTrip {
        let seconds = Double(roundTrip) / 1e9 * margin
        grades.append(seconds > 1 ? .bad : seconds > 0.3 ? .poor : .good)
      }
      if let share { grades.append(share / margin < 0.15 ? .bad : share / margin < 0.6 ? .poor : .good) }
      return grades.min()
    }
  }

  private static let fall: Int64 = 2_000_000_000
  private static let rise: Int64 = 5_000_000_000
  private static let silence: Int64 = 10_000_000_000
  private static let margin = 1.5

  private(set) var grade = Grade.unknown
  /// What would be another one, since when, and the worst of it meanwhile.
  private var wanted: (isUp: Bool, since: Int64, grade: Grade)?
  private var lastKnown: Int64?

  /// Whether it changed. Without evidence it stays what it is, for ten seconds.
  mutating func judge(_ evidence: Evidence?, now: Int64) -> Bool {
    guard let evidence, let strict = evidence.grade(margin: 1), let lenient = evidence.grade(margin: DirectionGrade.margin) else {
      guard grade != .unknown, let lastKnown, now &- lastKnown >= DirectionGrade.silence else { return false }
      return become(.unknown)
    }
    lastKnown = now
    // What is not good with a margin is not yet better.
    if grade == .unknown || strict < grade { return lean(to: strict, isUp: false, now) }
    if lenient > grade { return lean(to: lenient, isUp: true, now) }
    wanted = nil
    return false
  }

  private mutating func lean(to next: Grade, isUp: Bool, _ now: Int64) -> Bool {
    guard var wanted, wanted.isUp == isUp else {
      self.wanted = (isUp, now, next)
      return false
    }
    // Going down, the latest says how far; going up, the least of all.
    wanted.grade = isUp ? min(wanted.grade, next) : next
    self.wanted = wanted
    guard now &- wanted.since >= (isUp ? DirectionGrade.rise : DirectionGrade.fall) else { return false }
    return become(wanted.grade)
  }

  private mutating func become(_ next: Grade) -> Bool {
    (grade, wanted) = (next, nil)
    return true
  }
}
