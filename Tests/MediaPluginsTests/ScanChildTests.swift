import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct ScanChildTests {
  private let directory = TemporaryDirectory()

  private func run(_ script: String, milliseconds: UInt32 = 30_000) throws -> ScanChild.Outcome {
    let program = directory.file("program", Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o755)
    return try ScanChild.run(program, ["--scan", "a b"], deadline: Deadline.after(milliseconds: milliseconds))
  }

  @Test func givesWhatItWroteAndHowItEnded() throws {
    let outcome = try run("printf '%s|%s' \"$1\" \"$2\"; echo words >&2; exit 3")
    #expect(outcome.end == .exit(3))
    #expect(outcome.output == Array("--scan|a b".utf8))
    #expect(outcome.words == "words")
    #expect(try run("kill -SEGV $$").end == .signal(SIGSEGV))
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
    #expect(failure { _ = try ScanChild.run("/no/such/program", [], deadline: .max) }?.text.contains("/no/such/program") == true)
  }
}
