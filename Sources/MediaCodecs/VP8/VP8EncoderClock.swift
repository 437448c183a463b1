import MediaCore

/// Turns capture times into libvpx's presentation times, from which it works out the frame rate and with it the bits a frame may have. They
/// must grow strictly, and an outlier must not upset the rate control: a step of zero would be an infinite frame rate, a very long one a
/// budget beyond its 32-bit sums. Nothing else reads them.
struct VP8EncoderClock {
  static let ticksPerSecond: Int32 = 1_000_000

  struct Span: Equatable {
    var start: Int64
    var length: UInt
  }

  var frameRate: FrameRate
  private var last: (timestamp: Int64, start: Int64)?

  init(_ frameRate: FrameRate) {
    self.frameRate = frameRate
  }

  /// 30 where the rate is not known, and within what libvpx can reckon with.
  static func usable(_ frameRate: FrameRate) -> FrameRate {
    guard frameRate.isKnown else { return FrameRate(30) }
    if frameRate.perSecond > 1000 { return FrameRate(1000) }
    return frameRate.perSecond < 1 ? FrameRate(1) : frameRate
  }

  mutating func next(timestamp: Int64, duration: Int64) -> Span {
    let nominal = max(1, (Self.usable(frameRate).interval ?? 0) / 1000)
    let longest = max(2 * nominal, 1_000_000)
    var start: Int64 = 0
    if let last {
      let (nanoseconds, overflow) = timestamp.subtractingReportingOverflow(last.timestamp)
      // A clock that jumped back tells nothing: the frame is taken to have come in time.
      let step = overflow || nanoseconds < 0 ? nominal : nanoseconds / 1000
      start = last.start + min(max(step, max(1, nominal / 4)), longest)
    }
    last = (timestamp, start)
    let length = duration > 0 ? min(max(duration / 1000, 1), longest) : nominal
    return Span(start: start, length: UInt(length))
  }
}
