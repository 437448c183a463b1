import MediaCore

/// Messages that count, in both directions of one membership, over as many connections as it takes: those said are kept until the other end has
/// received them, so that nothing is lost with a connection.
struct HubLog {
  /// Bytes that are kept while the other end is away.
  static let most = 2 << 20
  /// After so many a word of it is due.
  private static let courtesy: UInt64 = 64

  private var kept: [[UInt8]] = []
  private var keptBytes = 0
  /// Messages of this end that the other has received.
  private var confirmed: UInt64 = 0
  /// Of the other end.
  private(set) var received: UInt64 = 0
  private var told: UInt64 = 0

  /// False when nothing more can be kept.
  mutating func keep(_ frame: [UInt8]) -> Bool {
    guard keptBytes + frame.count <= HubLog.most else { return false }
    kept.append(frame)
    keptBytes += frame.count
    return true
  }

  /// The other end says how many it has received; false when that cannot be.
  mutating func confirm(_ count: UInt64) -> Bool {
    guard count >= confirmed, count - confirmed <= UInt64(kept.count) else { return false }
    let gone = Int(count - confirmed)
    for frame in kept.prefix(gone) { keptBytes -= frame.count }
    kept.removeFirst(gone)
    confirmed = count
    return true
  }

  /// What the other end has not received, to be said again.
  var unconfirmed: [[UInt8]] { kept }

  /// One more came; whether it is time to say so.
  mutating func receive() -> Bool {
    received += 1
    return received - told >= HubLog.courtesy
  }

  mutating func tell() -> UInt64 {
    told = received
    return received
  }
}
