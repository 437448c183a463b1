import MediaCore
import Testing

@testable import MediaEncryption

/// Expected values are of Python's hashlib.
@Suite struct FrameKeyTests {
  @Test func aPassphraseBecomesAKey() throws {
    let key = try FrameKey(Array("correct horse".utf8), argument: "key")
    #expect(hex(key.cipherKey) == "834e90983b671b2fa23af805580e4b43")
    let next = try key.ratcheted()
    #expect(hex(next.material) == "834e90983b671b2fa23af805580e4b438d4d35ac9e6d8b14005c77f674fbde62")
    #expect(hex(next.cipherKey) == "349832909d8c8c4fc80e2155d92189f6")
  }

  @Test(arguments: [0, 257]) func aKeyOfNoSuchLengthIsRefused(size: Int) throws {
    let error = #expect(throws: MediaError.self) { _ = try FrameKey([UInt8](repeating: 1, count: size), argument: "key") }
    #expect(error?.status == .range && error?.text == "key has \(size) bytes; accepted: 1..256")
  }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}
