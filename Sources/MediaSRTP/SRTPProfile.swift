import MediaCore

/// How packets are protected, by the names of SDP's crypto attribute (RFC 4568, section 6.2; RFC 7714, section 14.2).
public enum SRTPProfile: String, Sendable, CaseIterable {
  /// AES in counter mode, HMAC-SHA1 of 80 bits: what every peer has (RFC 3711, section 8.2).
  case aesCounterSHA1 = "AES_CM_128_HMAC_SHA1_80"
  /// AES in Galois counter mode: one pass, and a tag of 128 bits (RFC 7714).
  case aesGCM = "AEAD_AES_128_GCM"
  /// The same with keys of 256 bits.
  case aesGCM256 = "AEAD_AES_256_GCM"

  /// By its number in DTLS (RFC 5764, section 4.1.2; RFC 7714, section 14.2); nil of another one.
  public init?(dtlsNumber number: UInt16) {
    switch number {
    case 1: self = .aesCounterSHA1
    case 7: self = .aesGCM
    case 8: self = .aesGCM256
    default: return nil
    }
  }

  /// Bytes of a master key (128 or 256 bits).
  public var keySize: Int {
    switch self {
    case .aesCounterSHA1, .aesGCM: 16
    case .aesGCM256: 32
    }
  }

  /// Bytes of the salt that comes with a master key (112 or 96 bits).
  public var saltSize: Int {
    switch self {
    case .aesCounterSHA1: 14
    case .aesGCM, .aesGCM256: 12
    }
  }

  /// Bytes that a packet of RTP grows by.
  public var tagSize: Int {
    switch self {
    case .aesCounterSHA1: 10
    case .aesGCM, .aesGCM256: 16
    }
  }

  /// Bytes that a packet of RTCP grows by: the tag and the word of the index.
  public var controlOverhead: Int { tagSize + 4 }
}

/// A master key and its salt: secret, and therefore without a description.
public struct SRTPKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let key: [UInt8]
  let salt: [UInt8]

  /// Key and salt in a row, as SDP's `inline:` holds them.
  public init(_ bytes: [UInt8], _ profile: SRTPProfile) throws(MediaError) {
    let size = profile.keySize + profile.saltSize
    guard bytes.count == size else {
      throw MediaError(
        .invalid,
        "a key of \(profile.rawValue) has \(bytes.count) bytes; accepted: \(size), \(profile.keySize) of the key and \(profile.saltSize) of the salt"
      )
    }
    key = Array(bytes.prefix(profile.keySize))
    salt = Array(bytes.suffix(profile.saltSize))
  }

  /// Key and salt, for a description that goes over a way that nobody else reads (RFC 4568, section 7).
  public var bytes: [UInt8] { key + salt }

  /// For logs and error texts; no secret is in it, nor in the two below.
  public var description: String { "a master key" }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// Without children, so that `dump` and reflection show no byte of the key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
