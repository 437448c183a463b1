import COpenSSL
import MediaCore

/// The keys of one direction, made of its master key (RFC 3711, section 4.3; key derivation rate 0).
struct SessionKeys {
  var cipher: [UInt8]
  var salt: [UInt8]
  var authentication: [UInt8]

  private enum Label {
    static let cipher: UInt8 = 0
    static let authentication: UInt8 = 1
    static let salt: UInt8 = 2
    /// Those of RTCP come after those of RTP.
    static let control: UInt8 = 3
  }

  init(cipher: [UInt8], salt: [UInt8], authentication: [UInt8] = []) {
    (self.cipher, self.salt, self.authentication) = (cipher, salt, authentication)
  }

  init(_ master: SRTPKey, _ profile: SRTPProfile, isControl: Bool) throws(MediaError) {
    let first = isControl ? Label.control : 0
    cipher = try SessionKeys.derive(master, first + Label.cipher, profile.keySize)
    salt = try SessionKeys.derive(master, first + Label.salt, profile.saltSize)
    authentication = profile == .aesCounterSHA1 ? try SessionKeys.derive(master, first + Label.authentication, 20) : []
  }

  /// The pseudo-random function is the key stream of AES in counter mode from the salt on, the label in its seventh byte from the end
  /// (section 4.3.3); a key of 256 bits takes AES of as many (RFC 6188, section 3). A shorter salt is taken for the first bytes of one of
  /// 112 bits (RFC 7714, section 11).
  private static func derive(_ master: SRTPKey, _ label: UInt8, _ size: Int) throws(MediaError) -> [UInt8] {
    var counter = master.salt + [UInt8](repeating: 0, count: 16 - master.salt.count)
    counter[7] ^= label
    let stream = try CipherContext(master.key.count == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr(), key: master.key)
    var output = [UInt8](repeating: 0, count: size)
    let isDone = output.withUnsafeMutableBytes { stream.crypt(UnsafeRawBufferPointer($0), into: $0, initial: counter) }
    guard isDone else { throw CipherContext.failure }
    return output
  }
}
