import Testing

@testable import MediaCore

@Suite struct SocketAddressTests {
  @Test func addressesAreWrittenAsTheyWereRead() throws {
    for (text, full) in [
      ("127.0.0.1", "127.0.0.1:5004"), ("0.0.0.0", "0.0.0.0:5004"), ("::1", "[::1]:5004"), ("2001:db8::abcd", "[2001:db8::abcd]:5004"),
      ("::ffff:1.2.3.4", "[::ffff:1.2.3.4]:5004")
    ] {
      let address = try #require(SocketAddress(text, port: 5004))
      #expect(address.description == full && address.host == text)
      let (native, _) = address.native
      #expect(SocketAddress(native) == address)
      #expect(address.with(port: 9).port == 9 && address.with(port: 5004) == address)
    }
    #expect(SocketAddress("::ffff:1.2.3.4", port: 1) != SocketAddress("1.2.3.4", port: 1))
  }

  @Test func addressesAreMadeOfTheirBytes() throws {
    let v4 = try #require(SocketAddress("192.0.2.1", port: 9))
    #expect(SocketAddress(v4: 0xC000_0201, port: 9) == v4 && UInt32(truncatingIfNeeded: v4.words.low) == 0xC000_0201)
    let v6 = try #require(SocketAddress("2001:db8::ff", port: 9))
    #expect(SocketAddress(high: v6.words.high, low: v6.words.low, port: 9) == v6 && v6.words.high == 0x2001_0db8_0000_0000)
    #expect(SocketAddress(high: 0, low: 0xFFFF_C000_0201, port: 9) != v4)
  }

  @Test func interfacesAreKept() throws {
    let address = try #require(SocketAddress("fe80::1%lo", port: 7))
    #expect(address.host == "fe80::1%1")
    let (native, _) = address.native
    #expect(SocketAddress(native) == address)
  }

  @Test func whatIsNoAddressIsNone() {
    for text in ["", "localhost", "1.2.3", "1.2.3.4.5", "256.0.0.1", "[::1]", "::1::", "fe80::1%nosuch", "1.2.3.4\0"] {
      #expect(SocketAddress(text, port: 1) == nil, "\(text)")
    }
  }

  @Test func groupsAreTold() {
    for (text, isGroup) in [
      ("224.0.0.1", true), ("239.255.0.1", true), ("223.1.1.1", false), ("240.0.0.1", false), ("ff02::1", true), ("fe80::1", false)
    ] {
      #expect(SocketAddress(text, port: 1)?.isMulticast == isGroup, "\(text)")
    }
  }
}
