import Testing

@testable import MediaRTP

@Suite struct NumbersTests {
  @Test func beforeAndAfterGoTheShorterWay() {
    #expect(SequenceNumber(2).distance(from: SequenceNumber(65_534)) == 4)
    #expect(SequenceNumber(65_534).distance(from: SequenceNumber(2)) == -4)
    #expect(SequenceNumber(65_535).next == SequenceNumber(0))
    #expect(SequenceNumber(3).advanced(by: -5) == SequenceNumber(65_534))
    #expect(RTPTimestamp(10).distance(from: RTPTimestamp(.max)) == 11)
    #expect(RTPTimestamp(.max).advanced(by: 3001) == RTPTimestamp(3000))
  }

  @Test func numbersGoOnWhereTheyWrap() {
    var unwrapper = Unwrapper<UInt16>()
    #expect([65_534, 65_535, 0, 65_533, 1].map { unwrapper.unwrap($0) } == [65_534, 65_535, 65_536, 65_533, 65_537])
    #expect(unwrapper.peek(0) == 65_536)
    // Late ones do not move what the next is measured from.
    #expect(unwrapper.unwrap(40_000) == 40_000)
    #expect(unwrapper.unwrap(20_000) == 65_536 + 20_000)
    unwrapper.reset()
    #expect(unwrapper.unwrap(9) == 9)
  }

  @Test func aSecondDayOfStampsIsToldFromTheFirst() {
    var unwrapper = Unwrapper<UInt32>()
    var (stamp, expected) = (UInt32.max - 1000, Int64(UInt32.max) - 1000)
    #expect(unwrapper.unwrap(stamp) == expected)
    for _ in 0..<10 {
      stamp &+= 0x7000_0000
      expected += 0x7000_0000
      #expect(unwrapper.unwrap(stamp) == expected)
    }
  }

  @Test func beforeTheBeginningIsBelowZero() {
    var unwrapper = Unwrapper<UInt16>()
    _ = unwrapper.unwrap(1)
    #expect(unwrapper.unwrap(65_535) == -1)
    #expect(unwrapper.unwrap(2) == 2)
  }
}
