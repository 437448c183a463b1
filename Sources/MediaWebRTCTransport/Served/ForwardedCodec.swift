import MediaRTP
import MediaWebRTC

/// What clients may send each other through a server: Opus and the video that descriptions offer for it, which is encoded here or passed on as
/// it is.
package struct ForwardedCodec: Sendable {
  package let fourcc: UInt32
  /// As descriptions and LiveKit name it, in small letters.
  package let name: String
  let isVideo: Bool

  private static let all = RTPEncoding.formats.filter { format in
    !format.isVideo || JSEPSettings.forwardedVideo.contains { $0.encoding == format.name }
  }.map { ForwardedCodec(fourcc: $0.codec, name: $0.name.lowercased(), isVideo: $0.isVideo) }

  private init(fourcc: UInt32, name: String, isVideo: Bool) { (self.fourcc, self.name, self.isVideo) = (fourcc, name, isVideo) }

  /// nil: it is not forwarded.
  package init?(_ fourcc: UInt32) {
    guard let found = ForwardedCodec.all.first(where: { $0.fourcc == fourcc }) else { return nil }
    self = found
  }

  /// nil: it is not forwarded.
  package init?(named name: String) {
    guard let found = ForwardedCodec.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
