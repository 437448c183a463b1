import Testing

@testable import MediaCore

@Suite struct ForeignTextTests {
  private func read(_ bytes: [UInt8], limit: Int = 16) throws -> String {
    try (bytes + [0]).withUnsafeBytes { buffer in
      try ForeignText.read(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), limit: limit, argument: "name")
    }
  }

  private func written(_ text: String, size: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xEE, count: size + 1)
    buffer.withUnsafeMutableBytes { ForeignText.write(text, to: UnsafeMutableRawBufferPointer(rebasing: $0[..<size])) }
    return buffer
  }

  @Test func readsUpToTheLimit() throws {
    #expect(try read(Array("smörgås".utf8)) == "smörgås")
    #expect(try read([]) == "")
    #expect(try read(Array(repeating: 97, count: 16)) == String(repeating: "a", count: 16))
  }

  @Test func refusesInWords() {
    let null = failure { _ = try ForeignText.read(nil, limit: 16, argument: "name") }
    #expect(null?.status == .invalid)
    #expect(null?.text.contains("name is NULL") == true)
    let long = failure { _ = try read(Array(repeating: 97, count: 17)) }
    #expect(long?.status == .invalid)
    #expect(long?.text.contains("16") == true)
    for bad in [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
      #expect(failure { _ = try read(bad) }?.status == .invalid, "\(bad)")
    }
  }

  @Test func readsNothingPastTheLimit() {
    // No NUL in the 17 bytes that may be looked at.
    let bytes = [CChar](repeating: 97, count: 17)
    #expect(failure { _ = try bytes.withUnsafeBufferPointer { try ForeignText.read($0.baseAddress, limit: 16, argument: "name") } } != nil)
    #expect(bytes.withUnsafeBufferPointer { ForeignText.readLossy($0.baseAddress, limit: 17) }.count == 17)
  }

  @Test func whatMayBeMissingMayBeNull() throws {
    #expect(try ForeignText.readOptional(nil, limit: 4, argument: "name") == nil)
    #expect(try "ab".withCString { try ForeignText.readOptional($0, limit: 4, argument: "name") } == "ab")
  }

  @Test func lossyReadingRepairs() {
    #expect(ForeignText.readLossy(nil, limit: 4) == "")
    #expect("abcdef".withCString { ForeignText.readLossy($0, limit: 4) } == "abcd")
    #expect("aé".withCString { ForeignText.readLossy($0, limit: 2) } == "a\u{FFFD}")
  }

  @Test func writesCutAtACharactersBorder() {
    #expect(written("abc", size: 4) == [97, 98, 99, 0, 0xEE])
    #expect(written("abc", size: 3) == [97, 98, 0, 0xEE])
    #expect(written("aé", size: 3) == [97, 0, 0xEE, 0xEE])
    #expect(written("aé", size: 4) == [97, 0xC3, 0xA9, 0, 0xEE])
    #expect(written("🙂", size: 4) == [0, 0xEE, 0xEE, 0xEE, 0xEE])
    #expect(written("abc", size: 1) == [0, 0xEE])
    #expect(written("abc", size: 0) == [0xEE])
  }
}
