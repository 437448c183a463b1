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

  private func saying(_ announcement: inout Announcement, _ milliseconds: Range<Int64>) -> [Int64] {
    milliseconds.filter { $0 % 20 == 0 && announcement.saysCapture(at: $0 * 1_000_000) }
  }

  @Test func eachFrameSaysItUntilAReportWasHeard() {
    var announcement = Announcement()
    let before = saying(&announcement, 0..<500)
    announcement.isHeard = true
    let after = saying(&announcement, 500..<4000)
    #expect(before.count == 25 && after == [1480, 2480, 3480])
  }

  @Test func whoNeverReportsIsToldOnceASecond() {
    var announcement = Announcement()
    let (before, after) = (saying(&announcement, 0..<10_000), saying(&announcement, 10_000..<15_000))
    #expect(before.count == 500 && after.count == 5)
  }
}
