import CMediaSDK

/// What passes between the library and the process of a plugin, as messages of SOCK_SEQPACKET sockets. Both sides are of one build or of two that
/// say the same version; numbers are the machine's own. Whatever comes from the plugin's side is copied out first and checked then.
public enum Wire {
  /// Counted up with every change of what follows.
  public static let version = 6
  /// The largest message. What is longer lies in shared memory.
  public static let largest = 96 << 10
  /// Text and bytes inside a message.
  public static let longestBytes = 80 << 10
  /// Slots of a pool of shared memory: bits of a mask.
  public static let slotCount: UInt32 = 8
  /// A mask of the slots of a pool of `slotCount`.
  public static let allSlots = UInt32(1) << slotCount - 1
  /// Slots for a renderer of several inputs, which may keep frames of each: as many as the mask has bits, unless they are huge.
  public static let mostSlots: UInt32 = 32
  /// In bytes: what those slots have together at most, unless they would be fewer than `slotCount`.
  public static let mostInputBytes = 1 << 30
  /// One slot, 8192x8192 of four bytes.
  public static let largestSlot = 256 << 20

  /// The descriptors that the program of plugins is started with.
  public enum Descriptor {
    /// The socket of calls and replies.
    public static let calls: Int32 = 3
    /// The socket of `Upcall` and `Downcall`.
    public static let events: Int32 = 4
    /// The socket on which the reaper says how the plugin's process ended.
    public static let control: Int32 = 5
  }
}

/// Before the arguments of a call.
public struct CallHeader: BitwiseCopyable, Sendable {
  /// The number of an `Op`.
  public var op: UInt32
  /// Of this call; the reply has the same.
  public var id: UInt32
  /// The engine's clock.
  public var now: Int64
  /// Slots of that pool that the plugin may fill from now on.
  public var generation: UInt32
  /// A mask of slots; 0: none.
  public var granted: UInt32

  /// With the number of the op.
  public init(op: Op, id: UInt32, now: Int64, generation: UInt32, granted: UInt32) {
    (self.op, self.id, self.now) = (op.rawValue, id, now)
    (self.generation, self.granted) = (generation, granted)
  }
}

/// Before what a call returned, or before the error's text.
public struct ReplyHeader: BitwiseCopyable, Sendable {
  /// Of the call.
  public var id: UInt32
  /// What the plugin's function returned; negative: MSDK_E_*, and a text follows.
  public var result: msdk_result
  /// Whether the plugin still refers to the slot that came with the call.
  public var keepsSlot: UInt32
  var unused: UInt32 = 0
  /// What an audio renderer said of its delay last, in nanoseconds.
  public var delay: Int64

  /// `keepsSlot` is 0 or 1.
  public init(id: UInt32, result: msdk_result, keepsSlot: UInt32, delay: Int64) {
    (self.id, self.result, self.keepsSlot, self.delay) = (id, result, keepsSlot, delay)
  }
}

/// What the plugin's side reports by itself, on the events' socket. An id that is not 0 is waited for.
public enum Upcall: UInt32, Sendable {
  case log = 1, event, setError
  /// Room for frames: the answer brings a pool.
  case need
  case consumeVideo, consumeAudio, consumeEncoded
  /// For an audio renderer that pulls.
  case read
  /// Slots that a renderer had kept.
  case release
  /// Of a thread-safe command.
  case commandAnswer
  /// The reply to a call that was made on a thread that waits (`ReentrantCalls`); the id is what it waits under.
  case answered
}

/// Before what an upcall brings.
public struct UpcallHeader: BitwiseCopyable, Sendable {
  /// The number of an `Upcall`.
  public var kind: UInt32
  /// What the answer names; 0: none is awaited. Of `answered`, what the thread waits under.
  public var id: UInt32

  /// With the number of an `Upcall`.
  public init(kind: UInt32, id: UInt32) {
    (self.kind, self.id) = (kind, id)
  }
}

/// What the library sends there: answers, slots that may be filled again, thread-safe commands, in parts where they are long, and calls for a thread
/// that waits (`ReentrantCalls`).
public enum Downcall: UInt32, Sendable {
  case answer = 1, grant, command, call
}

/// Before what a downcall brings.
public struct DowncallHeader: BitwiseCopyable, Sendable {
  /// The number of a `Downcall`.
  public var kind: UInt32
  /// Of the upcall that it answers, of a command, or of the thread that waits; 0 of a grant.
  public var id: UInt32
  /// Of an answer: what the host's function returned; negative: MSDK_E_*.
  public var result: msdk_result
  /// Of the pool of a grant, or of the one that an answer brings.
  public var generation: UInt32
  /// Slots, or the capacity of a slot in KiB.
  public var number: UInt32

  /// With the number of a `Downcall`.
  public init(_ kind: Downcall, id: UInt32, result: msdk_result = 0, generation: UInt32 = 0, number: UInt32 = 0) {
    (self.kind, self.id, self.result) = (kind.rawValue, id, result)
    (self.generation, self.number) = (generation, number)
  }
}

/// What a filter did with its frame.
public enum FilterReply: UInt32, Sendable {
  case same = 0, changed, other
}
