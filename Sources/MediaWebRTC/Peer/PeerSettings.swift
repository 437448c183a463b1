import MediaICE
import MediaRTP
import MediaSDP
import MediaTLS

/// How a `PeerConnection` is made.
public struct PeerSettings: Sendable {
  /// Its fingerprint, and whether this end is lite, are those of the certificate and of `ice`.
  public var signalling: JSEPSettings
  /// Which end is the controlling one, is what the first offer says.
  public var ice: ICESettings
  /// How long frames may wait to be sent.
  public var pacing = PacerBounds()

  /// A full agent without servers.
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
