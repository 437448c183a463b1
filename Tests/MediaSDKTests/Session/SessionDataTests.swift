import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct DataInboxTests {
  private func message(_ count: Int) -> DataMessage { DataMessage(Array(repeating: 7, count: count)) }

  /// Who sent the next, how many were missed before it, and whether it was taken.
  private func read(_ inbox: inout DataInbox, upTo most: Int = .max) -> String? {
    inbox.read(upTo: most).map { "\($0.data.userID) \($0.data.missed) \($0.isTaken)" }
  }

  private func take(_ inbox: inout DataInbox, _ count: Int, from userID: String) -> Bool { inbox.take(message(count), from: userID) }

  @Test func theReaderIsToldOnceUntilTheEndIsFound() {
    var inbox = DataInbox()
    let empty = read(&inbox)
    let told = [take(&inbox, 1, from: "a"), take(&inbox, 2, from: "b")]
    let first = [read(&inbox), read(&inbox)]
    let later = take(&inbox, 3, from: "c")
    let rest = [read(&inbox), read(&inbox)]
    let again = take(&inbox, 4, from: "d")
    #expect(empty == nil && told == [true, false] && first == ["a 0 true", "b 0 true"])
    #expect(!later && rest == ["c 0 true", nil] && again)
  }

  @Test func whatIsTooLongStays() {
    var inbox = DataInbox()
    _ = take(&inbox, 100, from: "a")
    let found = [read(&inbox, upTo: 99), read(&inbox, upTo: 99), read(&inbox, upTo: 100), read(&inbox)]
    #expect(found == ["a 0 false", "a 0 false", "a 0 true", nil])
  }

  @Test func theOldestIsDroppedAndCounted() {
    var inbox = DataInbox()
    for number in 0..<DataInbox.mostMessages + 3 { _ = take(&inbox, 1, from: "\(number)") }
    var found = [read(&inbox, upTo: 0), read(&inbox), read(&inbox)]
    #expect(found == ["3 3 false", "3 3 true", "4 0 true"])
    // By their bytes, too; one alone is always kept.
    inbox = DataInbox()
    for number in 0..<3 { _ = take(&inbox, DataInbox.mostBytes / 2, from: "\(number)") }
    found = [read(&inbox)]
    #expect(found == ["1 1 true"])
    // Topics of other programs take memory, too.
    inbox = DataInbox()
    var topical = message(0)
    topical.topic = String(repeating: "t", count: 60_000)
    for number in 0..<100 { _ = inbox.take(topical, from: "\(number)") }
    found = [read(&inbox)]
    #expect(found == ["\(100 - DataInbox.mostBytes / 60_000) \(100 - DataInbox.mostBytes / 60_000) true"])
    inbox = DataInbox()
    _ = take(&inbox, DataInbox.mostBytes + 1, from: "a")
    found = [read(&inbox), read(&inbox)]
    #expect(found == ["a 0 true", nil])
  }
}
