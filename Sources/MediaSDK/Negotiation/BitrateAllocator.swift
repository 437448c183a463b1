/// How a session's estimate is divided among what it sends: audio first, as it never waits, then what a shared screen needs to keep its size; and of
/// the rest each video stream has as large a part as of what all of them would like. Pure: wishes and an estimate in, parts out.
struct BitrateAllocator {
  /// In bits a second.
  struct Wish: Sendable {
    /// What a stream would make if there were no bound.
    var bits: UInt64
    /// Before others have anything.
    var need: UInt64 = 0
    /// `bits` is a guess: the program encodes, and makes what the estimate has room for.
    var isOpen = false
  }

  private var wishes: [ObjectIdentifier: Wish] = [:]
  /// What each audio stream takes, packets' headers included.
  private var sounds: [ObjectIdentifier: UInt64] = [:]
  /// Of IPv4, UDP, RTP, its extensions and the tag of SRTP.
  static let headerBytes: UInt64 = 70

  /// Of a video stream, or of an audio stream; nil: it is no longer sent.
  mutating func set(_ stream: AnyObject, wish: Wish?) { wishes[ObjectIdentifier(stream)] = wish }
  mutating func set(_ stream: AnyObject, bits: UInt64?) { sounds[ObjectIdentifier(stream)] = bits }

  /// What all of it would take without a bound; 0: not known.
  var demand: UInt64 {
    guard !wishes.values.contains(where: \.isOpen) else { return 0 }
    let bits = sounds.values.reduce(0.0) { $0 + Double($1) } + wishes.values.reduce(0.0) { $0 + Double($1.bits) }
    return UInt64(exactly: min(bits, 1e15).rounded(.up)) ?? 0
  }

  /// Of an estimate (0: unlimited) the part of one video stream; never 0 of what is limited.
  func share(of stream: AnyObject, in estimate: UInt64) -> UInt64 {
    BitrateAllocator.share(
      of: wishes[ObjectIdentifier(stream)] ?? Wish(bits: 0), among: Array(wishes.values), beside: Array(sounds.values), in: estimate)
  }

  static func share(of wish: Wish, among wishes: [Wish], beside sounds: [UInt64], in estimate: UInt64) -> UInt64 {
    guard estimate > 0 else { return 0 }
    let sound = sounds.reduce(0.0) { $0 + Double($1) }
    let left = max(0, Double(estimate) - sound)
    let needs = wishes.reduce(0.0) { $0 + Double($1.need) }
    let all = wishes.reduce(0.0) { $0 + Double($1.bits) }
    let rest = max(0, left - needs)
    let need = needs > 0 ? Double(wish.need) * min(1, left / needs) : 0
    let share = need + (all > 0 ? rest * Double(wish.bits) / all : rest)
    // Of large numbers only what a double has of them.
    return max(1, UInt64(exactly: min(share, 1e15).rounded(.down)) ?? 1)
  }
}
