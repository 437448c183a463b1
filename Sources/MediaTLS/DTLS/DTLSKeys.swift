import COpenSSL
import MediaCore

/// The keys of SRTP of both ends (RFC 5764, section 4.2): secret, and therefore without a description.
public struct DTLSKeys: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of the protection profile (RFC 5764, section 4.1.2; RFC 7714, section 14.2): 1, 7 or 8.
  public let profile: UInt16
  /// What the end that was the client of DTLS protects with: 16 bytes, or 32 of profile 8.
  public let clientKey: [UInt8]
  /// Of the server.
  public let serverKey: [UInt8]
  /// 14 bytes of profile 1, 12 of the others.
  public let clientSalt: [UInt8]
  /// Of the server.
  public let serverSalt: [UInt8]

  /// For logs and error texts; no secret is in it, nor in the two below.
  public var description: String { "keys of the profile \(profile)" }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// Without children, so that `dump` and reflection show no byte of the keys.
  public var customMirror: Mirror { Mirror(self, children: []) }

  private struct Profile {
    let number: UInt16
    let name: String
    let keySize: Int
    let saltSize: Int
  }

  private static let profiles = [
    Profile(number: 1, name: "SRTP_AES128_CM_SHA1_80", keySize: 16, saltSize: 14),
    Profile(number: 7, name: "SRTP_AEAD_AES_128_GCM", keySize: 16, saltSize: 12),
    Profile(number: 8, name: "SRTP_AEAD_AES_256_GCM", keySize: 32, saltSize: 12)
  ]

  /// The names that OpenSSL has for them, each once.
  static func names(of numbers: [UInt16]) throws(MediaError) -> String {
    var names: [String] = []
    for number in numbers {
      guard let profile = profiles.first(where: { $0.number == number }) else {
        throw MediaError(.unsupported, "the protection profile \(number) of SRTP; accepted: 1, 7, 8")
      }
      if !names.contains(profile.name) { names.append(profile.name) }
    }
    return names.joined(separator: ":")
  }

  /// Of a connection whose handshake is over; nil where no profile was agreed on, or none of the above.
  init?(of connection: OpaquePointer) {
    guard let selected = SSL_get_selected_srtp_profile(connection),
      let profile = DTLSKeys.profiles.first(where: { UInt($0.number) == UInt(selected.pointee.id) })
    else { return nil }
    let (key, salt) = (profile.keySize, profile.saltSize)
    let label = "EXTRACTOR-dtls_srtp"
    var bytes = [UInt8](repeating: 0, count: 2 * (key + salt))
    defer { OPENSSL_cleanse(&bytes, bytes.count) }
    guard SSL_export_keying_material(connection, &bytes, bytes.count, label, label.utf8.count, nil, 0, 0) == 1 else { return nil }
    self.profile = profile.number
    clientKey = Array(bytes[..<key])
    serverKey = Array(bytes[key..<(2 * key)])
    clientSalt = Array(bytes[(2 * key)..<(2 * key + salt)])
    serverSalt = Array(bytes[(2 * key + salt)...])
  }
}
