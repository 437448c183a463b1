/// How good a network is, each direction by itself, from its figures once a second. The rules stand in network.h. Pure: figures and time in,
/// changes out.
public struct NetworkQuality: Sendable {
  /// `MSDK_QUALITY_…` of network.h.
  public enum Grade: UInt32, Sendable, Comparable {
    case unknown = 0x600
    case bad = 0x601
    case poor = 0x602
    case good = 0x603

    /// Worse is less; unknown is less than all.
    public static func < (one: Grade, other: Grade) -> Bool { one.rawValue < other.rawValue }
  }

  /// `MSDK_DIRECTION_…`, as seen from this end.
  public enum Direction: UInt32, Sendable, CaseIterable {
    case outgoing = 1
    case incoming = 2
  }

  /// A direction has another grade than before.
  public struct Change: Sendable, Equatable {
    /// What this end sends, or what comes.
    public let direction: Direction
    /// From now on.
    public let grade: Grade
  }

  /// From one sample to the next, in nanoseconds.
  public static let interval: Int64 = 1_000_000_000
  /// Other ends that report do so sooner.
  static let reportPatience: Int64 = 15_000_000_000
  /// Until the estimate has found out what there is.
  static let estimatePatience: Int64 = 5_000_000_000

  /// Unknown until enough was sent to judge it by.
  public var outgoing: Grade { ways.outgoing.grade }
  /// Unknown until enough was received to judge it by.
  public var incoming: Grade { ways.incoming.grade }
  private var ways = (outgoing: DirectionGrade(), incoming: DirectionGrade())
  private var last: NetworkFigures
  private var sendingSince: Int64?
  /// Without a pause.
  private var steadySince: Int64?
  private var lost = (outgoing: RecentLoss(), incoming: RecentLoss())

  /// What was counted before that is left out.
  public init(since figures: NetworkFigures = NetworkFigures()) {
    last = figures
  }

  /// To be called every `interval`.
  public mutating func sample(_ figures: NetworkFigures, now: Int64) -> [Change] {
    defer { last = figures }
    let sends = figures.packetsSent > last.packetsSent
    let receives = figures.packetsReceived > last.packetsReceived
    if sends, sendingSince == nil { sendingSince = now }
    steadySince = sends ? steadySince ?? now : nil
    // What has ended is not counted any more: then all may be less than before, and says nothing.
    if figures.packetsReported >= last.packetsReported {
      lost.outgoing.add(
        expected: Int64(clamping: figures.packetsReported &- last.packetsReported), lost: figures.reportedLost &- last.reportedLost)
    }
    if receives {
      let gone = figures.packetsLost &- last.packetsLost
      lost.incoming.add(expected: Int64(clamping: figures.packetsReceived &- last.packetsReceived) &+ max(0, gone), lost: gone)
    }

    var changes: [Change] = []
    // Of what is not sent nobody reports.
    let isUnheard = figures.lastReport.map { now &- max($0, steadySince ?? now) > NetworkQuality.reportPatience } ?? false
    let hasEstimate =
      figures.estimate > 0 && figures.wanted > 0 && sendingSince.map { now &- $0 >= NetworkQuality.estimatePatience } ?? false
    let share = hasEstimate ? Double(figures.estimate) / Double(figures.wanted) : nil
    let out = DirectionGrade.Evidence(loss: lost.outgoing.fraction, roundTrip: figures.roundTrip, share: share, isUnheard: isUnheard)
    if ways.outgoing.judge(sends ? out : nil, now: now) { changes.append(Change(direction: .outgoing, grade: outgoing)) }
    let into = DirectionGrade.Evidence(loss: lost.incoming.fraction, roundTrip: figures.roundTrip)
    if ways.incoming.judge(receives ? into : nil, now: now) { changes.append(Change(direction: .incoming, grade: incoming)) }
    return changes
  }
}

/// Of the packets of the last seconds, the latest counting most, how many were lost.
struct RecentLoss: Sendable {
  private var expected = 0.0
  private var lost = 0.0
  /// Of fewer nothing is said.
  private static let fewest = 10.0

  mutating func add(expected: Int64, lost: Int64) {
    guard expected > 0 else { return }
    self.expected = self.expected / 2 + Double(expected)
    // What is repaired late counts for what was lost before.
    self.lost = max(0, self.lost / 2 + Double(min(lost, expected)))
  }

  /// nil: too little came.
  var fraction: Double? { expected < RecentLoss.fewest ? nil : min(max(lost / expected, 0), 1) }
}
