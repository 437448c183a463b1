/// What a feedback says of one packet (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1; RFC 8888, section 3.1).
public struct ReportedPacket: Sendable, Equatable {
  var sequence: UInt16
  /// In nanoseconds of the receiver's clock, whose beginning, pace and jumps are its own; nil: it has not come.
  var arrival: Int64?

  init(sequence: UInt16, arrival: Int64?) {
    (self.sequence, self.arrival) = (sequence, arrival)
  }
}

/// What became of a packet that was sent.
struct PacketResult: Sendable, Equatable {
  var sequence: Int64
  var sent: Int64
  /// Nil: lost.
  var arrival: Int64?
  var size: Int
  /// The probe that it was a part of; 0: none.
  var probe: Int32
  /// It was told lost before, and came after all.
  var wasLost: Bool
}

/// The packets that were sent on one transport, by their transport-wide numbers, until a feedback tells what became of them. Holds at most 8192
/// of them and none for longer than ten seconds; the oldest go first and nothing is said of them any more.
public struct SendHistory: Sendable {
  static let capacity = 8192
  static let age: Int64 = 10_000_000_000

  private enum Fate: UInt8 { case none, open, openAgain, lost, received }

  private struct Entry {
    var sequence: Int64 = -1
    var sent: Int64 = 0
    var size: Int32 = 0
    var probe: Int32 = 0
    var fate = Fate.none
  }

  /// By the low bits of the number; a power of two.
  private var entries: [Entry]
  private var first: Int64 = 0
  /// Not held any more: `first` up to, but without, this one.
  private var end: Int64 = 0
  /// Those below it have been spoken of, or lie in a gap between two feedbacks.
  private var reported: Int64 = 0

  /// Of the last feedback; those that it told nothing new of are not among them. In the order of the feedback.
  private(set) var results: [PacketResult] = []
  /// Bytes that the last feedback stepped over: an earlier feedback that was lost on its way told of them.
  private(set) var steppedOver = 0
  /// Bytes sent after the newest packet that was reported.
  private(set) var inFlight = 0
  /// When the last packet was sent, and the oldest that waits to be reported.
  private(set) var lastSent: Int64?
  var oldestInFlight: Int64? {
    var sequence = max(first, reported)
    while sequence < end {
      let entry = entries[index(sequence)]
      if entry.sequence == sequence, entry.fate == .open { return entry.sent }
      sequence += 1
    }
    return nil
  }

  var count: Int { Int(end - first) }

  init() {
    entries = Array(repeating: Entry(), count: 256)
  }

  @inline(__always)
  private func index(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (entries.count - 1) }

  /// Numbers follow each other; one that was used before within half of their range is not taken.
  mutating func add(sequence: UInt16, size: Int, probe: Int32 = 0, now: Int64) {
    var number = Int64(sequence)
    if lastSent != nil {
      let step = SequenceNumber(sequence).distance(from: SequenceNumber(UInt16(truncatingIfNeeded: end &- 1)))
      guard step > 0 else { return }
      number = end - 1 + Int64(step)
    } else {
      (first, end, reported) = (number, number, number)
    }
    if number - end >= Int64(SendHistory.capacity) { forget(before: end) }
    if first == end { first = number }
    while first < end, number - first >= Int64(SendHistory.capacity) || now - entries[index(first)].sent > SendHistory.age { forgetFirst() }
    if first == end { first = number }
    if reported < first { reported = first }
    while number - first >= Int64(entries.count) { grow() }
    while end < number {
      entries[index(end)] = Entry()
      end += 1
    }
    let size = min(max(0, size), 65_535)
    entries[index(number)] = Entry(sequence: number, sent: now, size: Int32(size), probe: probe, fate: .open)
    end = number + 1
    inFlight += size
    lastSent = now
  }

  private mutating func forget(before sequence: Int64) {
    while first < sequence { forgetFirst() }
  }

  private mutating func forgetFirst() {
    let entry = entries[index(first)]
    if first >= reported, entry.sequence == first { inFlight -= Int(entry.size) }
    first += 1
    reported = max(reported, first)
  }

  private mutating func grow() {
    var larger = Array(repeating: Entry(), count: entries.count * 2)
    var sequence = first
    while sequence < end {
      larger[Int(truncatingIfNeeded: sequence) & (larger.count - 1)] = entries[index(sequence)]
      sequence += 1
    }
    entries = larger
  }

  /// That packet was missed, and left once more under its number. If it is reported as arrived, it may be either that did: the first counts as lost,
  /// and no time is taken of them.
  mutating func sentAgain(sequence: UInt16) {
    guard let number = number(of: sequence) else { return }
    switch entries[index(number)].fate {
    case .open: entries[index(number)].fate = .openAgain
    case .lost: entries[index(number)].fate = .received
    default: break
    }
  }

  /// Those that no feedback spoke of yet, from the first on.
  public struct Awaited: Sendable, Equatable {
    var first: UInt16
    var count: Int
  }

  var awaited: Awaited { Awaited(first: UInt16(truncatingIfNeeded: max(first, reported)), count: Int(end - max(first, reported))) }

  /// nil: not held.
  private func number(of sequence: UInt16) -> Int64? {
    guard first < end else { return nil }
    let number = end - 1 + Int64(SequenceNumber(sequence).distance(from: SequenceNumber(UInt16(truncatingIfNeeded: end - 1))))
    return number >= first && number < end && entries[index(number)].sequence == number ? number : nil
  }

  /// Fills `results`. What was never sent, or is forgotten, or was told before, is ignored.
  mutating func report(_ packets: some Sequence<ReportedPacket>) {
    results.removeAll(keepingCapacity: true)
    steppedOver = 0
    var newest = reported - 1
    for packet in packets {
      guard let sequence = number(of: packet.sequence) else { continue }
      let at = index(sequence)
      let entry = entries[at]
      switch entry.fate {
      case .open, .openAgain: break
      case .lost where packet.arrival != nil: break
      default: continue
      }
      // So far from either end of the numbers that differences of differences do not overflow.
      let isAgain = entry.fate == .openAgain
      let arrival = isAgain ? nil : packet.arrival.map { min(max($0, -1 << 60), 1 << 60) }
      entries[at].fate = packet.arrival == nil && !isAgain ? .lost : .received
      newest = max(newest, sequence)
      results.append(
        PacketResult(
          sequence: sequence, sent: entry.sent, arrival: arrival, size: Int(entry.size), probe: entry.probe, wasLost: entry.fate == .lost))
    }
    while reported <= newest {
      let entry = entries[index(reported)]
      if entry.sequence == reported {
        inFlight -= Int(entry.size)
        if entry.fate == .open { steppedOver += Int(entry.size) }
      }
      reported += 1
    }
  }
}
