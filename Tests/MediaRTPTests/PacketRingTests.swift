import Testing

@testable import MediaRTP

@Suite struct PacketRingTests {
  private func put(_ ring: PacketRing, _ number: Int64, _ bytes: [UInt8], time: Int64 = 0) -> Bool {
    bytes.withUnsafeBytes { ring.put(number, $0, time: time) }
  }

  @Test func packetsAreFoundByTheirNumberUntilARoundLater() {
    let ring = PacketRing(capacity: 10, slotSize: 64)
    #expect(ring.capacity == 16)
    for number in Int64(0)..<20 { #expect(put(ring, number, [UInt8(number)])) }
    #expect(!ring.contains(3) && ring.packet(3) == nil && ring.entry(3) == nil)
    for number in Int64(4)..<20 { #expect(ring.packet(number)?.elementsEqual([UInt8(number)]) == true) }
    ring.drop(19)
    ring.drop(3)
    #expect(!ring.contains(19) && ring.contains(4) && !ring.contains(-1) && !ring.contains(.max))
  }

  @Test func whatIsTooLargeIsNotKept() {
    let ring = PacketRing(capacity: 16, slotSize: 64)
    #expect(!put(ring, 1, [UInt8](repeating: 1, count: 65)))
    #expect(put(ring, 1, [UInt8](repeating: 1, count: 64)))
    ring.keep(2, size: 65, time: 0)
    ring.keep(-1, size: 1, time: 0)
    #expect(!ring.contains(2))
    #expect(PacketRing(capacity: .max, slotSize: 64).capacity == 32_768)
  }

  @Test func aPacketIsSentAgainOnceInARoundTripAndNotForEver() {
    let ring = PacketRing(capacity: 16, slotSize: 64)
    _ = put(ring, 5, [1, 2], time: 100)
    func again(_ now: Int64) -> Bool {
      ring.takeForResending(5, now: now, roundTrip: 50, longest: 1000, mostSendings: 3) != nil
    }
    #expect(again(110))
    #expect(!again(150))
    #expect(again(160))
    #expect(again(210))
    #expect(!again(900))
    #expect(ring.entry(5)?.sendings == 3)
    _ = put(ring, 5, [1], time: 100)
    #expect(!again(1101))
    #expect(again(1100))
    #expect(ring.takeForResending(6, now: 0, roundTrip: 0, longest: 1, mostSendings: 1) == nil)
  }
}
