import Testing

@testable import MediaTransport

@Suite struct StampLineTests {
  private let second = 1000 * millisecond

  @Test func stampsAreThoseOfTheCapture() {
    var line = StampLine(rate: 90_000)
    #expect(line.units(captured: 5 * second, now: 7 * second) == 450_000)
    #expect(line.units(captured: 5 * second + 100 * millisecond, now: 7 * second + 130 * millisecond) == 459_000)
    // A pause is no jump.
    #expect(line.units(captured: 65 * second, now: 67 * second) == 5_850_000)
  }

  @Test func whatRepeatsOrGoesBackGoesOnByTheTimeOfSending() {
    var line = StampLine(rate: 90_000)
    #expect(line.units(captured: 5 * second, now: 7 * second) == 450_000)
    #expect(line.units(captured: 5 * second, now: 7 * second) == 450_001)
    #expect(line.units(captured: 4 * second, now: 8 * second) == 540_001)
    // From there on by its own stamps.
    #expect(line.units(captured: 4 * second + 500 * millisecond, now: 8 * second + 510 * millisecond) == 585_001)
  }

  @Test(arguments: [Int64.max, .min, .min + 1, -1, 0, 1 << 62])
  func noJumpIsFollowed(captured: Int64) {
    var line = StampLine(rate: 48_000)
    var last = line.units(captured: 5 * second, now: 7 * second)
    for number in 1...3 as ClosedRange<Int64> {
      let next = line.units(captured: number == 2 ? captured : 5 * second + number * second, now: 7 * second + number * second)
      #expect(next - last == 48_000)
      last = next
    }
  }
}
