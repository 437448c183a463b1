import MediaRTP
import Testing

@testable import MediaSRTP

@Suite struct ReplayWindowsTests {
  @Test func aStreamThatLostItsWindowHasNothingNewBelowItsHighest() {
    var windows = ReplayWindows()
    for index in [65_600, 65_650] as [Int64] { windows.insert(index, from: SSRC(1)) }
    for ssrc in 0..<UInt32(ReplayWindows.mostOpen) { windows.insert(1, from: SSRC(1000 + ssrc)) }
    #expect(windows.index(of: 114, from: SSRC(1)) == 65_650)
    #expect(windows.index(of: 115, from: SSRC(1)) == 65_651)
    for index in [65_599, 65_600, 65_620, 65_650] as [Int64] { #expect(!windows.isNew(index, from: SSRC(1)), "\(index)") }
    #expect(windows.isNew(65_652, from: SSRC(1)))
    windows.insert(65_652, from: SSRC(1))
    for index in [65_600, 65_620, 65_650, 65_652] as [Int64] { #expect(!windows.isNew(index, from: SSRC(1)), "\(index)") }
    #expect([65_651, 65_653].allSatisfy { windows.isNew($0, from: SSRC(1)) })
  }

  @Test func thereIsAnEndToStreams() {
    var windows = ReplayWindows()
    for ssrc in 0..<UInt32(ReplayWindows.mostOpen + 10) { windows.insert(9, from: SSRC(ssrc)) }
    #expect(windows.isNew(1, from: SSRC(.max)))
    // Beyond them none is heard that was not before; those that were go on.
    windows.closed.merge((0..<UInt32(ReplayWindows.most)).map { (SSRC(0x8000_0000 + $0), 1) }) { first, _ in first }
    #expect(!windows.isNew(1, from: SSRC(.max)))
    #expect(windows.isNew(10, from: SSRC(1)) && windows.isNew(10, from: SSRC(UInt32(ReplayWindows.mostOpen))))
  }
}
