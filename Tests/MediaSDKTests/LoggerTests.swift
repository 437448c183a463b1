import MediaCore
import Testing

@testable import MediaSDK

@Suite struct LoggerTests {
  private let logger = Logger(level: 1)
  private let lines = Journal<String>()

  @Test func onlyWhatIsOfTheLevelIsMadeAndTold() {
    var made = 0
    func text(_ text: String) -> String {
      made += 1
      return text
    }
    logger.set(level: 2) { [lines] level, text in lines.add("\(level) \(text)") }
    logger.log(1, text("no"))
    #expect(made == 0)
    logger.log(2, text("yes"))
    logger.log(3, text("yes too"))
    #expect(lines.entries == ["2 yes", "3 yes too"])
    logger.set(level: 0, callback: nil)
    logger.log(3, "nobody hears")
    #expect(lines.entries.count == 2)
  }

  @Test func whatIsLoggedMeanwhileWaitsItsTurn() {
    let logger = self.logger
    logger.set(level: 0) { [lines, unowned logger] _, text in
      if text == "outer" {
        logger.log(1, "inner")
        lines.add("before")
      }
      lines.add(text)
    }
    logger.log(1, "outer")
    #expect(lines.entries == ["before", "outer", "inner"])
  }

  @Test func aCallbackThatLogsWithoutEndIsBoundedInWaiting() {
    let logger = self.logger
    logger.set(level: 0) { [lines, unowned logger] _, text in
      lines.add(text)
      guard text == "first" else { return }
      for index in 0..<100 { logger.log(1, "\(index)") }
    }
    logger.log(1, "first")
    #expect(logger.droppedCount == 36)
    #expect(lines.entries.count == 65)
    #expect(lines.entries.last == "99")
  }

  @Test func theFormerCallbackIsNotRunningAnyMore() {
    let logger = self.logger
    let visit = Visit()
    logger.set(level: 0) { _, _ in visit.stay() }
    let caller = OSThread { logger.log(1, "x") }
    visit.waitUntilInside()
    expectToWait(for: visit) { logger.set(level: 0, callback: nil) }
    caller.join()
  }
}
