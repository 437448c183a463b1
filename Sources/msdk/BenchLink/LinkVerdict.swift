import MediaCore

/// Which media a path is good for.
struct LinkVerdict {
  struct Fit {
    let name: String
    /// With audio, in bits a second.
    let bits: Double
  }

  private static let audioBits = 60_000.0
  /// The largest first.
  private static let videos = [
    video("1080p30", 1920, 1080, 30), video("720p30", 1280, 720, 30), video("540p30", 960, 540, 30), video("360p30", 640, 360, 30),
    video("180p15", 320, 180, 15)
  ]
  private static let audio = Fit(name: "audio only", bits: audioBits)
  private static let nothing = Fit(name: "nothing", bits: 0)
  /// Above it, video freezes more often than it is shown.
  private static let lossForAudio = 0.1
  /// Above it, even speech breaks off.
  private static let lossForNothing = 0.4
  /// Seconds, above which people interrupt each other (ITU-T G.114).
  private static let roundTripForTalk = 0.3

  /// At the SDK's default of bits a pixel; the smallest ones need more.
  private static func video(_ name: String, _ width: Double, _ height: Double, _ frameRate: Double) -> Fit {
    Fit(name: name, bits: max(width * height * frameRate * 0.08, 90_000) + audioBits)
  }

  static func fits(_ direction: LinkDirection) -> Fit {
    let loss = direction.loss ?? 0
    if loss >= lossForNothing || direction.capacity < audio.bits { return nothing }
    if loss >= lossForAudio { return audio }
    return videos.first { $0.bits <= direction.capacity } ?? audio
  }

  static func text(out: LinkDirection, into: LinkDirection?, roundTrip: Double?, isLimited: Bool) -> String {
    // What is limited by loss, or is the largest of all, does not grow with what is sent.
    func name(_ direction: LinkDirection) -> String {
      let fit = fits(direction).name
      return isLimited && videos.dropFirst().contains { $0.name == fit } ? "at least \(fit)" : fit
    }
    let fit = name(out)
    var parts: [String]
    if let into {
      let other = name(into)
      parts = [other == fit ? "\(fit) in both directions" : "\(fit) to there, \(other) from there"]
    } else {
      parts = ["\(fit) to there"]
    }
    if let roundTrip, roundTrip > roundTripForTalk {
      parts.append("a round trip of \((roundTrip * 1000).text(digits: 0)) ms makes people interrupt each other")
    }
    return parts.joined(separator: "; ")
  }
}
