import MediaCore
import MediaTransport

/// How a session's estimate is divided among what it sends: sound first, as it never waits, then what a shared screen needs to keep its size; and of
/// the rest each stream of pictures has as large a part as of what all of them would like.
struct EstimateShares {
  /// In bits a second.
  struct Wish: Sendable {
    /// What a stream would make if there were no bound.
    var bits: UInt64
    /// Before others have anything.
    var need: UInt64 = 0
  }

  private var wishes: [ObjectIdentifier: Wish] = [:]
  /// What each stream of sound takes, packets' headers included.
  private var sounds: [ObjectIdentifier: UInt64] = [:]
  /// Of IPv4, UDP, RTP, its extensions and the tag of SRTP.
  static let headerBytes: UInt64 = 70

  mutating func set(_ stream: OutgoingVideo, wish: Wish?) { wishes[ObjectIdentifier(stream)] = wish }
  mutating func set(_ stream: OutgoingAudio, bits: UInt64?) { sounds[ObjectIdentifier(stream)] = bits }

  /// Of an estimate (0: unlimited) the part of one stream of pictures; never 0 of what is limited.
  func share(of stream: OutgoingVideo, in estimate: UInt64) -> UInt64 {
    EstimateShares.share(
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

extension Session {
  /// Tells each stream its part anew, since the estimate or what is sent has changed.
  func divideEstimate() {
    let parts: [(OutgoingVideo, UInt64)] = guarded.withLock { guarded in
      guard guarded.estimate > 0 else { return [] }
      return guarded.outgoing.values.map { ($0, guarded.shares.share(of: $0, in: guarded.estimate)) }
    }
    for (stream, part) in parts { stream.follow(estimate: part) }
  }

  /// A stream would like more or less than before.
  func wishes(_ stream: OutgoingVideo, _ wish: EstimateShares.Wish) {
    let isHere = guarded.withLock { guarded in
      guard guarded.outgoing.values.contains(where: { $0 === stream }) else { return false }
      guarded.shares.set(stream, wish: wish)
      return true
    }
    if isHere { divideEstimate() }
  }
}

extension OutgoingVideoOptions {
  /// What the best format takes that is wanted, and of a screen what keeps the largest; `declared` by the program, or come from a producer.
  func wish(
    _ bitrate: BitrateRange, _ declared: [VideoFormat], isEncoded: Bool, wanted: VideoPreference = .any
  ) -> EstimateShares.Wish {
    let formats = wanted.allowed(of: declared).map(wanted.paced)
    func whole(_ bits: Double) -> UInt64 { UInt64(exactly: min(bits, 1e12).rounded(.up)) ?? 0 }
    let most = formats.map { isEncoded ? $0.pixelsPerSecond * FormatNegotiator.targetBitsPerPixel : $0.rawBitrate }.max() ?? 0
    var wish = EstimateShares.Wish(bits: isEncoded && bitrate.target != 0 ? bitrate.target(wanted.part(of: declared)) : whole(most))
    guard kind == .screenShare else { return wish }
    let negotiator = ScreenNegotiator(formats: formats, isEncoded: isEncoded)
    let largest = formats.max { Double($0.width) * Double($0.height) < Double($1.width) * Double($1.height) }
    wish.need = largest.map { whole(negotiator.need(of: $0)) } ?? 0
    return wish
  }
}

extension OutgoingAudioOptions {
  /// What it takes of a way, at that bitrate of its encoder; nil: raw.
  func bits(_ bitrate: Int?) -> UInt64 {
    guard let bitrate else { return UInt64(sampleRate) * UInt64(channels) * (sampleFormat == .s16 ? 16 : 32) }
    return UInt64(clamping: bitrate) + 1000 / UInt64(max(1, packetDuration)) * EstimateShares.headerBytes * 8
  }
}
