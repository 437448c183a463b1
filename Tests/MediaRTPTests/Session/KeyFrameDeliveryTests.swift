import Testing

@testable import MediaRTP

/// Whether a key frame is on its way, by what feedback says of its packets.
@Suite struct KeyFrameDeliveryTests {
  private static let ms: Int64 = 1_000_000
  private static let roundTrip = 100 * ms
  private var delivery = KeyFrameDelivery(10...14, size: 100_000, longestLeaving: 10_000 * ms, at: 0)

  private func isUnderWay(_ time: Int64, target: Int = 1_000_000, isSure: Bool = false) -> Bool {
    delivery.isUnderWay(at: time * Self.ms, roundTrip: Self.roundTrip, target: target, isSure: isSure)
  }

  /// All five, a hundred milliseconds apart, under the numbers from 65,533 on.
  private mutating func leave() {
    for packet in 0..<5 as Range<Int64> {
      delivery.sent(10 + packet, as: UInt16(truncatingIfNeeded: 65_533 + packet), at: packet * 100 * Self.ms)
    }
  }

  @Test mutating func itIsWhileItLeaves() {
    #expect(isUnderWay(9_000) && isUnderWay(9_000, isSure: true) && !isUnderWay(10_000))
    for packet in 10..<14 as Range<Int64> { delivery.sent(packet, as: UInt16(packet), at: 5_000 * Self.ms) }
    #expect(isUnderWay(9_999, isSure: true))
  }

  @Test mutating func itIsNotOnceAllOfItHasCome() {
    leave()
    for number in [65_534, 65_533, 65_535, 0, 0, 7] as [UInt16] { delivery.arrived(number) }
    #expect(isUnderWay(500) && delivery.isAwaited)
    delivery.arrived(1)
    #expect(!isUnderWay(401) && !delivery.isAwaited && delivery.overtaken.isEmpty && !delivery.isMissing(12))
    delivery.arrived(1)
    #expect(!isUnderWay(401))
  }

  @Test mutating func whatSomethingLaterOvertookIsLost() {
    leave()
    #expect(delivery.overtaken.isEmpty)
    for number in [65_533, 0] as [UInt16] { delivery.arrived(number) }
    #expect(delivery.overtaken == [11, 12] && delivery.isMissing(14))
    // Sent again, it may yet come.
    delivery.sent(11, as: 20, at: 600 * Self.ms)
    #expect(delivery.overtaken == [12])
    delivery.arrived(20)
    #expect(delivery.overtaken == [12, 14])
  }

  /// Late feedback defers a request that is repeated, and no other one.
  @Test mutating func withoutFeedbackItIsAGuess() {
    leave()
    #expect(isUnderWay(470, isSure: true) && isUnderWay(480) && !isUnderWay(480, isSure: true))
    #expect(isUnderWay(1_590) && !isUnderWay(1_610))
    delivery.arrived(0)
    #expect(isUnderWay(480, isSure: true) && !isUnderWay(1_610, isSure: true))
  }

  /// Over a path that carries it in less than half a second.
  @Test mutating func aSmallOneIsMadeAnewSoonerThanItIsRepaired() {
    leave()
    for number in [65_533, 0] as [UInt16] { delivery.arrived(number) }
    #expect(isUnderWay(480) && isUnderWay(480, isSure: true))
    #expect(!isUnderWay(480, target: 1_600_000) && isUnderWay(470, target: 1_600_000))
  }

  @Test mutating func withoutTransportNumbersARoundTripCounts() {
    for packet in 10...14 as ClosedRange<Int64> { delivery.sent(packet, as: nil, at: 0) }
    #expect(isUnderWay(74) && !isUnderWay(76) && !delivery.isAwaited)
  }

  /// Of many, one may have come after its beginning; before that it serves all.
  @Test mutating func oneOfManyMayHaveMissedItsBeginning() {
    delivery.askAgain()
    #expect(!delivery.isAskedAgain)
    delivery.sent(10, as: 1, at: 0)
    delivery.askAgain()
    #expect(delivery.isAskedAgain)
    delivery.answer()
    #expect(!delivery.isAskedAgain)
  }

  @Test mutating func itIsNotOnceItWasGivenUp() {
    delivery.giveUp()
    #expect(!isUnderWay(1) && delivery.isLost && !delivery.isAwaited)
  }
}
