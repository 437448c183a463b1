import MediaCore

/// The lines of data channels: SCTP over DTLS (RFC 8841).
public struct DataMedia: Sendable, Equatable {
  /// The one that is read and written here (RFC 8841, section 4); DTLS over TCP is not.
  public static let transport = "UDP/DTLS/SCTP"
  private static let format = "webrtc-datachannel"

  /// Of the DTLS association, in m=; 0: refused.
  public var port: UInt16
  /// The name of the medium (a=mid, RFC 5888); nil: it has none.
  public var mid: String?
  /// sctp-port.
  public var sctpPort: UInt16
  /// max-message-size, in bytes; 0: any.
  public var mostBytes: UInt64

  /// What is meant where nothing is said (RFC 8841, sections 5.2 and 6.1).
  public init(port: UInt16, mid: String?, sctpPort: UInt16 = 5000, mostBytes: UInt64 = 65_536) {
    (self.port, self.mid, self.sctpPort, self.mostBytes) = (port, mid, sctpPort, mostBytes)
  }

  /// nil for other media. Throws `.invalid`.
  public init?(_ media: SessionDescription.Media) throws(MediaError) {
    guard media.kind == "application", media.transport == DataMedia.transport, media.formats == [DataMedia.format] else { return nil }
    self.init(port: media.port, mid: media.value("mid"))
    if let text = media.value("sctp-port") {
      guard let port = UInt16(text) else { throw .description("a=sctp-port:\(text.prefix(20)); accepted: 0..65535") }
      sctpPort = port
    }
    if let text = media.value("max-message-size") {
      guard let size = UInt64(text) else {
        throw .description("a=max-message-size:\(text.prefix(20)); accepted: a number of bytes, or 0 for any")
      }
      mostBytes = size
    }
  }

  /// Its lines, with `sctp-port` and `max-message-size` also where they have their defaults.
  public var media: SessionDescription.Media {
    var media = SessionDescription.Media("application", port: port, transport: DataMedia.transport, formats: [DataMedia.format])
    if let mid { media.attributes.append(.init("mid", mid)) }
    media.attributes += [.init("sctp-port", "\(sctpPort)"), .init("max-message-size", "\(mostBytes)")]
    return media
  }
}
