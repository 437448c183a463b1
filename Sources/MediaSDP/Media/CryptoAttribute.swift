import MediaCore

/// A key of SRTP as a description holds it (RFC 4568, section 9.1): a=crypto:tag suite inline:key||salt. Secret: it has no description, and the
/// text that holds it is to go over a way that nobody else reads.
public struct CryptoAttribute: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// By which an answer says what it took of the offer; below 1,000,000,000 when read.
  public var tag: UInt32
  /// AES_CM_128_HMAC_SHA1_80, AEAD_AES_128_GCM, AEAD_AES_256_GCM.
  public var suite: String
  /// Key and salt.
  public var key: [UInt8]

  /// Nothing is checked: the key must have the length that the suite asks for.
  public init(tag: UInt32, suite: String, key: [UInt8]) {
    (self.tag, self.suite, self.key) = (tag, suite, key)
  }

  /// Tag and suite, without the key.
  public var description: String { "key \(tag) of \(suite)" }
  /// Empty, so that no dump of a value shows the key.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// nil for what this library does not do: several keys with identifiers, other methods, session parameters that change the packets.
  init?(parsing text: String) throws(MediaError) {
    let parts = text.split(separator: " ")
    guard parts.count >= 3, let tag = UInt32(parts[0]), tag < 1_000_000_000 else {
      throw .description("a=crypto is not of the form tag suite inline:key")
    }
    guard parts.count == 3, parts[2].hasPrefix("inline:"), !parts[2].contains(";") else { return nil }
    // A lifetime may follow; an identifier of the key would stand in every packet.
    let pieces = parts[2].dropFirst(7).split(separator: "|", omittingEmptySubsequences: false)
    guard pieces.count <= 2, !(pieces.count == 2 && pieces[1].contains(":")) else { return nil }
    guard let key = Base64.decode(pieces.first ?? ""), (16...64).contains(key.count) else {
      throw .description("a=crypto:\(tag) has a key that is not base64 of 16 to 64 bytes")
    }
    self.init(tag: tag, suite: String(parts[1]), key: key)
  }

  var text: String { "\(tag) \(suite) inline:\(Base64.encode(key))" }
}
