import MediaCore
import MediaTransport

/// What is left of the declared formats when receivers want no more than that.
extension VideoPreference {
  /// Rates that are called the same, such as 30 and 29.97, are.
  private static let tolerance = 1.01

  /// The smallest size that is at least as large, and all smaller ones; of each size the slowest rate that is not slower, and slower ones. The
  /// order stays.
  func allowed(of formats: [VideoFormat]) -> [VideoFormat] {
    let most = formats.filter(isCovered).map(\.pixels).min() ?? .infinity
    let sized = formats.filter { $0.pixels < most || $0.pixels == most && isCovered(by: $0) }
    guard let frameRate else { return sized }
    return sized.filter { one in
      let enough = sized.filter { $0.isOfSize(one) && $0.frameRate.perSecond * VideoPreference.tolerance >= frameRate.perSecond }
      return one.frameRate.perSecond <= enough.map(\.frameRate.perSecond).min() ?? .infinity
    }
  }

  private func isCovered(by format: VideoFormat) -> Bool {
    isAnySize ? false : max(format.width, format.height) >= longer && min(format.width, format.height) >= shorter
  }

  /// A rate that is below the format's own; nil: that one.
  func pace(of format: VideoFormat) -> FrameRate? {
    frameRate.flatMap { $0.perSecond * VideoPreference.tolerance < format.frameRate.perSecond ? $0 : nil }
  }

  /// A format with the rate at which its frames leave.
  func paced(_ format: VideoFormat) -> VideoFormat {
    var paced = format
    if let pace = pace(of: format) { paced.frameRate = pace }
    return paced
  }

  /// The pixels a second that are wanted, as a part of those that would be made.
  func part(of formats: [VideoFormat]) -> Double {
    let most = formats.map(\.pixelsPerSecond).max() ?? 0
    let wanted = allowed(of: formats).map { paced($0).pixelsPerSecond }.max() ?? 0
    return most > 0 ? wanted / most : 1
  }
}

extension VideoFormat {
  fileprivate var pixels: Double { Double(width) * Double(height) }
  fileprivate func isOfSize(_ other: VideoFormat) -> Bool { width == other.width && height == other.height }
}

/// Receivers want more again: what the estimate carries is made at once, and better formats without the long wait for some time after that, as the
/// estimate follows what is sent. The wait is for networks that fall and recover, and it was not the network that made the stream small.
struct Growth: Sendable {
  private enum Phase {
    case over
    case begun
    case until(Int64)
  }

  private var phase = Phase.over

  mutating func begin() { phase = .begun }

  /// By what the estimate is divided before a better format is chosen without a wait; nil: there is a wait.
  mutating func headroom(now: Int64) -> Double? {
    switch phase {
    case .over: return nil
    case .begun:
      phase = .until(now + FormatNegotiator.hold)
      return 1
    case .until(let end):
      guard now < end else {
        phase = .over
        return nil
      }
      return FormatNegotiator.headroom
    }
  }
}
