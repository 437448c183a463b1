import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct ChildAnswerTests {
  private func run(_ script: String, milliseconds: UInt32 = 30_000, most: Int = 65_536) throws -> ChildAnswer.Outcome {
    try ChildAnswer.of(
      "/bin/sh", ["-c", script, "program", "--scan", "a b"], most: most, deadline: Deadline.after(milliseconds: milliseconds))
  }

  @Test func givesWhatItWroteAndHowItEnded() throws {
    let outcome = try run("printf '%s|%s' \"$1\" \"$2\"; echo words >&2; exit 3")
    #expect(outcome.end == .exit(3))
    #expect(outcome.output == Array("--scan|a b".utf8))
    #expect(outcome.words == "words")
    #expect(try run("kill -SEGV $$").end == .signal(SIGSEGV))
  }

  @Test func theWholeAnswerComesUpToItsLimit() throws {
    let outcome = try run("head -c 3000000 /dev/zero", most: 3_000_000)
    #expect(outcome.end == .exit(0))
    #expect(outcome.output.count == 3_000_000)
    #expect(try run("head -c 3000001 /dev/zero", most: 3_000_000).end == .flooding)
  }

  @Test func saysWhyThereIsNoAnswer() throws {
    #expect(try run("echo fine").fault("/a.so", patience: 30_000) == nil)
    let died = try run("echo words >&2; kill -ABRT $$").fault("/a.so", patience: 30_000)
    #expect(died?.status == .pluginDied)
    #expect(died?.text.hasPrefix("plugin /a.so was not loaded") == true)
    #expect(died?.text.contains("signal 6") == true)
    #expect(died?.text.hasSuffix("; its output: words") == true)
    #expect(try run("exit 0").fault("/a.so", patience: 30_000)?.text.contains("exit(0)") == true)
    #expect(try run("exec sleep 1000", milliseconds: 200).fault("/a.so", patience: 200)?.status == .timeout)
    #expect(try run("exec cat /dev/zero").fault("/a.so", patience: 30_000)?.status == .abi)
  }

  @Test func keepsTheEndOfMuchTalk() throws {
    let outcome = try run("i=0; while [ $i -lt 100 ]; do echo line $i >&2; i=$((i+1)); done")
    #expect(outcome.words.hasSuffix("line 99"))
    #expect(outcome.words.utf8.count <= 200)
  }

  @Test func oneThatHangsIsEnded() throws {
    let begin = MediaTime.monotonic()
    #expect(try run("exec sleep 1000", milliseconds: 200).end == .late)
    #expect(MediaTime.monotonic() - begin < 100_000_000_000)
    #expect(try run("exec sleep 1000 > /dev/null 2>&1", milliseconds: 200).end == .late)
  }

  @Test func oneThatWritesWithoutEndIsEnded() throws {
    #expect(try run("exec cat /dev/zero").end == .flooding)
    #expect(try run("exec cat /dev/zero >&2").end == .flooding)
  }

  /// Whoever holds the pipes when it has ended has nothing to say, and ends, too.
  @Test func nobodyIsLeftBehind() throws {
    let outcome = try run("sleep 1000 & echo $!")
    #expect(outcome.end == .exit(0))
    let text = String(decoding: outcome.output, as: UTF8.self).filter { $0.isNumber }
    let process = try #require(pid_t(text))
    var isThere = true
    for _ in 0..<20_000 where isThere {
      // A zombie that nobody takes is as good as gone.
      let state = try? String(decoding: #require(Self.status(of: process)), as: UTF8.self)
      isThere = kill(process, 0) == 0 && state?.contains("State:\tZ") != true
      if isThere { usleep(1000) }
    }
    #expect(!isThere)
  }

  private static func status(of process: pid_t) -> [UInt8]? {
    guard let file = fopen("/proc/\(process)/status", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  @Test func whatCannotBeStartedIsAnError() {
    #expect(failure { _ = try ChildAnswer.of("/no/such/program", [], most: 1, deadline: .max) }?.text.contains("/no/such/program") == true)
  }
}
