import Glibc
import MediaCore
import MediaPlugins
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct OutputTailTests {
  @Test func whatItWritesIsKeptToTheEnd() throws {
    let started = try Spawn.start("/bin/sh", ["-c", "echo out; echo err >&2; ls /proc/self/fd | wc -l"], descriptors: [])
    Spawn.reap(started.process)
    var tail = OutputTail()
    _ = tail.read(started.output)
    close(started.output)
    // 0, 1, 2, and the listing's own.
    #expect(tail.text == "out | err | 4")
  }

  @Test func outputIsBounded() throws {
    let started = try Spawn.start("/bin/sh", ["-c", "yes 0123456789 | head -n 3000; echo last"], descriptors: [])
    var tail = OutputTail()
    while true {
      var poller = pollfd(fd: started.output, events: Int16(POLLIN), revents: 0)
      _ = poll(&poller, 1, 5_000)
      if !tail.read(started.output) { break }
    }
    Spawn.reap(started.process)
    close(started.output)
    #expect(tail.text.utf8.count <= 3 * OutputTail.most)
    #expect(tail.text.hasSuffix("last"))
  }

  @Test func aMissingProgramIsNamed() {
    #expect(failure { _ = try Spawn.start("/nonexistent/program", [], descriptors: []) }?.text.contains("/nonexistent/program") == true)
  }
}
