import Glibc

/// Blocks of memory that are used again. Frames keep their pool alive, so that they may outlive whoever made it.
public final class BufferPool: Sendable {
  struct Buffer {
    var memory: UnsafeMutableRawPointer?
    var capacity = 0
  }

  private struct State {
    var idle: [Buffer] = []
    var inUse = 0
    /// Of these, those that are lent: who borrowed them answers for them (`FrameShare`).
    var lent = 0
  }

  /// Pictures begin on a page. Copying into memory that begins a few bytes further into its page than the source does is several times slower,
  /// since each load then seems to wait for a store; blocks from malloc begin 16 or 48 bytes into theirs.
  private static func alignment(_ capacity: Int) -> Int { capacity >= 65_536 ? 4096 : 64 }
  /// The largest number of buffers in use at a time, without those that are lent.
  public let limit: Int
  private let state: Monitor<State>

  /// At most `limit` buffers are in use at a time beside those that are lent, and as many are kept.
  public init(limit: Int) {
    self.limit = limit
    var state = State()
    state.idle.reserveCapacity(limit)
    self.state = Monitor(state)
  }

  deinit {
    state.withLock { state in
      for buffer in state.idle { Glibc.free(buffer.memory) }
    }
  }

  /// Those that are lent included.
  public var inUse: Int { state.withLock { $0.inUse } }

  /// A buffer of at least that capacity, aligned to 64 bytes; nil when all are in use until the deadline, or there is no memory.
  func take(capacity: Int, deadline: Int64) -> Buffer? {
    let limit = self.limit
    let found: Buffer?? = state.wait(until: deadline) { state in
      guard state.inUse - state.lent < limit else { return nil }
      state.inUse += 1
      return .some(state.idle.popLast())
    }
    guard let found else { return nil }
    if let buffer = found, buffer.capacity >= capacity { return buffer }
    Glibc.free(found?.memory)
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, BufferPool.alignment(capacity), max(capacity, 1)) == 0, let memory else {
      state.withLock { $0.inUse -= 1 }
      return nil
    }
    return Buffer(memory: memory, capacity: capacity)
  }

  func takeBack(_ buffer: Buffer) {
    let limit = self.limit
    let isKept = state.withLock { state in
      state.inUse -= 1
      guard state.idle.count < limit else { return false }
      state.idle.append(buffer)
      return true
    }
    if !isKept { Glibc.free(buffer.memory) }
    state.notify()
  }

  /// A buffer was lent (1), or is not any more (-1).
  func countLoan(_ change: Int) {
    state.withLock { $0.lent += change }
    if change > 0 { state.notify() }
  }
}
