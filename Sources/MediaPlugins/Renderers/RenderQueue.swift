import Glibc
import MediaCore

/// The samples between a stream and a renderer that pulls: 200 ms, in which the oldest makes room. Read on any thread.
final class RenderQueue: Sendable {
  static let milliseconds: UInt32 = 200

  private struct State: @unchecked Sendable {
    var memory: UnsafeMutableRawPointer?
    /// Of the memory; what is used of it is `capacity`.
    var size = 0
    /// All in bytes, and whole samples of all channels.
    var capacity = 0
    var head = 0
    var count = 0
    var stride = 1
    var sampleRate: UInt32 = 1
    var isOpen = false
  }

  private let state = Monitor(State())

  deinit {
    state.withLock { free($0.memory) }
  }

  /// Empty, for sound of a format.
  func open(_ format: AudioFormat) throws(MediaError) {
    let capacity = Int(AudioLimits.samples(sampleRate: format.sampleRate, milliseconds: RenderQueue.milliseconds)) * format.stride
    try state.withLock { state throws(MediaError) in
      if state.size < capacity {
        guard let memory = realloc(state.memory, capacity) else { throw MediaError(.noMemory, "no memory for \(capacity) bytes of audio") }
        state.memory = memory
        state.size = capacity
      }
      state.capacity = capacity
      state.head = 0
      state.count = 0
      state.stride = format.stride
      state.sampleRate = format.sampleRate
      state.isOpen = true
    }
  }

  func close() {
    state.withLock { $0.isOpen = false }
  }

  /// How long what waits is.
  var waitingMilliseconds: UInt32 {
    state.withLock { $0.isOpen ? UInt32(clamping: $0.count / $0.stride * 1000 / Int($0.sampleRate)) : 0 }
  }

  /// Of a buffer that is longer than the queue, the end.
  func write(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      guard state.isOpen, let memory = state.memory else { return }
      let fitting = UnsafeRawBufferPointer(rebasing: bytes.suffix(state.capacity))
      guard let source = fitting.baseAddress else { return }
      let displaced = max(0, state.count + fitting.count - state.capacity)
      state.head = (state.head + displaced) % state.capacity
      state.count -= displaced
      let tail = (state.head + state.count) % state.capacity
      let first = min(fitting.count, state.capacity - tail)
      memcpy(memory + tail, source, first)
      memcpy(memory, source + first, fitting.count - first)
      state.count += fitting.count
    }
  }

  /// Fills `sampleCount` samples per channel, what is missing with silence, and says how many were there; nil when it is closed.
  func read(into destination: UnsafeMutableRawPointer, sampleCount: Int) -> Int? {
    let (stride, taken): (Int, Int?) = state.withLock { state in
      guard state.isOpen, let memory = state.memory else { return (0, nil) }
      let taken = min(state.count, sampleCount * state.stride)
      let first = min(taken, state.capacity - state.head)
      memcpy(destination, memory + state.head, first)
      memcpy(destination + first, memory, taken - first)
      state.head = (state.head + taken) % state.capacity
      state.count -= taken
      return (state.stride, taken)
    }
    guard let taken else { return nil }
    memset(destination + taken, 0, sampleCount * stride - taken)
    return taken / stride
  }
}
