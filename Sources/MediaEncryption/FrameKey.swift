import CMediaSDK
import COpenSSL
import MediaCore

/// A key of frames as a program knows it, and the key of AES that is made of it. Value.
public struct FrameKey: Sendable, Equatable {
  /// Bytes of what a program may give: a passphrase or random bytes.
  public static let longest = Int(MSDK_FRAME_KEY_MAX)
  /// Each participant may have so many; a frame says by which it is sealed.
  public static let indices = Int(MSDK_FRAME_KEY_INDEX_MAX) + 1
  /// What everybody who exchanges frames has to have: LiveKit's.
  private static let (salt, rounds) = (Array("LKFrameEncryptionKey".utf8), Int32(100_000))
  private static let (size, ratchetedSize) = (16, 32)

  /// What it was made of.
  let material: [UInt8]
  let cipherKey: [UInt8]
  /// What the program gave, and how often it was ratcheted since.
  let root: [UInt8]
  let steps: Int

  /// PBKDF2 with SHA-256 (RFC 8018, section 5.2), of tens of milliseconds on purpose. Throws `.range` for a length out of 1...`longest`, and
  /// `.noMemory`.
  public init(_ material: [UInt8], argument: String) throws(MediaError) {
    guard (1...FrameKey.longest).contains(material.count) else {
      throw MediaError(.range, "\(argument) has \(material.count) bytes; accepted: 1..\(FrameKey.longest)")
    }
    try self.init(material, root: material, steps: 0)
  }

  private init(_ material: [UInt8], root: [UInt8], steps: Int) throws(MediaError) {
    (self.material, self.root, self.steps) = (material, root, steps)
    cipherKey = try FrameKey.derive(material, FrameKey.size)
  }

  /// The one after it, which whoever has this one can make, and nobody can go back from.
  public func ratcheted() throws(MediaError) -> FrameKey {
    try FrameKey(FrameKey.derive(material, FrameKey.ratchetedSize), root: root, steps: steps + 1)
  }

  private static func derive(_ material: [UInt8], _ size: Int) throws(MediaError) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: size)
    let isDone = material.withUnsafeBytes { bytes in
      PKCS5_PBKDF2_HMAC(
        bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), salt, Int32(salt.count), rounds, EVP_sha256(),
        Int32(size),
        &output)
    }
    guard isDone == 1 else { throw MediaError(.noMemory, "OpenSSL derived no key, or had no memory for it") }
    return output
  }
}
