import MediaCore
import MediaSRTP

/// What protects the legs of a session, for as long as their keys stay the same: a session that connects again goes on with the numbers that its keys
/// have sealed, and with the windows of what came, so that packets recorded from one connection mean nothing to the next (RFC 3711, sections 3.3.2 and
/// 9.1). Any thread.
final class RTPProtections: Sendable {
  private struct Entry {
    let keys: RTPConfiguration.Keys
    let protection: PacketProtection
  }

  private let entries = Monitor([Int: Entry]())

  init() {}

  /// Of a leg; the same one as before, when the keys are.
  func protection(ofLeg leg: Int, _ keys: RTPConfiguration.Keys) throws(MediaError) -> PacketProtection {
    try entries.withLock { entries throws(MediaError) in
      if let entry = entries[leg], entry.keys == keys { return entry.protection }
      let protection = try PacketProtection(keys.profile, own: keys.own, theirs: keys.theirs)
      entries[leg] = Entry(keys: keys, protection: protection)
      return protection
    }
  }
}
