/// What a declared format may be. A format that passes will be sent; nothing else is accepted.
public enum VideoLimits: UInt32, Sendable {
  case conference = 0
  case extended = 1

  /// A size, and the highest frame rate with it.
  public struct Limit: Sendable, Equatable {
    /// In pixels.
    public let width: UInt32
    /// In pixels.
    public let height: UInt32
    /// Frames a second, at most.
    public let frameRate: UInt32
  }

  /// Of a shared screen under conference limits, in each direction.
  private static let smallestScreen: UInt32 = 16

  private static let conferencePresets: [Limit] = [
    Limit(width: 1920, height: 1080, frameRate: 30), Limit(width: 1280, height: 720, frameRate: 30),
    Limit(width: 960, height: 540, frameRate: 30), Limit(width: 858, height: 480, frameRate: 30),
    Limit(width: 640, height: 360, frameRate: 30), Limit(width: 640, height: 480, frameRate: 30),
    Limit(width: 480, height: 270, frameRate: 15), Limit(width: 424, height: 320, frameRate: 15),
    Limit(width: 352, height: 240, frameRate: 15), Limit(width: 320, height: 240, frameRate: 15),
    Limit(width: 320, height: 180, frameRate: 15), Limit(width: 212, height: 160, frameRate: 15)
  ]

  /// Sizes exactly, or at most: see `isExact`.
  public func list(of kind: VideoKind) -> [Limit] {
    switch (kind, self) {
    case (.virtual, .conference): VideoLimits.conferencePresets
    case (.virtual, .extended): [Limit(width: 3840, height: 2160, frameRate: 60)]
    case (.screenShare, .conference):
      [Limit(width: 1920, height: 1080, frameRate: 30), Limit(width: 1080, height: 1920, frameRate: 30)]
    case (.screenShare, .extended):
      [Limit(width: 3840, height: 2160, frameRate: 60), Limit(width: 2160, height: 3840, frameRate: 60)]
    }
  }

  private func isExact(_ kind: VideoKind) -> Bool { kind == .virtual && self == .conference }

  /// `.range`: the frame rate is not known. `.limit`: the size or the frame rate is outside the limits. The text names the argument and
  /// what is accepted.
  public func check(_ format: VideoFormat, of kind: VideoKind, argument: String) throws(MediaError) {
    guard format.frameRate.isKnown else {
      throw MediaError(.range, "\(argument) has the frame rate \(format.frameRate); accepted: a known rate above 0")
    }
    let list = list(of: kind)
    let isExact = isExact(kind)
    let limit = list.first { limit in
      isExact
        ? limit.width == format.width && limit.height == format.height : format.width <= limit.width && format.height <= limit.height
    }
    guard let limit else {
      let sizes = list.map { "\($0.width)x\($0.height)" }
      let accepted = isExact ? sizes.joined(separator: ", ") : "up to " + sizes.joined(separator: " or ")
      throw MediaError(.limit, "\(argument) is \(format.width)x\(format.height); \(words(kind)) accept \(accepted)")
    }
    if kind == .screenShare, self == .conference { try checkEven(format, argument: argument) }
    let rate = format.frameRate
    guard UInt64(rate.numerator) <= UInt64(limit.frameRate) * UInt64(rate.denominator) else {
      throw MediaError(
        .limit,
        "\(argument) is \(format.width)x\(format.height) at \(rate) frames a second; \(words(kind)) accept at most \(limit.frameRate)")
    }
  }

  private func checkEven(_ format: VideoFormat, argument: String) throws(MediaError) {
    let smallest = VideoLimits.smallestScreen
    guard format.width >= smallest, format.height >= smallest, format.width.isMultiple(of: 2), format.height.isMultiple(of: 2) else {
      throw MediaError(
        .limit,
        "\(argument) is \(format.width)x\(format.height); \(words(.screenShare)) accept even widths and heights from \(smallest)x\(smallest)"
      )
    }
  }

  private func words(_ kind: VideoKind) -> String {
    kind == .virtual ? "\(self) limits" : "\(self) limits of a screen share"
  }
}
