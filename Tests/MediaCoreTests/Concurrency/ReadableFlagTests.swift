import Glibc
import Testing

import MediaCore

/// Whether poll() finds the descriptor readable now.
func isReadable(_ descriptor: Int32) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLIN) != 0
}

@Suite struct ReadableFlagTests {
  @Test func followsWhatIsSet() throws {
    let flag = ReadableFlag()
    let descriptor = try flag.get()
    #expect(!isReadable(descriptor))
    for value in [true, true, false, false, true, false] {
      flag.set(value)
      #expect(isReadable(descriptor) == value)
    }
    let again = try flag.get()
    #expect(again == descriptor)
  }

  @Test func knowsWhatWasSetBeforeItWasAskedFor() throws {
    let flag = ReadableFlag()
    flag.set(true)
    let descriptor = try flag.get()
    #expect(isReadable(descriptor))
    flag.set(false)
    #expect(!isReadable(descriptor))
  }

  @Test func isNotInheritedAcrossExec() throws {
    let flag = ReadableFlag()
    let descriptor = try flag.get()
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }
}
