/// When two payloads are of one format: for some codecs their parameters decide it.
extension RTPMedia.Payload {
  /// Whether who has one may be sent the other: `isOf`, and for H.264 the same packetization mode and profile (RFC 6184, section 8.2.2), for VP9 and
  /// AV1 the same profile. Levels do not count.
  public func allows(_ other: RTPMedia.Payload) -> Bool { isOf(other) && format == other.format }

  /// What has to be the same; empty for the other codecs.
  private var format: [String] {
    switch encoding.lowercased() {
    case "h264": [parameter("packetization-mode") ?? "0", h264Profile]
    case "vp9": [parameter("profile-id") ?? "0"]
    case "av1": [parameter("profile") ?? "0"]
    default: []
    }
  }

  /// Of one that is not stated: baseline (RFC 6184, section 8.1). The constraint flags of a baseline stream make it a constrained one, which each
  /// decoder of baseline takes, and browsers offer both; so they are not told apart.
  private var h264Profile: String { parameter("profile-level-id")?.prefix(2).lowercased() ?? "42" }

  /// An answer has the parameters of the offer: profiles and modes must be the same, and levels are as the other end likes.
  var answersAsOffered: Bool { ["h264", "vp9", "av1"].contains(encoding.lowercased()) }
}
