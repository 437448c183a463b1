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

  @Test func itGrowsWithWhatIsYoungAndNoFurther() {
    let ring = PacketRing(capacity: 500, slotSize: 64, lifetime: 1000)
    #expect(ring.capacity == 512 && ring.slots == 32)
    func holds(_ numbers: Range<Int64>) -> Bool {
      numbers.allSatisfy { ring.packet($0)?.elementsEqual([UInt8(truncatingIfNeeded: $0)]) == true }
    }
    // A hundred packets are of the last thousand.
    for number in Int64(7)..<5000 {
      #expect(put(ring, number, [UInt8(truncatingIfNeeded: number)], time: number * 10))
      let sent = ring.takeForResending(number, now: number * 10, roundTrip: 0, longest: 1000, mostSendings: 3)
      #expect(sent != nil && holds(max(7, number - 99)..<number + 1))
    }
    #expect(ring.slots == 128 && ring.entry(4950)?.sendings == 1)
    // The same one again is no other.
    for _ in 0..<100 { #expect(put(ring, 4999, [135], time: 49_990)) }
    #expect(ring.slots == 128)
    // A gap, and all at once, of which as many are kept as there may be.
    for number in Int64(9000)..<10_000 { #expect(put(ring, number, [UInt8(truncatingIfNeeded: number)], time: 100_000)) }
    #expect(ring.slots == 512 && holds(9488..<10_000) && !ring.contains(9487) && !ring.contains(4999))
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
    func takes(_ now: Int64) -> Bool { ring.takeForResending(5, now: now, roundTrip: 50, longest: 1000, mostSendings: 3) != nil }
    func again(_ now: Int64) -> Bool {
      let isTaken = takes(now)
      if isTaken { ring.leftAgain(5, now: now) }
      return isTaken
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
    // From its leaving on, however long it waited.
    #expect(!ring.isRepairable(5, now: 2000, longest: 1000, mostSendings: 3))
    ring.left(5, at: 1500)
    #expect(
      ring.isRepairable(5, now: 2500, longest: 1000, mostSendings: 3) && !ring.isRepairable(5, now: 2501, longest: 1000, mostSendings: 3))
    #expect(again(2500))
    #expect(!ring.isRepairable(6, now: 0, longest: 1000, mostSendings: 3))
    // It waits to leave for longer than a round trip, and then is on its way for one.
    _ = put(ring, 5, [1], time: 100)
    #expect(takes(110) && !takes(200) && !takes(900))
    ring.leftAgain(5, now: 900)
    #expect(!takes(949) && ring.entry(5)?.sendings == 1)
    // One for which there was no room was not sent.
    #expect(takes(950))
    ring.leftAgain(5, now: nil)
    #expect(ring.entry(5)?.sendings == 1 && takes(951))
    ring.leftAgain(6, now: 0)
    #expect(ring.takeForResending(6, now: 0, roundTrip: 0, longest: 1, mostSendings: 1) == nil)
  }
}
