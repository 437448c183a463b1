/// What a declared format may be. A format that passes will be sent; nothing else is accepted.
public enum VideoLimits: UInt32, Sendable {
  case conference = 0
  case extended = 1

  public struct Limit: Sendable, Equatable {
    public let width: UInt32
    public let height: UInt32
    public let frameRate: UInt32
  }

  private static let conferencePresets: [Limit] = [
    Limit(width: 1920, height: 1080, frameRate: 30), Limit(width: 1280, height: 720, frameRate: 30),
    Limit(width: 960, height: 540, frameRate: 30), Limit(width: 858, height: 480, frameRate: 30),
    Limit(width: 640, height: 360, frameRate: 30), Limit(width: 640, height: 480, frameRate: 30),
    Limit(width: 480, height: 270, frameRate: 15), Limit(width: 424, height: 320, frameRate: 15),
    Limit(width: 352, height: 240, frameRate: 15), Limit(width: 320, height: 240, frameRate: 15),
    Limit(width: 320, height: 180, frameRate: 15), Limit(width: 212, height: 160, frameRate: 15),
  ]

  private static let largest = Limit(width: 3840, height: 2160, frameRate: 60)

  public var list: [Limit] {
    switch self {
    case .conference: VideoLimits.conferencePresets
    case .extended: [VideoLimits.largest]
    }
  }

  public func check(_ format: VideoFormat, argument: String) throws(MediaError) {
    guard format.frameRate.isKnown else {
      throw MediaError(.limit, "\(argument) has the frame rate \(format.frameRate); accepted: a known rate above 0")
    }
    switch self {
    case .conference:
      guard let preset = list.first(where: { $0.width == format.width && $0.height == format.height }) else {
        let sizes = list.map { "\($0.width)x\($0.height)" }.joined(separator: ", ")
        throw MediaError(.limit, "\(argument) is \(format.width)x\(format.height); conference limits accept \(sizes)")
      }
      try checkRate(format, at: preset.frameRate, argument: argument)
    case .extended:
      let largest = VideoLimits.largest
      guard format.width <= largest.width, format.height <= largest.height else {
        throw MediaError(
          .limit, "\(argument) is \(format.width)x\(format.height); extended limits accept up to \(largest.width)x\(largest.height)")
      }
      try checkRate(format, at: largest.frameRate, argument: argument)
    }
  }

  private func checkRate(_ format: VideoFormat, at limit: UInt32, argument: String) throws(MediaError) {
    let rate = format.frameRate
    guard UInt64(rate.numerator) <= UInt64(limit) * UInt64(rate.denominator) else {
      throw MediaError(
        .limit, "\(argument) is \(format.width)x\(format.height) at \(rate) frames a second; \(self) limits accept at most \(limit)")
    }
  }
}
