import MediaCore
import MediaTransport

/// Chooses for a shared screen: its size is kept, and the frame rate gives way. The largest declared size stays until one frame a second of it has
/// not been affordable for ten seconds. Of the formats of that size the slowest is chosen that is no slower than what is affordable, and paced
/// down to that. Where receivers want a smaller size, the smallest declared one that covers it is what is kept; where they want a lower rate, that
/// is what is affordable at most.
struct ScreenNegotiator: Negotiator {
  /// Frames a second, below which a smaller size is better.
  static let leastRate = 1.0
  /// For how long less than that is borne: after a link's rate falls an estimate may be lower than its share of that, up to seven seconds in 40
  /// simulated falls where two members share the link (`TwoWayFallTests`).
  static let patience: Int64 = 10_000_000_000

  /// Largest first, of one size those of fewer bits, then the fastest.
  let formats: [VideoFormat]
  /// Of these, what is not more than wanted.
  private var allowed: [VideoFormat]
  var isEncoded: Bool
  var layerPart = 1.0
  var wanted = VideoPreference.any {
    didSet {
      let former = allowed.first
      allowed = wanted.allowed(of: formats)
      wantedPart = wanted.part(of: formats)
      if let best = allowed.first, let former, isBetter(best, than: former) { growth.begin() }
    }
  }
  private(set) var wantedPart = 1.0
  private(set) var current: VideoFormat?
  private(set) var pace: FrameRate?
  private var rise = Hysteresis(hold: FormatNegotiator.hold)
  private var growth = Growth()
  private var fall = Hysteresis(hold: ScreenNegotiator.patience)

  init(formats: [VideoFormat], isEncoded: Bool) {
    self.formats = formats.sorted { ScreenNegotiator.rank($0).lexicographicallyPrecedes(ScreenNegotiator.rank($1)) }
    allowed = self.formats
    self.isEncoded = isEncoded
  }

  private static func rank(_ format: VideoFormat) -> [Double] {
    let ranks = FormatNegotiator.rank(format)
    return [ranks[0], (format.rawBitrate / format.frameRate.perSecond).rounded()] + ranks.dropFirst()
  }

  private func bits(ofFrame format: VideoFormat) -> Double {
    FormatNegotiator.need(of: format, isEncoded: isEncoded) * layerPart / format.frameRate.perSecond
  }

  /// Bits a second without which a format is not chosen.
  func need(of format: VideoFormat) -> Double {
    bits(ofFrame: format) * min(ScreenNegotiator.leastRate, wanted.paced(format).frameRate.perSecond)
  }

  mutating func update(estimate bits: UInt64, now: Int64) -> Bool {
    let estimate = borne(bits == 0 ? Double.infinity : Double(bits), now: now)
    defer { pace = current.flatMap { pace(of: $0, within: estimate) } }
    let choice = choice(within: estimate)
    let headroom = growth.headroom(now: now)
    guard let current, let choice, isBetter(choice, than: current) else {
      rise.end()
      defer { current = choice }
      return current != choice
    }
    if let headroom, let grown = self.choice(within: estimate / headroom), isBetter(grown, than: current) {
      rise.end()
      self.current = grown
      return true
    }
    let affordable = self.choice(within: estimate / FormatNegotiator.headroom)
    let isAffordable = affordable.map { isBetter($0, than: current) } ?? false
    guard let meanwhile = rise.lasting(isAffordable, estimate, now: now) else { return false }
    defer { self.current = self.choice(within: meanwhile.lowerBound / FormatNegotiator.headroom) }
    return true
  }

  /// What would keep the size, until less than that has lasted.
  private mutating func borne(_ estimate: Double, now: Int64) -> Double {
    guard let current else { return estimate }
    let kept = need(of: current)
    let meanwhile = fall.lasting(estimate < kept, estimate, now: now)
    return meanwhile?.upperBound ?? max(estimate, kept)
  }

  var nextCheck: Int64? { rise.due ?? fall.due }

  /// The size first, then the rate.
  private func choice(within estimate: Double) -> VideoFormat? {
    let affordable = allowed.first { need(of: $0) <= estimate } ?? allowed.min { need(of: $0) < need(of: $1) }
    guard let affordable else { return nil }
    let rate = estimate / bits(ofFrame: affordable)
    let ofThatSize = allowed.filter {
      $0.width == affordable.width && $0.height == affordable.height && $0.pixelFormat == affordable.pixelFormat
    }
    return ofThatSize.last { $0.frameRate.perSecond >= rate } ?? ofThatSize.first
  }

  /// What is affordable, or less that is wanted; nil: the format's own.
  private func pace(of format: VideoFormat, within estimate: Double) -> FrameRate? {
    [affordablePace(of: format, within: estimate), wanted.pace(of: format)].compactMap { $0 }.min { $0.perSecond < $1.perSecond }
  }

  /// In tenths of a frame a second; nil: the format's own.
  private func affordablePace(of format: VideoFormat, within estimate: Double) -> FrameRate? {
    let rate = estimate / bits(ofFrame: format)
    guard rate < format.frameRate.perSecond, format.frameRate.perSecond > ScreenNegotiator.leastRate else { return nil }
    return FrameRate(UInt32(max(rate, ScreenNegotiator.leastRate) * 10 + 0.001), 10)
  }

  private func isBetter(_ one: VideoFormat, than other: VideoFormat) -> Bool {
    guard let first = formats.firstIndex(of: one), let second = formats.firstIndex(of: other) else { return false }
    return first < second
  }
}
