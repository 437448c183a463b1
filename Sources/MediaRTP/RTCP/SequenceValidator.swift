/// Which packets belong to a stream, by their numbers (RFC 3550, appendix A.1): those of an unknown source only once some have come in order, those
/// that are far away from the others only once a second one follows. Tells duplicates by a window of the latest.
struct SequenceValidator: Sendable {
  enum Outcome: Sendable, Equatable {
    /// One of the first few of an unknown source: valid once enough have come in order.
    case probation
    case accepted
    /// After later ones, in time to be of use.
    case reordered
    case duplicate
    /// Far from the others: dropped, unless the next one follows it.
    case jumped
    /// The second that is far from the others: the sender began again.
    case restarted
  }

  private let minimumSequential: Int
  private let dropout: Int
  private let misorder: Int
  private var probation: Int
  private var isValid = false
  private var next: SequenceNumber?
  /// With the wraps counted: the first, the highest, and what of the latest 1024 has come.
  private var bottom: Int64 = 0
  private var top: Int64 = 0
  private var seen: [UInt64] = Array(repeating: 0, count: 16)
  /// Where a jump would go on.
  private var jump: SequenceNumber?

  private static let window: Int64 = 1024

  /// More than the dropout ahead is a jump, and so is more than the misorder behind: the standard's hundred is too little for retransmissions in the
  /// same stream, two of which would look like a restart.
  init(minimumSequential: Int = 2, dropout: Int = 3000, misorder: Int = 1000) {
    self.minimumSequential = max(1, minimumSequential)
    self.dropout = min(max(1, dropout), 0x7FFF)
    self.misorder = min(max(0, misorder), Int(SequenceValidator.window) - 1)
    probation = self.minimumSequential
  }

  /// With the wraps counted. Nothing before the source is valid.
  var highest: Int64? { isValid ? top : nil }
  /// Since the source is valid, or began again.
  var expected: Int64 { isValid ? top &- bottom &+ 1 : 0 }

  mutating func judge(_ sequence: SequenceNumber) -> Outcome {
    guard isValid else {
      if let next, next != sequence { probation = minimumSequential }
      next = sequence.next
      probation -= 1
      guard probation == 0 else { return .probation }
      begin(at: sequence)
      return .accepted
    }
    let distance = sequence.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: top)))
    if distance > 0, distance < dropout {
      advance(by: Int64(distance))
      jump = nil
      return .accepted
    }
    if distance <= 0, distance >= -misorder {
      return mark(top &+ Int64(distance)) ? .reordered : .duplicate
    }
    guard jump == sequence else {
      jump = sequence.next
      return .jumped
    }
    begin(at: sequence)
    return .restarted
  }

  private mutating func begin(at sequence: SequenceNumber) {
    isValid = true
    jump = nil
    (bottom, top) = (Int64(sequence.rawValue), Int64(sequence.rawValue))
    for index in seen.indices { seen[index] = 0 }
    _ = mark(top)
  }

  private mutating func advance(by distance: Int64) {
    if distance >= SequenceValidator.window {
      for index in seen.indices { seen[index] = 0 }
    } else {
      for number in top &+ 1..<top &+ distance { clear(number) }
    }
    top &+= distance
    clear(top)
    _ = mark(top)
  }

  /// Whether it is the first of that number.
  private mutating func mark(_ number: Int64) -> Bool {
    let (word, bit) = (Int(number & 1023) >> 6, UInt64(1) << UInt64(number & 63))
    defer { seen[word] |= bit }
    return seen[word] & bit == 0
  }

  private mutating func clear(_ number: Int64) {
    seen[Int(number & 1023) >> 6] &= ~(1 << UInt64(number & 63))
  }
}
