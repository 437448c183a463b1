import MediaRTP
import Testing

@testable import MediaSRTP

@Suite struct PacketCipherTests {
  private let packet = bytes(
    """
    8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976 69736120 696e2070 61727465 73207472 6573
    """)

  /// RFC 7714, sections 16.1.1 and 16.2.1.
  private static let standard = [
    (
      SRTPProfile.aesGCM,
      """
      f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce
      """
    ),
    (
      SRTPProfile.aesGCM256,
      """
      32b1de78 a822fe12 ef9f78fa 332e33aa b1801238 9a58e2f3 b50b2a02 76ffae0f 1ba63799 b87b7aa3 db36dfff d6b0f9bb 7878d7a7 6c13
      """
    )
  ]

  @Test(arguments: standard) func galoisCounterModeIsThatOfTheStandard(profile: SRTPProfile, expected: String) throws {
    // Keys of the session, not the master's.
    let keys = SessionKeys(cipher: (0..<UInt8(profile.keySize)).map { $0 }, salt: bytes("51756964 2070726f 2071756f"))
    let cipher = try PacketCipher(keys, profile)
    var output = [UInt8](repeating: 0, count: packet.count - 12)
    var tag = [UInt8](repeating: 0, count: 16)
    let isDone = packet.withUnsafeBytes { packet in
      output.withUnsafeMutableBytes { output in
        tag.withUnsafeMutableBytes { tag in
          cipher.seal(
            .init(ssrc: 0x5501_A0B2, index: 0xF17B, isControl: false), front: UnsafeRawBufferPointer(rebasing: packet.prefix(12)),
            UnsafeRawBufferPointer(rebasing: packet.dropFirst(12)), into: output, tag: tag,
            trailer: UnsafeRawBufferPointer(start: nil, count: 0))
        }
      }
    }
    #expect(isDone)
    #expect(output + tag == bytes(expected))
  }
}
