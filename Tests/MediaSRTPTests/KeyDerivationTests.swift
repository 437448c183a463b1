import COpenSSL
import MediaCore
import Testing

@testable import MediaSRTP

@Suite struct KeyDerivationTests {
  @Test func keysAreThoseOfTheStandard() throws {
    // RFC 3711, appendix B.3.
    let master = try SRTPKey(bytes("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6"), .aesCounterSHA1)
    let keys = try SessionKeys(master, .aesCounterSHA1, isControl: false)
    #expect(keys.cipher == bytes("C61E7A93744F39EE10734AFE3FF7A087"))
    #expect(keys.salt == bytes("30CBBC08863D8C85D49DB34A9AE1"))
    #expect(keys.authentication == bytes("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    let control = try SessionKeys(master, .aesCounterSHA1, isControl: true)
    #expect(control.cipher != keys.cipher && control.salt != keys.salt && control.authentication != keys.authentication)
  }

  @Test func keysOf256BitsAreDerivedByAESOfAsMany() throws {
    let key = bytes("F0F04914B513F2763A1B1FA130F10E29 98F6F6E43E4309D1E622A0E332B9F1B6")
    // RFC 6188, section 7.2: the stream that makes the key of the cipher.
    let cipher = try CipherContext(EVP_aes_256_ctr(), key: key)
    var stream = [UInt8](repeating: 0, count: 32)
    let isDone = stream.withUnsafeMutableBytes {
      cipher.crypt(UnsafeRawBufferPointer($0), into: $0, initial: bytes("3B04803DE51EE7C96423AB5B78D20000"))
    }
    #expect(isDone && stream == bytes("5BA1064E30EC51613CAD926C5A28EF73 1EC7FB397F70A960653CAF06554CD8C4"))
    // With the 96 bits of salt that GCM has: as the openssl command computes it.
    let master = try SRTPKey(key + bytes("3B04803DE51EE7C96423AB5B"), .aesGCM256)
    let keys = try SessionKeys(master, .aesGCM256, isControl: false)
    #expect(keys.cipher == bytes("11bbe9220dd2807adf84c602b10c6156 71c7386298c7f0805e4dad5aecdfddab"))
    #expect(keys.salt == bytes("2f4b64a82bf4ceca0baac3a9") && keys.authentication.isEmpty)
    let control = try SessionKeys(master, .aesGCM256, isControl: true)
    #expect(control.cipher == bytes("bfb109bb0e7b3185647a1beb1db42866 b45be648d1a02c484cb4a23a78ab9e9d"))
  }

  @Test func theKeyStreamIsThatOfTheStandard() throws {
    // RFC 3711, appendix B.2.
    let cipher = try CipherContext(EVP_aes_128_ctr(), key: bytes("2B7E151628AED2A6ABF7158809CF4F3C"))
    var stream = [UInt8](repeating: 0, count: 48)
    let isDone = stream.withUnsafeMutableBytes {
      cipher.crypt(UnsafeRawBufferPointer($0), into: $0, initial: bytes("F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000"))
    }
    #expect(isDone)
    #expect(stream == bytes("E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0"))
  }

  @Test func keysOfAnotherSizeAreRefusedAndNoneIsShown() throws {
    do {
      _ = try SRTPKey([1, 2, 3], .aesGCM)
      Issue.record("accepted")
    } catch {
      #expect(error.text == "a key of AEAD_AES_128_GCM has 3 bytes; accepted: 28, 16 of the key and 12 of the salt")
    }
    let secret = try SRTPKey([UInt8](repeating: 0xAB, count: 30), .aesCounterSHA1)
    #expect("\(secret) \(String(reflecting: secret))" == "a master key a master key")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("171"))
  }
}
