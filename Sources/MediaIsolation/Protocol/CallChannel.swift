import CLinux
import Glibc
import MediaCore
import MediaRuntime
import Synchronization

/// The page by which a call goes to the plugin and its answer comes back: both messages, and two words that count them, to sleep by.
/// It costs half of what a socket does. The plugin may write what it likes there: what the library reads is copied out, once, and then checked.
public final class CallChannel: @unchecked Sendable {
  /// What is longer goes by the socket.
  public static let room = 32 << 10
  private static let size = 4_096 + 2 * room
  /// A sleeper looks that often whether it is still waited for.
  private static let longest: Int64 = 1_000_000_000
  /// In place of a length: the message is in the socket.
  private static let elsewhere = UInt32.max

  /// Each word in a line of its own.
  private enum Place {
    static let call = 0, callLength = 64, callSleeps = 128
    static let answer = 1_024, answerLength = 1_088, answerSleeps = 1_152, processor = 1_216
    static let callBytes = 4_096, answerBytes = 4_096 + CallChannel.room
  }

  private let base: UnsafeMutableRawPointer
  /// Of this side alone.
  private var calls: UInt32 = 0
  private var answers: UInt32 = 0
  /// For `abandon`: an answer that has come stays one.
  private let asked = Atomic<UInt32>(0)
  private let isOver = Atomic<Bool>(false)
  private let spin = AdaptiveSpin(short: 100_000, longest: 100_000, mostSkipped: 512)

  private init(_ base: UnsafeMutableRawPointer) {
    self.base = base
  }

  deinit {
    munmap(base, CallChannel.size)
  }

  /// The library's, and the descriptor for the other side, the caller's to close.
  public static func make() throws(MediaError) -> (CallChannel, Int32) {
    let descriptor = msdk_memfd("msdk-calls", UInt64(size))
    guard descriptor >= 0 else { throw MediaError(.noMemory, "no memory for an isolated plugin's calls: \(SystemText.of(errno))") }
    do throws(MediaError) {
      return (try adopt(descriptor), descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// The plugin's side.
  public static func adopt(_ descriptor: Int32) throws(MediaError) -> CallChannel {
    guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), base != MAP_FAILED
    else { throw MediaError(.noMemory, "the memory of a plugin's calls could not be mapped: \(SystemText.of(errno))") }
    return CallChannel(base)
  }

  // MARK: The library's side

  /// What `receive` got.
  public enum Answer {
    /// In the memory that was given for it.
    case message(count: Int)
    /// In the socket.
    case elsewhere
    /// Not in time.
    case nothing
    case closed
    case bad
  }

  /// Puts a call there; nil: it is in the socket.
  public func ask(_ bytes: UnsafeRawBufferPointer?) {
    if let bytes, let first = bytes.baseAddress { memcpy(base + Place.callBytes, first, bytes.count) }
    msdk_word_store(base + Place.callLength, bytes.map { UInt32(truncatingIfNeeded: $0.count) } ?? CallChannel.elsewhere)
    calls &+= 1
    asked.store(calls, ordering: .sequentiallyConsistent)
    signal(Place.call, Place.callSleeps, calls)
  }

  /// Waits for the answer to the call before and copies it out. A deadline of 0 is none.
  public func receive(into buffer: UnsafeMutableRawBufferPointer, deadline milliseconds: UInt32) -> Answer {
    let begin = MediaTime.monotonic()
    let deadline = milliseconds == 0 ? Int64.max : begin + Int64(milliseconds) * 1_000_000
    let word = base + Place.answer
    let before = answers
    let spins = spin.spins(here: UInt32(bitPattern: sched_getcpu()), there: msdk_word_load(base + Place.processor))
    let isQuick = spins && msdk_word_watch(word, before, spin.longest) != 0
    while true {
      let present = msdk_word_load(word)
      if present == calls { break }
      if isOver.load(ordering: .sequentiallyConsistent) { return .closed }
      guard present == before else { return .bad }
      let now = MediaTime.monotonic()
      if now >= deadline { return .nothing }
      sleep(Place.answer, Place.answerSleeps, seen: before) { msdk_word_wait(word, before, min(deadline, now + CallChannel.longest)) }
    }
    answers = calls
    spin.learn(waited: MediaTime.monotonic() - begin, spun: spins, found: isQuick)
    let length = msdk_word_load(base + Place.answerLength)
    if length == CallChannel.elsewhere { return .elsewhere }
    guard length > 0, length <= CallChannel.room, Int(length) <= buffer.count, let destination = buffer.baseAddress else { return .bad }
    memcpy(destination, base + Place.answerBytes, Int(length))
    return .message(count: Int(length))
  }

  /// No answer will come: wakes whoever waits for one. From any thread.
  public func abandon() {
    isOver.store(true, ordering: .sequentiallyConsistent)
    let word = base + Place.answer
    let present = msdk_word_load(word)
    // Another value than the one that is slept by.
    if present != asked.load(ordering: .sequentiallyConsistent) { msdk_word_replace(word, present, present &+ 0x4000_0000) }
    msdk_word_wake(word)
  }

  // MARK: The plugin's side

  /// Waits for the next call; nil when it is in the socket. Stays as it is until the answer.
  public func nextCall() -> UnsafeRawBufferPointer? {
    let word = base + Place.call
    let before = calls
    while msdk_word_load(word) == before { sleep(Place.call, Place.callSleeps, seen: before) { msdk_word_wait_for_ever(word, before) } }
    calls = msdk_word_load(word)
    let length = msdk_word_load(base + Place.callLength)
    guard length != CallChannel.elsewhere else { return nil }
    return UnsafeRawBufferPointer(start: base + Place.callBytes, count: min(Int(length), CallChannel.room))
  }

  /// Puts the answer there; nil: it is in the socket.
  public func answer(_ bytes: UnsafeRawBufferPointer?) {
    if let bytes, let first = bytes.baseAddress { memcpy(base + Place.answerBytes, first, bytes.count) }
    msdk_word_store(base + Place.answerLength, bytes.map { UInt32(truncatingIfNeeded: $0.count) } ?? CallChannel.elsewhere)
    msdk_word_store(base + Place.processor, UInt32(bitPattern: sched_getcpu()))
    signal(Place.answer, Place.answerSleeps, calls)
  }

  // MARK: Words

  private func signal(_ place: Int, _ sleeps: Int, _ value: UInt32) {
    msdk_word_store(base + place, value)
    if msdk_word_load(base + sleeps) != 0 { msdk_word_wake(base + place) }
  }

  /// Says before that it sleeps, so that nobody is woken who does not.
  private func sleep(_ place: Int, _ sleeps: Int, seen: UInt32, _ wait: () -> Void) {
    msdk_word_store(base + sleeps, 1)
    if msdk_word_load(base + place) == seen { wait() }
    msdk_word_store(base + sleeps, 0)
  }
}
