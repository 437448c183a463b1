import Glibc
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct ExitReasonTests {
  @Test func wordsNameSignalCodeAndOutput() {
    func text(_ status: Int32?, reason: String? = nil, doing: String? = nil, output: String = "") -> String {
      ExitReason.describe(ExitStatus(status: status), reason: reason, doing: doing, output: output)
    }
    #expect(text(SIGSEGV, doing: "produceFrame").hasPrefix("its process died of SIGSEGV ("))
    #expect(text(SIGSEGV, doing: "produceFrame").hasSuffix(" in produceFrame"))
    #expect(text(7 << 8) == "its process exited with code 7")
    #expect(text(nil) == "its process is gone")
    #expect(text(SIGKILL, reason: "it hung", doing: "x") == "its process was ended: it hung")
    #expect(text(0, output: "last words") == "its process exited with code 0; its last output: last words")
    let long = text(0, output: String(repeating: "x", count: 9_000))
    #expect(long.count < 400 && long.contains("its last output: \u{2026}x"))
  }

  /// What ends so after destroy is no death.
  @Test func leavingIsExitWithZero() {
    #expect(ExitReason.isLeaving(ExitStatus(status: 0)))
    #expect(!ExitReason.isLeaving(ExitStatus(status: 7 << 8)))
    #expect(!ExitReason.isLeaving(ExitStatus(status: SIGKILL)))
    #expect(!ExitReason.isLeaving(ExitStatus(status: nil)))
  }

  @Test func signalsWithoutAName() {
    #expect(ExitReason.name(40).hasPrefix("signal 40"))
  }
}
