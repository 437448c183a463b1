import MediaCore

/// When the frames of one stream may leave: by the rate of its format where it is held to that, and at a lower rate that the program or the
/// estimate asks for. Part of the stream's state. Pure: times in nanoseconds in, times out.
struct FramePacing {
  /// Whether what a program sends faster than the format's rate is dropped.
  let isHeldToFormat: Bool
  /// What the program asked for; nil: the format's own.
  var asked: FrameRate? {
    didSet { forgetRate() }
  }
  /// Of a lower rate.
  private var next = Int64.min
  private var bucket = TokenBucket()

  init(isHeldToFormat: Bool) {
    self.isHeldToFormat = isHeldToFormat
  }

  /// The next frame may leave, whatever the lower rate is.
  mutating func forgetRate() {
    next = .min
  }

  /// Frames of another sender come.
  mutating func forgetBurst() {
    bucket = TokenBucket()
  }

  /// The lower one of what the program asked for and what is afforded, where that is below the format's own; nil: as the format has it.
  func slower(than own: FrameRate?, afforded: FrameRate?) -> FrameRate? {
    guard let wanted = asked ?? afforded else { return nil }
    let lower = afforded.map { $0.perSecond < wanted.perSecond ? $0 : wanted } ?? wanted
    guard let own else { return lower }
    return lower.perSecond < own.perSecond ? lower : nil
  }

  /// Whether a frame may leave now, which it then does; `own` is the format's rate, nil for a frame that is not held to it.
  mutating func admit(_ now: Int64, own: FrameRate?, slower: FrameRate?) -> Bool {
    guard now >= due(own: own, slower: slower) else { return false }
    if let interval = slower?.interval { next = next == .min || now > next + interval ? now + interval : next + interval }
    if let interval = own?.interval { bucket.take(now, interval) }
    return true
  }

  /// When the next frame may leave; a tenth of an interval early is on time at a lower rate.
  func due(own: FrameRate?, slower: FrameRate?) -> Int64 {
    let slowerDue = next == .min ? .min : slower?.interval.map { next - $0 / 10 } ?? .min
    return max(slowerDue, own?.interval.map(bucket.due) ?? .min)
  }
}
