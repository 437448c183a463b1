import Testing

@testable import MediaSCTP

@Suite struct ChannelControlTests {
  @Test func whatIsWrittenIsRead() {
    let all: [ChannelControl] = [
      .acknowledge, .open(.init()),
      .open(.init(isOrdered: false, reliability: .retransmissions(7), priority: 1024, label: Array("a".utf8), protocol: [])),
      .open(.init(isOrdered: true, reliability: .lifetime(milliseconds: 0xdead_beef), priority: 0, label: [], protocol: Array("bc".utf8)))
    ]
    for message in all { #expect(ChannelControl(message.bytes) == message) }
  }

  /// RFC 8832, section 5.1.
  @Test func theBytesAreThoseOfTheRFC() {
    let open = ChannelControl.open(
      .init(isOrdered: false, reliability: .lifetime(milliseconds: 0x0102_0304), priority: 0x0506, label: [65, 66], protocol: [67]))
    #expect(open.bytes == [3, 0x82, 5, 6, 1, 2, 3, 4, 0, 2, 0, 1, 65, 66, 67])
    #expect(ChannelControl.acknowledge.bytes == [2])
  }

  @Test func whatIsNoneIsNil() {
    let open = ChannelControl.open(.init(label: [65, 66], protocol: [67])).bytes
    for count in 0..<open.count { #expect(ChannelControl(Array(open.prefix(count))) == nil) }
    #expect(ChannelControl(open + [0]) == nil)
    #expect(ChannelControl([4]) == nil)
    #expect(ChannelControl([]) == nil)
    // An unknown reliability.
    #expect(ChannelControl([3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    // Longer than this end keeps.
    #expect(ChannelControl([3, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0] + [UInt8](repeating: 65, count: 1025)) == nil)
    #expect(ChannelControl([3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0] + [UInt8](repeating: 65, count: 1024)) != nil)
  }

  @Test func moreRetransmissionsThanThereAreAreAll() {
    #expect(ChannelControl([3, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]) == .open(.init(reliability: .retransmissions(65_535), priority: 0)))
  }
}
