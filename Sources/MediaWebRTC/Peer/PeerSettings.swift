import MediaICE
import MediaRTP
import MediaSCTP
import MediaSDP
import MediaTLS

/// How a `PeerConnection` is made.
public struct PeerSettings: Sendable {
  /// Its fingerprint, whether this end is lite, and what it says of data channels are those of the certificate, of `ice` and of `data`.
  public var signalling: JSEPSettings
  /// Which end is the controlling one, is what the first offer says.
  public var ice: ICESettings
  /// Data channels are accepted, and may be opened; nil: their section is refused.
  public var data: DataChannelSettings?
  /// The other end is a server that hands on to many what it gets.
  public var isForwarded = false
  /// What comes is played here, evenly and in step. False: it is passed on, to whoever plays it, and waits there.
  public var isPlayedOut = true
  /// Media will be agreed on, though only data was at first: both ends know each other's clocks before it comes.
  public var expectsMedia = false
  /// Nanoseconds for which what is passed on may be held back until it is complete.
  static let forwardingDelay: Int64 = 60_000_000
  /// How long frames may wait to be sent.
  public var pacing = PacerBounds()

  /// A full agent without servers, and no data channels.
  public init(_ signalling: JSEPSettings, ice: ICESettings = ICESettings(isControlling: true)) {
    (self.signalling, self.ice) = (signalling, ice)
  }
}

extension TransportLines.Fingerprint {
  /// As descriptions have it.
  public init(of certificate: TLSCertificate) { self.init("sha-256", certificate.fingerprint.bytes) }
}

/// The generator that was handed in, for all parts of a connection: none of them repeats what another one has drawn.
final class PeerRandom: RandomNumberGenerator {
  private var generator: any RandomNumberGenerator

  init(_ generator: any RandomNumberGenerator) { self.generator = generator }

  func next() -> UInt64 { generator.next() }
}
