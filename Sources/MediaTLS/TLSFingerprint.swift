import COpenSSL
import MediaCore

/// SHA-256 of a certificate: who knows it knows whom he speaks to.
public struct TLSFingerprint: Sendable, Equatable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the digest.
  public let bytes: [UInt8]
  /// In bytes.
  static let size = 32

  init?(of certificate: OpaquePointer) {
    var digest = [UInt8](repeating: 0, count: 64)
    var size: UInt32 = 0
    guard X509_digest(certificate, EVP_sha256(), &digest, &size) == 1, size == TLSFingerprint.size else { return nil }
    bytes = Array(digest.prefix(TLSFingerprint.size))
  }

  /// 64 hexadecimal digits of either case, in pairs with colons between them or in a row.
  public init(_ text: some StringProtocol, argument: String) throws(MediaError) {
    let digits = text.utf8.filter { $0 != 58 }
    let hasColons = text.utf8.count == TLSFingerprint.size * 3 - 1
    let isInPlace = text.utf8.enumerated().allSatisfy { ($0.element == 58) == (hasColons && $0.offset % 3 == 2) }
    let values = digits.compactMap { TLSFingerprint.value($0) }
    guard isInPlace, digits.count == TLSFingerprint.size * 2, values.count == digits.count else {
      let accepted = "the SHA-256 of a certificate, 64 hexadecimal digits or 32 pairs of them with colons"
      throw MediaError(.invalid, "\(argument) is \"\(text.prefix(100))\"; accepted: \(accepted)")
    }
    bytes = (0..<TLSFingerprint.size).map { values[$0 * 2] << 4 | values[$0 * 2 + 1] }
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 65...70: digit - 55
    case 97...102: digit - 87
    default: nil
    }
  }

  /// "AA:BB:…", 95 characters.
  public var description: String {
    let digits = Array("0123456789ABCDEF")
    return bytes.map { String([digits[Int($0 >> 4)], digits[Int($0 & 15)]]) }.joined(separator: ":")
  }
}

/// How a client knows its server.
public enum TLSTrust: Sendable {
  case fingerprint(TLSFingerprint)
  /// Signed by one of the authorities in a file of PEM, for that address or name.
  case authorities(file: String, host: String)
  /// Signed by an authority that the system trusts, for that address or name. OpenSSL has a folder and a file of them; the environment variables
  /// SSL_CERT_DIR and SSL_CERT_FILE name others.
  case system(host: String)

  /// Whom the certificate is to be issued for; nil: for anybody.
  var host: String? {
    switch self {
    case .fingerprint: nil
    case .authorities(_, let host), .system(let host): host
    }
  }
}
