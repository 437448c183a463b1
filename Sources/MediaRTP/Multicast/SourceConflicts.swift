/// Two sources of one SSRC, and packets of one's own that come back (RFC 3550, section 8.2). An address is whatever tells senders apart. Bounded:
/// sources beyond the limit pass unchecked and are counted, as they would from a member that is not known yet.
struct SourceConflicts<Address: Hashable & Sendable>: Sendable {
  enum Verdict: Sendable, Equatable {
    case fine
    /// Another uses the SSRC of a third: what comes from it is dropped, as long as the first is heard.
    case foreignCollision
    /// Another uses one's own SSRC: say goodbye with it, and go on with a new one.
    case ownCollision
    /// One's own packets, or those of one that collided before, from where they came from before: dropped.
    case loop
  }

  private struct Source: Sendable {
    var media: Address?
    var control: Address?
    var heard: Int64
  }

  private struct Conflict: Sendable {
    var address: Address
    var heard: Int64
    /// What was one's own when it began, and did not come from there yet: with those it collides too. What is one's own since then was chosen
    /// because of it, and comes back.
    var others: Set<SSRC>
  }

  private var sources: [SSRC: Source] = [:]
  /// Where packets of one's own SSRC came from.
  private var conflicts: [Conflict] = []
  private var own: Set<SSRC> = []
  private let limit: Int
  private let patience: Int64
  private(set) var unchecked = 0

  private var expired = Int64.min

  /// One's own is given up so often in that time, and no more: a hostile peer could have one change it without end.
  private let conflictLimit = 8
  private let ownLimit = 8192

  /// After so long a silence another may take over the SSRC: one that restarted, or whose address changed. RFC 3550 has ten report intervals for it.
  init(limit: Int = 1024, patience: Int64 = 10_000_000_000) {
    self.limit = max(1, limit)
    self.patience = max(0, patience)
  }

  /// One's own from now on.
  mutating func add(own ssrc: SSRC) {
    guard own.count < ownLimit else { return }
    own.insert(ssrc)
    sources[ssrc] = nil
  }

  /// No longer one's own: whoever else uses it is a source like others.
  mutating func remove(own ssrc: SSRC) {
    own.remove(ssrc)
  }

  /// It left.
  mutating func remove(_ ssrc: SSRC) {
    sources[ssrc] = nil
  }

  /// A packet of that source came from there.
  mutating func check(_ ssrc: SSRC, _ kind: PacketKind, from address: Address, at now: Int64) -> Verdict {
    if own.contains(ssrc) { return checkOwn(ssrc, address, now) }
    guard let index = sources.index(forKey: ssrc) else {
      // Not for each packet of a flood.
      if sources.count >= limit, expired == .min || now &- expired >= patience / 8 { expire(at: now) }
      if sources.count >= limit {
        unchecked &+= 1
      } else {
        sources[ssrc] = Source(media: kind == .media ? address : nil, control: kind == .control ? address : nil, heard: now)
      }
      return .fine
    }
    let known = kind == .media ? sources.values[index].media : sources.values[index].control
    if let known, known != address, now &- sources.values[index].heard < patience { return .foreignCollision }
    if known != address {
      // The other port is not known any more where this one changed.
      if known != nil { (sources.values[index].media, sources.values[index].control) = (nil, nil) }
      if kind == .media {
        sources.values[index].media = address
      } else {
        sources.values[index].control = address
      }
    }
    sources.values[index].heard = now
    return .fine
  }

  private mutating func checkOwn(_ ssrc: SSRC, _ address: Address, _ now: Int64) -> Verdict {
    conflicts.removeAll { now &- $0.heard > patience }
    if let index = conflicts.firstIndex(where: { $0.address == address }) {
      conflicts[index].heard = now
      return conflicts[index].others.remove(ssrc) == nil ? .loop : .ownCollision
    }
    guard conflicts.count < conflictLimit else { return .loop }
    conflicts.append(Conflict(address: address, heard: now, others: own.subtracting([ssrc])))
    return .ownCollision
  }

  /// Forgets who was not heard for so long.
  mutating func expire(at now: Int64) {
    expired = now
    let old = sources.filter { now &- $0.value.heard >= patience }
    for ssrc in old.keys { sources[ssrc] = nil }
  }
}
