import CLinux
import Glibc
import MediaCore
import MediaRuntime
import Testing

@testable import IsolationProtocol

/// Both sides in one process, as they are in two.
@Suite struct CallChannelTests {
  private func pair() throws -> (library: CallChannel, plugin: CallChannel) {
    let (library, descriptor) = try CallChannel.make()
    defer { close(descriptor) }
    return (library, try CallChannel.adopt(descriptor))
  }

  /// The same page, written to by somebody who does not keep to anything.
  private func forged(_ body: (CallChannel, UnsafeMutableRawPointer) throws -> Void) throws {
    let (library, descriptor) = try CallChannel.make()
    defer { close(descriptor) }
    let page = try #require(mmap(nil, 8_192, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0))
    defer { munmap(page, 8_192) }
    try body(library, page)
  }

  private func receive(_ ring: CallChannel, deadline: UInt32 = 20_000) -> (CallChannel.Answer, [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: CallChannel.room)
    let answer = bytes.withUnsafeMutableBytes { ring.receive(into: $0, deadline: deadline) }
    if case .message(let count) = answer { return (answer, Array(bytes.prefix(count))) }
    return (answer, [])
  }

  @Test func callsAndAnswersGoThereAndBack() throws {
    let (library, plugin) = try pair()
    let done = Monitor(false)
    #expect(
      SystemThread.start("test-plugin") {
        for _ in 0..<500 {
          guard let call = plugin.nextCall() else { break }
          [UInt8](call.reversed()).withUnsafeBytes { plugin.answer($0) }
        }
        done.withLock { $0 = true }
        done.notify()
      })
    for number in 0..<500 {
      let call = [UInt8](repeating: 7, count: number * 64 + 1) + [UInt8(number & 0xFF)]
      call.withUnsafeBytes { library.ask($0) }
      let (_, bytes) = receive(library)
      #expect(bytes == call.reversed())
    }
    #expect(done.wait(until: Deadline.after(milliseconds: 20_000)) { $0 ? true : nil } == true)
  }

  @Test func whatIsTooLongIsInTheSocket() throws {
    let (library, plugin) = try pair()
    library.ask(nil)
    #expect(plugin.nextCall() == nil)
    plugin.answer(nil)
    guard case .elsewhere = receive(library).0 else {
      Issue.record("the answer is not in the socket")
      return
    }
  }

  @Test func nothingComesInTime() throws {
    let (library, _) = try pair()
    [UInt8](repeating: 1, count: 8).withUnsafeBytes { library.ask($0) }
    guard case .nothing = receive(library, deadline: 10).0 else {
      Issue.record("an answer came")
      return
    }
  }

  @Test func whoWaitsIsToldThatItIsOver() throws {
    let (library, _) = try pair()
    [UInt8](repeating: 1, count: 8).withUnsafeBytes { library.ask($0) }
    #expect(
      SystemThread.start("test-end") {
        usleep(20_000)
        library.abandon()
      })
    guard case .closed = receive(library, deadline: 0).0 else {
      Issue.record("it waited on")
      return
    }
    [UInt8](repeating: 1, count: 8).withUnsafeBytes { library.ask($0) }
    guard case .closed = receive(library, deadline: 0).0 else {
      Issue.record("it waited for what is over")
      return
    }
  }

  @Test func anAnswerThatHasComeStaysOne() throws {
    let (library, plugin) = try pair()
    [1, 2].withUnsafeBytes { library.ask($0) }
    [UInt8](plugin.nextCall() ?? UnsafeRawBufferPointer(start: nil, count: 0)).withUnsafeBytes { plugin.answer($0) }
    library.abandon()
    #expect(receive(library).1.count == 16)
    [1, 2].withUnsafeBytes { library.ask($0) }
    guard case .closed = receive(library, deadline: 0).0 else {
      Issue.record("it waited for what is over")
      return
    }
  }

  /// The answer's word is 1024 bytes into the page, its length 1088.
  @Test(arguments: [(2, 10), (0xFFFF_FFFF, 10), (1, 0), (1, 32_769), (1, 0xFFFF_FFFE)] as [(UInt32, UInt32)])
  func forgedAnswersAreBad(_ word: UInt32, _ length: UInt32) throws {
    try forged { library, page in
      [UInt8](repeating: 1, count: 8).withUnsafeBytes { library.ask($0) }
      msdk_word_store(page + 1_088, length)
      msdk_word_store(page + 1_024, word)
      guard case .bad = receive(library).0 else {
        Issue.record("\(word), \(length) is an answer")
        return
      }
    }
  }

  /// Who says that nobody sleeps is not woken, and who says that somebody does is not harmed.
  @Test func forgedSleepersHarmNobody() throws {
    try forged { library, page in
      for word: UInt32 in [0, 1, 0xFFFF_FFFF] {
        msdk_word_store(page + 128, word)
        msdk_word_store(page + 1_152, word)
        [UInt8](repeating: 1, count: 8).withUnsafeBytes { library.ask($0) }
        msdk_word_store(page + 1_088, 4)
        msdk_word_store(page + 1_024, msdk_word_load(page))
        #expect(receive(library).1.count == 4)
      }
    }
  }
}
