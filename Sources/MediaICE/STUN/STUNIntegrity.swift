import COpenSSL
import MediaCore

/// What messages are proven with (RFC 8489, section 9): a key, and the hash that it is for.
struct STUNKey: Sendable, Equatable {
  enum Hash: Sendable {
    case sha1, sha256

    var size: Int { self == .sha1 ? 20 : 32 }
    var attribute: UInt16 { self == .sha1 ? STUNAttribute.integrity : STUNAttribute.integrity256 }
  }

  let bytes: [UInt8]
  let hash: Hash

  /// A short-term one, as ICE has: the password itself (section 9.1.1).
  init(password: String, _ hash: Hash = .sha1) {
    (bytes, self.hash) = (Array(password.utf8), hash)
  }

  /// A long-term one (section 9.2.2): MD5 of user, realm and password for servers of RFC 5389, SHA-256 of them where a server offers it.
  /// nil: OpenSSL refuses that hash, as MD5 where only what FIPS 140 approves is had.
  init?(user: String, realm: [UInt8], password: String, _ hash: Hash) {
    let text = Array(user.utf8) + [UInt8(ascii: ":")] + realm + [UInt8(ascii: ":")] + Array(password.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    var size: UInt32 = 0
    guard EVP_Digest(text, text.count, &digest, &size, hash == .sha1 ? EVP_md5() : EVP_sha256(), nil) == 1 else { return nil }
    (bytes, self.hash) = (Array(digest.prefix(Int(size))), hash)
  }

  /// Of a message up to the attribute that is to hold it, whose length already counts that attribute.
  func proof(of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var proof = [UInt8](repeating: 0, count: 32)
    var size: UInt32 = 0
    let text = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    guard
      HMAC(hash == .sha1 ? EVP_sha1() : EVP_sha256(), self.bytes, Int32(clamping: self.bytes.count), text, bytes.count, &proof, &size)
        != nil,
      Int(size) == hash.size
    else { return nil }
    proof.removeLast(32 - hash.size)
    return proof
  }
}

extension STUNMessage {
  /// Whether it was made by somebody who has the key, compared in constant time. false without the attribute of the key's hash.
  func isAuthentic(_ key: STUNKey) -> Bool {
    let place = key.hash == .sha1 ? integrity : integrity256
    guard place > 0 else { return false }
    let size = Int(bytes.u16(at: place + 2))
    // The length in the header, as it was when the proof was made (section 14.5).
    return withUnsafeTemporaryAllocation(byteCount: place, alignment: 4) { copy in
      copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(place)))
      let length = place + 4 + size - STUNMessage.headerSize
      (copy[2], copy[3]) = (UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length))
      guard let proof = key.proof(of: UnsafeRawBufferPointer(copy)), size <= proof.count, let given = bytes.baseAddress else {
        return false
      }
      // A proof by SHA-256 may be cut (section 14.6).
      return CRYPTO_memcmp(given + place + 4, proof, size) == 0
    }
  }

  /// By a password of ICE: with SHA-1, or, where that is missing, SHA-256.
  func isAuthentic(password: String) -> Bool {
    isAuthentic(STUNKey(password: password, integrity > 0 ? .sha1 : .sha256))
  }

  /// There is one, and it is right.
  var hasFingerprint: Bool {
    fingerprint > 0
      && bytes.u32(at: fingerprint + 4) == STUNFingerprint.of(UnsafeRawBufferPointer(rebasing: bytes.prefix(fingerprint)))
  }
}

/// CRC-32 of what is before it, masked (RFC 8489, section 14.7).
enum STUNFingerprint {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
  }

  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var rest = UInt32.max
    table.withUnsafeBufferPointer { table in
      for byte in bytes { rest = table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] ^ rest >> 8 }
    }
    return ~rest ^ 0x5354_554E
  }
}
