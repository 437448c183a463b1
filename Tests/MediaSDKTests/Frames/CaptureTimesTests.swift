import Testing

@testable import MediaSDK

/// Sends with times of a clock of the program's own, which lies anywhere.
private struct Stream {
  var times = CaptureTimes()

  mutating func send(_ time: Int64, at now: Int64, _ line: inout Int64?, mayBeginLine: Bool = true) -> Int64 {
    times.take(.init(time: time, mayBeginLine: mayBeginLine), live: now, next: now, earliest: times.last, &line)
  }
}

@Suite struct CaptureTimesTests {
  private static let now = 1000 * second

  @Test func timesOfTheEnginePass() {
    var (stream, line) = (Stream(), Int64?.none)
    for offset in [-10 * second, -second, 0, 0, 60 * second] as [Int64] {
      #expect(stream.send(Self.now + offset, at: Self.now, &line) == Self.now + offset)
    }
    #expect(line == nil)
  }

  @Test(arguments: [-10 * second - 1, 60 * second + 1, -1000 * second, .max / 2] as [Int64])
  func whatIsFartherIsNowAndTheRestKeepsItsDistance(offset: Int64) {
    var (stream, line) = (Stream(), Int64?.none)
    #expect(stream.send(Self.now &+ offset, at: Self.now, &line) == Self.now)
    #expect(stream.send(Self.now &+ offset &+ 40 * millisecond, at: Self.now + 55 * millisecond, &line) == Self.now + 40 * millisecond)
    #expect(line == 0 &- offset)
  }

  @Test func afterAWildTimeTheEnginesPassAgain() {
    var (stream, line) = (Stream(), Int64?.none)
    #expect(stream.send(1234, at: Self.now, &line) == Self.now)
    #expect(stream.send(Self.now + 30 * millisecond, at: Self.now + 70 * millisecond, &line) == Self.now + 30 * millisecond)
  }

  @Test func zeroIsGivenByItsConstant() {
    var (stream, line) = (Stream(), Int64?.none)
    #expect(stream.send(CaptureTimes.zero, at: Self.now, &line) == Self.now)
    #expect(line == Self.now)
    #expect(stream.send(20 * millisecond, at: Self.now + 33 * millisecond, &line) == Self.now + 20 * millisecond)
  }

  @Test func anotherStreamJoinsTheLine() {
    var (one, other, line) = (Stream(), Stream(), Int64?.none)
    _ = one.send(CaptureTimes.zero, at: Self.now, &line)
    // It comes half a second late.
    #expect(other.send(second, at: Self.now + 1500 * millisecond, &line) == Self.now + second)
    // Both begin anew, one after the other.
    let later = Self.now + 5 * second
    _ = one.send(4999 * millisecond, at: later, &line)
    _ = other.send(4980 * millisecond, at: later, &line)
    #expect(one.send(CaptureTimes.zero, at: later, &line) == later)
    #expect(other.send(CaptureTimes.zero, at: later + 100 * millisecond, &line) == later)
    #expect(line == later)
  }

  @Test func whoIsTooFarBehindTheOthersBeginsALine() {
    var (one, other, line) = (Stream(), Stream(), Int64?.none)
    _ = one.send(CaptureTimes.zero, at: Self.now, &line)
    let later = Self.now + 3 * second
    #expect(other.send(CaptureTimes.zero, at: later, &line) == later)
    #expect(one.send(3 * second, at: later, &line) == later)
  }

  @Test func whatJumpsBackDoesNotComeBeforeTheFrameBefore() {
    var (stream, line) = (Stream(), Int64?.none)
    _ = stream.send(Self.now + 30 * second, at: Self.now, &line)
    #expect(stream.send(Self.now, at: Self.now, &line) == Self.now + 30 * second)
    #expect(stream.send(Self.now + second, at: Self.now, &line) == Self.now + 31 * second)
  }

  @Test func aFrameThatIsSentAgainBeginsNoLine() {
    var (stream, line) = (Stream(), Int64?.none)
    _ = stream.send(Self.now, at: Self.now, &line)
    _ = stream.send(Self.now + second, at: Self.now + second, &line)
    #expect(stream.send(Self.now, at: Self.now + 2 * second, &line, mayBeginLine: false) == Self.now + 2 * second)
    #expect(stream.send(Self.now + 3 * second, at: Self.now + 3 * second, &line) == Self.now + 3 * second)
    #expect(line == nil)
  }

  @Test func whatWasDroppedMayComeAgain() {
    var (stream, line) = (Stream(), Int64?.none)
    for offset in 0..<5 as Range<Int64> { _ = stream.send(Self.now + offset * second, at: Self.now, &line) }
    stream.times.forget(from: Self.now + 2 * second)
    #expect(stream.send(Self.now + 2 * second, at: Self.now, &line) == Self.now + 2 * second)
    #expect(line == nil)
  }
}
