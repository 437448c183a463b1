import MediaCore

/// What a session needs where any number of members hear one another, as behind a multicast address (RFC 3550, sections 6.2, 6.3 and 8.2): who takes part,
/// reports that share a bandwidth among all, numbers that collide. Where there is one other end a session has none of it. Called by its session alone.
struct GroupControl {
  private(set) var members = Members()
  private var schedule: ReportSchedule
  /// Whose packets are whose, and of which of one's own a collision is known.
  private var conflicts = SourceConflicts<UInt64>()

  /// Of all members' control packets, in bits a second: a twentieth of a session of 1 Mbit/s.
  private static let bandwidth = 50_000
  /// With more, goodbyes are said in turn (RFC 3550, section 6.3.7).
  private static let mostAtOnce = 50

  init(minimum: Int64, at now: Int64, using random: inout SeededRandom) {
    schedule = ReportSchedule(
      bandwidth: GroupControl.bandwidth, minimum: minimum, at: now, .init(members: 1, senders: 0, isSender: false), using: &random)
  }

  // MARK: Members

  /// All that are there.
  private func population(sending isSender: Bool) -> ReportInterval.Group {
    .init(members: members.count, senders: members.senderCount + (isSender ? 1 : 0), isSender: isSender)
  }

  /// Too many to say goodbye whenever it suits: all that leave together would be heard at once.
  var isLarge: Bool { members.count > GroupControl.mostAtOnce }

  /// A packet of that source came: of media or of control, or a description with its name.
  mutating func heard(_ ssrc: SSRC, isMedia: Bool, isNamed: Bool, at now: Int64) {
    members.heard(ssrc, isMedia: isMedia, isNamed: isNamed, at: now)
  }

  /// It said goodbye, or is heard no more.
  mutating func left(_ ssrc: SSRC, at now: Int64) {
    members.left(ssrc, at: now)
    conflicts.remove(ssrc)
  }

  // MARK: Reports

  /// When to ask next whether one is due.
  var deadline: Int64 { schedule.deadline }

  /// Whether one is due.
  mutating func isReportDue(sending isSender: Bool, at now: Int64, using random: inout SeededRandom) -> Bool {
    defer { members.expire(at: now, interval: schedule.timeoutInterval(population(sending: isSender))) }
    return schedule.poll(population(sending: isSender), at: now, using: &random)
  }

  /// A control packet came or was sent, of so many bytes without UDP and IP headers.
  mutating func count(bytes: Int) { schedule.count(size: bytes + 28) }

  /// A goodbye came, and those that it is of have left.
  mutating func goodbyeReceived(sending isSender: Bool, at now: Int64) {
    schedule.goodbyeReceived(population(sending: isSender), at: now)
  }

  // MARK: Numbers

  /// One's own from now on.
  mutating func own(_ ssrc: SSRC) { conflicts.add(own: ssrc) }

  /// No longer one's own.
  mutating func disown(_ ssrc: SSRC) { conflicts.remove(own: ssrc) }

  /// Whether what came with one of one's own numbers is of another member who chose the same.
  mutating func isCollision(_ ssrc: SSRC, _ kind: PacketKind, from address: UInt64, at now: Int64) -> Bool {
    conflicts.check(ssrc, kind, from: address, at: now) == .ownCollision
  }

  /// Whether a source is used from one place only.
  mutating func isOfOne(_ ssrc: SSRC, _ kind: PacketKind, from address: UInt64, at now: Int64) -> Bool {
    conflicts.check(ssrc, kind, from: address, at: now) == .fine
  }
}
