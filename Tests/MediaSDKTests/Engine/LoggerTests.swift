import MediaCore
import Testing

@testable import MediaSDK

@Suite struct LoggerTests {
  private let logger = Logger { 7 }
  private let lines = Journal<String>()

  @Test func onlyWhatIsOfTheLevelIsMadeAndTold() throws {
    var made = 0
    func text(_ text: String) -> String {
      made += 1
      return text
    }
    logger.set(level: 2) { [lines] record in lines.add("\(record.level) \(record.category) \(record.time) \(record.text)") }
    logger.log(1, .video, text("no"))
    #expect(made == 0)
    logger.log(2, .video, text("yes"))
    logger.log(3, .room, text("yes too"))
    #expect(lines.entries == ["2 video 7 yes", "3 room 7 yes too"])
    logger.set(level: 0, callback: nil)
    logger.log(3, .video, "is queued")
    #expect(lines.entries.count == 2)
    #expect(try logger.next(deadline: 0).text == "is queued")
  }

  @Test func whatIsLoggedMeanwhileWaitsItsTurn() {
    let logger = self.logger
    logger.set(level: 0) { [lines, unowned logger] record in
      if record.text == "outer" {
        logger.log(1, .session, "inner")
        lines.add("before")
      }
      lines.add(record.text)
    }
    logger.log(1, .session, "outer")
    #expect(lines.entries == ["before", "outer", "inner"])
  }

  @Test func aCallbackThatLogsWithoutEndIsBoundedInWaiting() {
    let logger = self.logger
    logger.set(level: 0) { [lines, unowned logger] record in
      lines.add(record.text)
      guard record.text == "first" else { return }
      for index in 0..<300 { logger.log(1, .session, "\(index)") }
    }
    logger.log(1, .session, "first")
    #expect(logger.droppedCount == 300 - 256)
    #expect(lines.entries.count == 257)
    #expect(lines.entries.last == "299")
  }

  @Test func theFormerCallbackIsNotRunningAnyMore() {
    let logger = self.logger
    let visit = Visit()
    logger.set(level: 0) { _ in visit.stay() }
    let caller = OSThread { logger.log(1, .session, "x") }
    visit.waitUntilInside()
    expectToWait(for: visit) { logger.set(level: 0, callback: nil) }
    caller.join()
  }

  @Test func withoutALevelNothingIsMade() {
    var made = 0
    func text() -> String {
      made += 1
      return "no"
    }
    logger.log(3, .plugin, text())
    #expect(made == 0)
    #expect(failure { _ = try logger.next(deadline: 0) }?.status == .timeout)
  }

  @Test func whatWasDroppedIsCountedInTheNextRecord() throws {
    logger.set(level: 0)
    let descriptor = try logger.descriptor()
    for index in 0..<260 { logger.log(1, .network, "\(index)") }
    let first = try logger.next(deadline: 0)
    #expect(first.dropped == 4 && first.text == "4" && first.category == .network && first.time == 7)
    #expect(try logger.next(deadline: 0).dropped == 0)
    #expect(isReadable(descriptor))
    for _ in 0..<254 { _ = try logger.next(deadline: 0) }
    #expect(!isReadable(descriptor))
  }

  @Test func theEndIsToldToThoseWhoWait() throws {
    logger.set(level: 0)
    let descriptor = try logger.descriptor()
    logger.close()
    #expect(isReadable(descriptor))
    #expect(failure { _ = try logger.next(deadline: .max) }?.status == .closed)
    logger.set(level: 0)
    logger.log(3, .session, "nobody hears")
    #expect(logger.droppedCount == 0)
  }
}
