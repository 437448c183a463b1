import Testing

@testable import MediaRTP

@Suite struct AnnouncementTests {
  private func due(_ announcement: inout Announcement, _ milliseconds: Range<Int64>) -> [Int64] {
    milliseconds.filter { announcement.isDue(at: $0 * 1_000_000) }
  }

  @Test func itIsRepeatedAndThenLeftToTheSchedule() {
    var announcement = Announcement()
    let times = due(&announcement, 5..<5000)
    #expect(times == [5, 105, 305, 705])
  }

  @Test func whoHeardItIsNotToldAgain() {
    var announcement = Announcement()
    let before = due(&announcement, 0..<150)
    announcement.isHeard = true
    let after = due(&announcement, 150..<5000)
    #expect(before == [0, 100] && after.isEmpty)
  }
}
