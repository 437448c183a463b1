import CLinux
import Glibc
import MediaCore
import Testing

@testable import MediaRuntime

@Suite struct SystemThreadTests {
  private struct Seen: Sendable {
    var name = ""
    var blocksInterrupt = false
    var blocksFault = true
  }

  @Test func itHasANameAndLeavesSignalsToTheProgram() throws {
    let seen = Monitor(Seen())
    let thread = try #require(
      SystemThread.make("a-name-of-more-than-fifteen-bytes") {
        var (name, blocked) = ([UInt8](repeating: 0, count: 32), sigset_t())
        let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        let count = read(file, &name, name.count)
        close(file)
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        // It ends with a line's end.
        let found = Seen(
          name: String(decoding: name.prefix(max(0, count - 1)), as: UTF8.self), blocksInterrupt: sigismember(&blocked, SIGINT) == 1,
          blocksFault: sigismember(&blocked, SIGSEGV) == 1)
        seen.withLock { $0 = found }
      })
    pthread_join(thread, nil)
    let found = seen.withLock { $0 }
    #expect(found.name == "a-name-of-more-")
    #expect(found.blocksInterrupt && !found.blocksFault)
  }

  private final class Owner {}

  @Test func ownersAreNestedAndOfOneThread() {
    let (one, other) = (Owner(), Owner())
    #expect(!ThreadOwner.isCurrent(one))
    ThreadOwner.with(one) {
      #expect(ThreadOwner.isCurrent(one))
      ThreadOwner.with(other) { #expect(!ThreadOwner.isCurrent(one) && ThreadOwner.isCurrent(other)) }
      #expect(ThreadOwner.isCurrent(one))
    }
    #expect(!ThreadOwner.isCurrent(one))
  }
}
