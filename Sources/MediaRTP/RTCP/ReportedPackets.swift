/// All packets that a transport-wide feedback speaks of, in their order: those that arrived, and between them those that did not. Made as it is
/// gone over, since a feedback of a few bytes may speak of 65535.
struct ReportedPackets: Sequence, IteratorProtocol {
  private var arrivals: TransportFeedback.Iterator
  private var following: TransportFeedback.Arrival?
  private var sequence: SequenceNumber
  private var left: Int
  /// When the reference time was.
  private let start: Int64

  init(_ feedback: TransportFeedback, from start: Int64) {
    arrivals = feedback.makeIterator()
    following = arrivals.next()
    (sequence, left) = (feedback.base, feedback.count)
    self.start = start
  }

  mutating func next() -> ReportedPacket? {
    guard left > 0 else { return nil }
    left -= 1
    defer { sequence = sequence.next }
    guard let arrival = following, arrival.sequence == sequence else { return ReportedPacket(sequence: sequence.rawValue, arrival: nil) }
    following = arrivals.next()
    return ReportedPacket(sequence: sequence.rawValue, arrival: start &+ arrival.time)
  }

  var underestimatedCount: Int { left }
}
