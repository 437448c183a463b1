import Testing

@testable import MediaCodecs

@Suite struct RowRefinementTests {
  private func coarse(_ hashes: [UInt64], readable: Int) -> RowRefinement {
    var screen = RowRefinement(rows: hashes.count)
    screen.measured(.sharp, bytes: 1_000 * hashes.count)
    screen.measured(.coarse, bytes: 500 * hashes.count)
    screen.sentCoarsely(hashes, readable: readable)
    return screen
  }

  @Test func itBecomesReadableAndThenSharpFromTheTopOnAsThereIsRoom() {
    let hashes = [UInt64](1...8)
    var screen = coarse(hashes, readable: 3)
    var parts: [[Int]] = []
    while screen.isCoarse, parts.count < 20, let part = screen.next(hashes, room: 2_100) {
      let rows = part.rows.indices.filter { part.rows[$0] }
      #expect(part.level == (parts.count < 2 ? .coarse : .sharp))
      parts.append(rows)
      screen.sent(part, hashes, bytes: (part.level == .sharp ? 1_000 : 500) * rows.count)
    }
    #expect(parts == [[3, 4, 5, 6], [7], [0, 1], [2, 3], [4, 5], [6, 7]])
    #expect(screen.shows(hashes) && !screen.shows(hashes.reversed()))
  }

  @Test func oneRowAtLeastIsSent() {
    let screen = coarse([1, 2, 3], readable: 0)
    #expect(screen.next([1, 2, 3], room: 10)?.rows == [true, false, false])
    #expect(screen.next([1, 2, 3], room: .max)?.rows == [true, true, true])
  }

  @Test func whatChangesGoesFirstAndMuchOfItBeginsAnew() {
    let screen = coarse([1, 2, 3, 4, 5, 6], readable: 6)
    #expect(screen.next([1, 2, 3, 4, 9, 6], room: 2_000)?.rows == [true, false, false, false, true, false])
    #expect(screen.next([9, 8, 7, 6, 5, 6], room: 2_000) == nil)
  }
}
