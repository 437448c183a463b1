import MediaCore
import MediaTransport

/// Chooses among the declared formats: down at once, up only after a better one has been affordable, with a quarter to spare, for five
/// seconds. Of what receivers want the choice is at once in both directions: whoever sets it has waited.
struct FormatNegotiator: Negotiator {
  static let hold: Int64 = 5_000_000_000
  static let headroom = 1.25
  /// Bits a pixel below which VP8 at real-time settings no longer looks right.
  static let neededBitsPerPixel = 0.03
  /// Bits a pixel that VP8 is given when nothing else is asked for.
  static let targetBitsPerPixel = 0.08

  /// Best first.
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
  private var rise = Hysteresis(hold: FormatNegotiator.hold)
  private var growth = Growth()

  init(formats: [VideoFormat], isEncoded: Bool) {
    self.formats = formats.sorted { FormatNegotiator.rank($0).lexicographicallyPrecedes(FormatNegotiator.rank($1)) }
    allowed = self.formats
    self.isEncoded = isEncoded
  }

  /// More pixels, then more frames, then fewer bits without a codec; the rest only makes the order the same whatever the list's was.
  static func rank(_ format: VideoFormat) -> [Double] {
    [
      -Double(format.width) * Double(format.height), -format.frameRate.perSecond, format.rawBitrate, -Double(format.width),
      Double(format.pixelFormat.rawValue), Double(format.frameRate.numerator), Double(format.color.matrix),
      format.color.fullRange ? 1 : 0, Double(format.color.primaries), Double(format.color.transfer), Double(format.contentHint)
    ]
  }

  static func need(of format: VideoFormat, isEncoded: Bool) -> Double {
    isEncoded ? format.pixelsPerSecond * neededBitsPerPixel : format.rawBitrate
  }

  func need(of format: VideoFormat) -> Double {
    FormatNegotiator.need(of: wanted.paced(format), isEncoded: isEncoded) * layerPart
  }

  var pace: FrameRate? { current.flatMap(wanted.pace) }

  mutating func update(estimate bits: UInt64, now: Int64) -> Bool {
    let estimate = bits == 0 ? Double.infinity : Double(bits)
    guard let current else {
      self.current = best(within: estimate)
      return self.current != nil
    }
    let headroom = growth.headroom(now: now)
    guard need(of: current) <= estimate, allowed.contains(current) else {
      rise.end()
      return change(to: best(within: estimate))
    }
    if let headroom, let grown = best(within: estimate / headroom), isBetter(grown, than: current) {
      rise.end()
      return change(to: grown)
    }
    let better = best(within: estimate / FormatNegotiator.headroom)
    guard let meanwhile = rise.lasting(better.map { isBetter($0, than: current) } ?? false, estimate, now: now) else { return false }
    return change(to: best(within: meanwhile.lowerBound / FormatNegotiator.headroom))
  }

  var nextCheck: Int64? { rise.due }

  private mutating func change(to format: VideoFormat?) -> Bool {
    defer { current = format }
    return current != format
  }

  /// The best that fits, or else the one that needs least.
  private func best(within estimate: Double) -> VideoFormat? {
    allowed.first { need(of: $0) <= estimate } ?? allowed.min { need(of: $0) < need(of: $1) }
  }

  private func isBetter(_ one: VideoFormat, than other: VideoFormat) -> Bool {
    guard let first = formats.firstIndex(of: one), let second = formats.firstIndex(of: other) else { return false }
    return first < second
  }
}
