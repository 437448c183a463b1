import Glibc
import Synchronization

/// What a handle names; part of its value, so that one kind is never taken for another.
public enum HandleKind: UInt8, Sendable {
  case engine = 0xE1
  case session = 0xE2
  case outgoingVideo = 0xE3
  case frameSender = 0xE4
  case incomingVideo = 0xE5
  case instance = 0xE6
  case hostContext = 0xE7
  case outgoingAudio = 0xE8
  case incomingAudio = 0xE9
  case isolated = 0xEA
}

/// Foreign handles to objects. A handle is a number made of kind, generation and index, never an address: its top byte makes it no valid
/// pointer, and one that is stale, foreign or garbage finds nothing. Looking up takes no lock.
public final class HandleTable: @unchecked Sendable {
  /// The table of the process. Only tests have another, which nobody uses beside them.
  public static let shared = HandleTable()

  /// `state` is the generation (upper half), the live bit, and the number of threads that are looking right now.
  private struct Slot: ~Copyable {
    let state = Atomic<UInt64>(0)
    var object: Unmanaged<AnyObject>?
    var kind: UInt8 = 0
    /// Index + 1 of the one that was freed after this one; 0 is none.
    var nextFree: UInt32 = 0
  }

  private static let liveBit: UInt64 = 1 << 31
  private static let pinMask: UInt64 = liveBit - 1
  private static let chunkSize = 1024
  private static let chunkLimit = 1024

  /// The free slots, longest free first, and the first that was never used.
  private struct Free {
    var head: UInt32 = 0
    var tail: UInt32 = 0
    var untouched: UInt32 = 0
  }

  private let chunks: UnsafeMutablePointer<Atomic<UInt>>
  private let free = Monitor(Free())

  init() {
    chunks = .allocate(capacity: HandleTable.chunkLimit)
    for index in 0..<HandleTable.chunkLimit { (chunks + index).initialize(to: Atomic(0)) }
  }

  /// nil when a million handles are alive.
  public func insert(_ object: AnyObject & Sendable, _ kind: HandleKind) -> OpaquePointer? {
    let index: UInt32? = free.withLock { free in
      // Fresh ones first, then the one that has been free longest: a stale handle stays recognisable as long as can be.
      if free.untouched % UInt32(HandleTable.chunkSize) != 0 || free.head == 0 {
        guard free.untouched < HandleTable.chunkSize * HandleTable.chunkLimit else { return nil }
        addChunk(for: free.untouched)
        free.untouched += 1
        return free.untouched - 1
      }
      let index = free.head - 1
      free.head = slot(index)?.pointee.nextFree ?? 0
      if free.head == 0 { free.tail = 0 }
      return index
    }
    guard let index, let slot = slot(index) else { return nil }
    slot.pointee.object = Unmanaged.passRetained(object)
    slot.pointee.kind = kind.rawValue
    let state = slot.pointee.state.bitwiseOr(HandleTable.liveBit, ordering: .acquiringAndReleasing).newValue
    let generation = UInt(state >> 32)
    return OpaquePointer(bitPattern: UInt(kind.rawValue) << 56 | generation << 24 | UInt(index))
  }

  /// The object behind a live handle of that kind.
  @inline(__always)
  public func object(_ handle: OpaquePointer?, _ kind: HandleKind) -> AnyObject? {
    let bits = UInt(bitPattern: handle)
    guard bits >> 56 == UInt(kind.rawValue), let slot = slot(UInt32(truncatingIfNeeded: bits & 0xFF_FFFF)) else { return nil }
    let state = slot.pointee.state.add(1, ordering: .acquiring).newValue
    defer { slot.pointee.state.subtract(1, ordering: .releasing) }
    guard state & HandleTable.liveBit != 0, state >> 32 == UInt64(bits >> 24 & 0xFFFF_FFFF), slot.pointee.kind == kind.rawValue else {
      return nil
    }
    return slot.pointee.object?.takeUnretainedValue()
  }

  /// Why a handle finds nothing.
  public enum Reason: Sendable, Equatable {
    case null
    /// It is of another kind.
    case kind(HandleKind)
    /// It was removed.
    case ended
    /// It was never made.
    case unknown
  }

  /// Of a handle that `object` did not find. For an error's text: it may be another one by now.
  public func reason(_ handle: OpaquePointer?, _ kind: HandleKind) -> Reason {
    let bits = UInt(bitPattern: handle)
    guard bits != 0 else { return .null }
    guard let own = HandleKind(rawValue: UInt8(truncatingIfNeeded: bits >> 56)),
      let slot = slot(UInt32(truncatingIfNeeded: bits & 0xFF_FFFF))
    else { return .unknown }
    let (state, generation) = (slot.pointee.state.load(ordering: .acquiring), UInt64(bits >> 24 & 0xFFFF_FFFF))
    if generation < state >> 32 { return own == kind ? .ended : .kind(own) }
    let isLive = generation == state >> 32 && state & HandleTable.liveBit != 0
    return isLive && own != kind ? .kind(own) : .unknown
  }

  /// Ends a handle; the object, if it was live, for its owner to end as well. Only one of several callers gets it.
  @discardableResult
  public func remove(_ handle: OpaquePointer?, _ kind: HandleKind) -> AnyObject? {
    let bits = UInt(bitPattern: handle)
    let index = UInt32(truncatingIfNeeded: bits & 0xFF_FFFF)
    guard bits >> 56 == UInt(kind.rawValue), let slot = slot(index) else { return nil }
    let generation = UInt64(bits >> 24 & 0xFFFF_FFFF)
    var seen = slot.pointee.state.load(ordering: .relaxed)
    while true {
      guard seen & HandleTable.liveBit != 0, seen >> 32 == generation else { return nil }
      let next = (generation + 1) & 0xFFFF_FFFF
      let desired = next << 32 | seen & HandleTable.pinMask
      let (exchanged, original) = slot.pointee.state.weakCompareExchange(
        expected: seen, desired: desired, ordering: .acquiringAndReleasing)
      if exchanged { break }
      seen = original
    }
    // Whoever saw it live holds a pin for a few instructions, until he has a reference of his own.
    while slot.pointee.state.load(ordering: .acquiring) & HandleTable.pinMask != 0 { sched_yield() }
    let object = slot.pointee.object?.takeRetainedValue()
    slot.pointee.object = nil
    slot.pointee.nextFree = 0
    free.withLock { free in
      if free.tail == 0 {
        free.head = index + 1
      } else {
        self.slot(free.tail - 1)?.pointee.nextFree = index + 1
      }
      free.tail = index + 1
    }
    return object
  }

  @inline(__always)
  private func slot(_ index: UInt32) -> UnsafeMutablePointer<Slot>? {
    let chunk = Int(index) / HandleTable.chunkSize
    guard chunk < HandleTable.chunkLimit else { return nil }
    let address = chunks[chunk].load(ordering: .acquiring)
    return UnsafeMutablePointer<Slot>(bitPattern: address).map { $0 + Int(index) % HandleTable.chunkSize }
  }

  private func addChunk(for index: UInt32) {
    guard Int(index) % HandleTable.chunkSize == 0 else { return }
    let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: HandleTable.chunkSize)
    for offset in 0..<HandleTable.chunkSize { (chunk + offset).initialize(to: Slot()) }
    chunks[Int(index) / HandleTable.chunkSize].store(UInt(bitPattern: chunk), ordering: .releasing)
  }
}
