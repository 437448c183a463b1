/// Who takes part in a session (RFC 3550, section 6.2.1 and 6.3). A source counts once it has been heard twice, or has given its name. Bounded: where
/// the table is full newcomers are refused and counted; of sources heard but once only the latest are remembered.
struct Members: Sendable {
  enum Hearing: Sendable, Equatable {
    /// A member from now on.
    case new
    case known
    /// Heard for the first time, or has left.
    case unconfirmed
    /// There is no room.
    case refused
  }

  private struct Entry: Sendable {
    var heard: Int64
    /// When it last sent media.
    var sent: Int64?
    /// It said goodbye: packets that were under way do not bring it back.
    var left: Int64?
  }

  private var entries: [SSRC: Entry] = [:]
  private var candidates: [SSRC] = []
  private var nextCandidate = 0
  private let limit: Int
  private var leftCount = 0
  /// Members that send media, oneself not among them.
  private(set) var senderCount = 0
  private(set) var refused = 0

  private static let candidateLimit = 32

  init(limit: Int = 256) {
    self.limit = max(1, limit)
    entries.reserveCapacity(self.limit)
    candidates.reserveCapacity(Members.candidateLimit)
  }

  /// Oneself included.
  var count: Int { entries.count - leftCount + 1 }

  func contains(_ ssrc: SSRC) -> Bool {
    entries[ssrc].map { $0.left == nil } ?? false
  }

  /// A packet of that source came: of media or of control, or a description with its name.
  @discardableResult
  mutating func heard(_ ssrc: SSRC, isMedia: Bool, isNamed: Bool = false, at now: Int64) -> Hearing {
    if let index = entries.index(forKey: ssrc) {
      guard entries.values[index].left == nil else { return .unconfirmed }
      entries.values[index].heard = now
      if isMedia {
        if entries.values[index].sent == nil { senderCount += 1 }
        entries.values[index].sent = now
      }
      return .known
    }
    let candidate = candidates.firstIndex(of: ssrc)
    guard isNamed || candidate != nil else {
      remember(ssrc)
      return .unconfirmed
    }
    guard entries.count < limit else {
      refused &+= 1
      return .refused
    }
    if let candidate { candidates.swapAt(candidate, candidates.count - 1) }
    if candidate != nil { candidates.removeLast() }
    entries[ssrc] = Entry(heard: now, sent: isMedia ? now : nil)
    if isMedia { senderCount += 1 }
    return .new
  }

  private mutating func remember(_ ssrc: SSRC) {
    if candidates.count < Members.candidateLimit { return candidates.append(ssrc) }
    nextCandidate = (nextCandidate + 1) % Members.candidateLimit
    candidates[nextCandidate] = ssrc
  }

  /// It said goodbye. Whether it was a member.
  @discardableResult
  mutating func left(_ ssrc: SSRC, at now: Int64) -> Bool {
    candidates.removeAll { $0 == ssrc }
    guard let entry = entries[ssrc], entry.left == nil else { return false }
    if entry.sent != nil { senderCount -= 1 }
    entries[ssrc]?.left = now
    entries[ssrc]?.sent = nil
    leftCount += 1
    return true
  }

  /// Forgets who was silent for five report intervals, tells of them, and takes for no sender who sent nothing for two (section 6.3.5).
  mutating func expire(at now: Int64, interval: Int64, _ gone: (SSRC) -> Void = { _ in }) {
    let (silence, pause) = (max(0, interval).multipliedReportingOverflow(by: 5), max(0, interval).multipliedReportingOverflow(by: 2))
    guard !silence.overflow, !pause.overflow else { return }
    var old: [SSRC] = []
    var index = entries.startIndex
    while index != entries.endIndex {
      let entry = entries.values[index]
      if let left = entry.left {
        if now &- left > interval { old.append(entries.keys[index]) }
      } else if now &- entry.heard > silence.partialValue {
        old.append(entries.keys[index])
      } else if let sent = entry.sent, now &- sent > pause.partialValue {
        entries.values[index].sent = nil
        senderCount -= 1
      }
      index = entries.index(after: index)
    }
    // In an order that is the same in every run.
    for ssrc in old.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let entry = entries.removeValue(forKey: ssrc) else { continue }
      if entry.left != nil {
        leftCount -= 1
      } else {
        if entry.sent != nil { senderCount -= 1 }
        gone(ssrc)
      }
    }
  }
}
