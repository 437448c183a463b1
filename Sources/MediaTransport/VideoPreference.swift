import MediaCore

/// The size and the rate in which a receiver shows a stream: more is of no use to them. And how much the stream matters beside the others that they
/// receive, where a room server has to choose.
public struct VideoPreference: Sendable, Hashable {
  /// Where a receiver's path has no room for all, streams of a higher one come first.
  public enum Priority: UInt8, Sendable, Comparable, CaseIterable {
    case veryLow
    case low
    case medium
    case high

    /// In their order.
    public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
  }

  /// Pixels; both 0: any size.
  public var width: UInt32
  /// Pixels, as the width.
  public var height: UInt32
  /// nil: any.
  public var frameRate: FrameRate?
  /// Between the streams of one receiver; it is nothing to the sender.
  public var priority = Priority.medium

  /// Everything is of use.
  public static let any = VideoPreference()
  /// Frames a second, below which no rate can be preferred.
  static let leastRate = 0.1

  /// By default any size and any rate, at medium priority; `check` says whether the values are accepted.
  public init(width: UInt32 = 0, height: UInt32 = 0, frameRate: FrameRate? = nil, priority: Priority = .medium) {
    (self.width, self.height, self.frameRate, self.priority) = (width, height, frameRate, priority)
  }

  /// Throws an error in which `argument` names the preference, for a size that no video has and for less than a frame in ten seconds.
  public func check(argument: @autoclosure () -> String) throws(MediaError) {
    if width != 0 || height != 0 { try Dimensions.check(width: width, height: height, argument: argument()) }
    guard let frameRate else { return }
    guard frameRate.isKnown, frameRate.perSecond >= VideoPreference.leastRate else {
      throw MediaError(
        .range, "\(argument()) has the frame rate \(frameRate.numerator)/\(frameRate.denominator); accepted: at least 1/10, or 0/0 for any")
    }
  }

  /// What of it the sender is to know.
  var ofSender: VideoPreference { VideoPreference(width: width, height: height, frameRate: frameRate) }

  /// Whether no size is preferred: width or height is 0.
  public var isAnySize: Bool { width == 0 || height == 0 }
  /// Sides compare like this, as a rotated camera makes the same pixels.
  public var longer: UInt32 { max(width, height) }
  /// The other side than `longer`.
  public var shorter: UInt32 { min(width, height) }

  /// What satisfies both, as the sender is to know it.
  public func union(_ other: VideoPreference) -> VideoPreference {
    var union = VideoPreference.any
    if !isAnySize, !other.isAnySize {
      let sides = (max(longer, other.longer), max(shorter, other.shorter))
      let isPortrait = height > width && other.height > other.width
      (union.width, union.height) = isPortrait ? (sides.1, sides.0) : sides
    }
    if let frameRate, let others = other.frameRate { union.frameRate = frameRate.perSecond >= others.perSecond ? frameRate : others }
    return union
  }
}

/// What the receivers of one stream want together, as its sender gets to know it. More is wanted at once, less only after two seconds of it, so
/// that who goes back and forth changes nothing. Pure: wishes and time in, news out. One change of a wish costs the same whatever the number of
/// receivers: all of them are asked once in two seconds.
struct PreferenceHold: Sendable {
  static let hold: Int64 = 2_000_000_000
  /// From one piece of news to the next.
  static let pause: Int64 = 250_000_000

  private(set) var inForce = VideoPreference.any
  /// Since when less may be wanted, and what was wanted meanwhile.
  private var begun: Int64?
  private var seen: VideoPreference?
  private var announced = VideoPreference.any
  private var announcedAt: Int64?

  /// A receiver wants that from now on in place of something; nil: nothing, as they do not receive it.
  mutating func note(_ wish: VideoPreference?, insteadOf former: VideoPreference?, now: Int64) {
    if let wish { inForce = inForce.union(wish) }
    if begun == nil {
      // Less cannot be wanted where they want all of it.
      if wish != inForce { (begun, seen) = (now, wish) }
    } else {
      for one in [former, wish] { if let one { seen = seen?.union(one) ?? one } }
    }
  }

  /// What the sender is to know now, if that is news. `all` is what all receivers want together; nil without receivers, who leave it as it was.
  mutating func news(now: Int64, _ all: () -> VideoPreference?) -> VideoPreference? {
    if let begun, now - begun >= PreferenceHold.hold {
      let wanted = all()
      if let wanted { inForce = seen?.union(wanted) ?? wanted }
      (self.begun, seen) = (wanted == nil || inForce == wanted ? nil : now, nil)
    }
    guard inForce != announced, isRested(now) else { return nil }
    (announced, announcedAt) = (inForce, now)
    return inForce
  }

  /// When `news` is worth calling; .max: not before the next wish.
  var due: Int64 {
    let pauseEnd = inForce == announced ? .max : announcedAt.map { $0 + PreferenceHold.pause } ?? .min
    return min(begun.map { $0 + PreferenceHold.hold } ?? .max, pauseEnd)
  }

  private func isRested(_ now: Int64) -> Bool { announcedAt.map { now - $0 >= PreferenceHold.pause } ?? true }
}
