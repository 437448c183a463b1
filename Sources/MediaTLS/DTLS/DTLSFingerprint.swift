import COpenSSL
import MediaCore

/// The hash of a certificate, as a=fingerprint has it (RFC 8122, section 5).
public struct DTLSFingerprint: Sendable, Equatable, CustomStringConvertible {
  /// The name of the hash: sha-256, sha-384 or sha-512 is accepted; others may stand beside.
  public let algorithm: String
  /// The hash.
  public let bytes: [UInt8]

  /// Nothing is checked; `DTLSMachine` does when it is made.
  public init(_ algorithm: String, _ bytes: [UInt8]) {
    (self.algorithm, self.bytes) = (algorithm.lowercased(), bytes)
  }

  /// SHA-256 of a certificate of this end, for its own description.
  public init(of certificate: TLSCertificate) {
    self.init("sha-256", certificate.fingerprint.bytes)
  }

  /// "sha-256 AA:BB:…"
  public var description: String {
    let digits = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
    return "\(algorithm) \(digits.joined(separator: ":"))"
  }

  // MARK: Comparing

  /// The hashes that count, the strongest first. MD5 and SHA-1 do not (RFC 8122, section 5).
  private static let accepted = [("sha-512", 64), ("sha-384", 48), ("sha-256", 32)]

  /// Those by the strongest hash that is known: a certificate has to match one of them (RFC 8122, section 5.1).
  static func strongest(of all: [DTLSFingerprint]) throws(MediaError) -> [DTLSFingerprint] {
    for (algorithm, size) in accepted {
      let found = all.filter { $0.algorithm == algorithm }
      guard !found.isEmpty else { continue }
      if let wrong = found.first(where: { $0.bytes.count != size }) {
        throw MediaError(.invalid, "the fingerprint \"\(wrong)\" has \(wrong.bytes.count) bytes; accepted: \(size) of \(algorithm)")
      }
      return found
    }
    let names = all.map { $0.algorithm.prefix(20) }.joined(separator: ", ")
    let found = names.isEmpty ? "none" : "by \(names)"
    throw MediaError(.unsupported, "the fingerprints of the other end are \(found); accepted: by sha-256, sha-384, sha-512")
  }

  /// Of a certificate that was shown, by the same hash as another one.
  init?(of certificate: OpaquePointer, like other: DTLSFingerprint) {
    let hash =
      switch other.algorithm {
      case "sha-512": EVP_sha512()
      case "sha-384": EVP_sha384()
      default: EVP_sha256()
      }
    var digest = [UInt8](repeating: 0, count: 64)
    var size: UInt32 = 0
    guard X509_digest(certificate, hash, &digest, &size) == 1, size == other.bytes.count else { return nil }
    self.init(other.algorithm, Array(digest.prefix(Int(size))))
  }
}
