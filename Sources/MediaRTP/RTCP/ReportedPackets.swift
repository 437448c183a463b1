/// Packets that a transport-wide feedback speaks of, in their order: those that arrived, and between them those that did not, of these only the ones
/// that are waited for. A feedback of 40 bytes may speak of 65,535 packets: going over it costs no more than its bytes and the packets that were
/// sent and not reported yet.
struct ReportedPackets: Sequence, IteratorProtocol {
  private var arrivals: TransportFeedback.Iterator
  private var following: TransportFeedback.Arrival?
  private let base: SequenceNumber
  private let count: Int
  /// Of the next one, from the base.
  private var place = 0
  /// Places of those waited for: before the numbers' wrap and after it.
  private let awaited: (Range<Int>, Range<Int>)
  /// When the reference time was.
  private let start: Int64

  init(_ feedback: TransportFeedback, from start: Int64, awaiting: SendHistory.Awaited) {
    arrivals = feedback.makeIterator()
    following = arrivals.next()
    (base, count) = (feedback.base, feedback.count)
    let first = Int(awaiting.first &- feedback.base.rawValue)
    awaited = (
      (first..<first + awaiting.count).clamped(to: 0..<feedback.count),
      (first - 65_536..<first - 65_536 + awaiting.count).clamped(to: 0..<feedback.count)
    )
    self.start = start
  }

  mutating func next() -> ReportedPacket? {
    let arrived = following.map { Int($0.sequence.rawValue &- base.rawValue) }
    guard let missing = firstAwaited, missing < arrived ?? count else {
      guard let arrival = following, let arrived else { return nil }
      following = arrivals.next()
      place = arrived + 1
      return ReportedPacket(sequence: arrival.sequence.rawValue, arrival: start &+ arrival.time)
    }
    place = missing + 1
    return ReportedPacket(sequence: base.rawValue &+ UInt16(truncatingIfNeeded: missing), arrival: nil)
  }

  private var firstAwaited: Int? {
    for range in [awaited.1, awaited.0] where !range.isEmpty && place < range.upperBound { return Swift.max(place, range.lowerBound) }
    return nil
  }
}
