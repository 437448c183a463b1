import Testing

@testable import MediaSCTP

@Suite struct SCTPPacketCheckTests {
  private func check(_ bytes: [UInt8]) -> SCTPPacketCheck? { bytes.withUnsafeBytes { SCTPPacketCheck($0, from: 5000, to: 5001) } }

  private func packet(_ chunks: [UInt8]...) -> [UInt8] { [0x13, 0x88, 0x13, 0x89, 1, 2, 3, 4, 0, 0, 0, 0] + chunks.joined() }

  @Test func whatFitsPasses() {
    #expect(check(packet([3, 0, 0, 4]))?.begins == false)
    #expect(check(packet([3, 0, 0, 4], [0, 3, 0, 17] + [UInt8](repeating: 0, count: 16)))?.begins == false)
    // Without the padding of the last one.
    #expect(check(packet([3, 0, 0, 4], [0, 3, 0, 17] + [UInt8](repeating: 0, count: 13))) != nil)
    // Of a kind that nobody knows.
    #expect(check(packet([0xbe, 0, 0, 4])) != nil)
  }

  @Test func whatBeginsAnAssociationIsSeen() {
    #expect(check(packet([1, 0, 0, 4]))?.begins == true)
    #expect(check(packet([2, 0, 0, 4]))?.begins == true)
    #expect(check(packet([3, 0, 0, 4], [1, 0, 0, 4]))?.begins == true)
  }

  @Test func whatGoesBeyondThePacketIsDropped() {
    #expect(check(packet()) == nil)
    #expect(check([]) == nil)
    #expect(check(packet([3, 0, 0, 3])) == nil)
    #expect(check(packet([3, 0, 0, 0])) == nil)
    #expect(check(packet([3, 0, 0, 5])) == nil)
    #expect(check(packet([3, 0, 0, 4], [3, 0])) == nil)
    #expect(check(packet([3, 0, 0, 4, 3])) == nil)
    #expect(check(packet([3, 0, 0x40, 4] + [UInt8](repeating: 0, count: 16_384))) == nil)
  }

  @Test func otherPortsAreDropped() {
    #expect(packet([3, 0, 0, 4]).withUnsafeBytes { SCTPPacketCheck($0, from: 5001, to: 5001) } == nil)
    #expect(packet([3, 0, 0, 4]).withUnsafeBytes { SCTPPacketCheck($0, from: 5000, to: 5000) } == nil)
  }

  @Test func whatWasNeverOfferedIsDropped() {
    for kind: UInt8 in [0x0c, 0x0d, 0x0f, 0x10, 0x40, 0x80, 0x81, 0xc1, 0xc2] {
      #expect(check(packet([kind, 0, 0, 4])) == nil)
      #expect(check(packet([3, 0, 0, 4], [kind, 0, 0, 4])) == nil)
    }
  }
}
