import CMediaSDK
import Glibc
import Synchronization

/// What stands before every public frame struct: its count of references, and where its memory goes in the end.
struct SlotHeader {
  /// The pool that `buffer` goes back to.
  var pool: Unmanaged<BufferPool>?
  var buffer = BufferPool.Buffer()
  /// Or, for memory of somebody else's, whom to tell.
  var release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  var opaque: UnsafeMutableRawPointer?
  /// Or, for the memory of another slot, which one that is, of which a reference is kept; and in whose share this one counts.
  var lender: UInt32?
  var share: Unmanaged<FrameShare>?
}

/// A table of frame structs in one stretch of address space that is reserved once and never given back. So a foreign pointer can be checked by
/// its place, without touching what it points to, and a dead frame's count can still be read. Any thread may call all of it; no call waits for
/// another, because a sender and its receivers allocate and free several slots for each frame at the same moment.
final class SlotTable: @unchecked Sendable {
  private static let headerSize = 128
  private let base: UnsafeMutableRawPointer
  private let stride: Int
  /// 2^64 / stride, rounded up: the high half of an offset's product with it is the quotient, as long as offset * stride is below 2^64.
  private let reciprocal: UInt
  private let capacity: Int
  /// The stack of free slots.
  private let free = Atomic<UInt64>(Head().bits)
  /// Slots from here on were never used.
  private let untouched = Atomic<Int>(0)
  private let live = Atomic<Int>(0)

  /// The top of the stack, with a count of changes: a slot that was taken and freed between a thread's look and its exchange is noticed.
  private struct Head {
    /// Index + 1 of the first free slot; 0 is none.
    var first: UInt32 = 0
    var changes: UInt32 = 0

    init() {}

    init(bits: UInt64) {
      first = UInt32(truncatingIfNeeded: bits)
      changes = UInt32(truncatingIfNeeded: bits >> 32)
    }

    var bits: UInt64 { UInt64(changes) << 32 | UInt64(first) }

    func changed(to first: UInt32) -> Head {
      var head = self
      head.first = first
      head.changes &+= 1
      return head
    }
  }

  init?(payloadSize: Int, capacity: Int) {
    stride = (SlotTable.headerSize + payloadSize + 63) & ~63
    reciprocal = UInt.max / UInt(stride) + 1
    self.capacity = capacity
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let memory = mmap(nil, stride * capacity, PROT_READ | PROT_WRITE, Int32(flags), -1, 0), memory != MAP_FAILED else {
      return nil
    }
    base = memory
  }

  var liveCount: Int { live.load(ordering: .relaxed) }

  /// A slot with one reference, its payload as the last user left it; nil when all are in use.
  func allocate(_ header: SlotHeader) -> UnsafeMutableRawPointer? {
    guard let index = takeFree() ?? takeUntouched() else { return nil }
    headerPointer(index).pointee = header
    references(index).pointee.store(1, ordering: .releasing)
    live.add(1, ordering: .relaxed)
    return payload(index)
  }

  private func takeFree() -> UInt32? {
    var head = Head(bits: free.load(ordering: .acquiring))
    while head.first != 0 {
      let next = next(head.first - 1).pointee.load(ordering: .relaxed)
      let (exchanged, seen) = free.weakCompareExchange(
        expected: head.bits, desired: head.changed(to: next).bits, ordering: .acquiringAndReleasing)
      if exchanged { return head.first - 1 }
      head = Head(bits: seen)
    }
    return nil
  }

  private func takeUntouched() -> UInt32? {
    let index = untouched.wrappingAdd(1, ordering: .relaxed).oldValue
    guard index < capacity else {
      untouched.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    return UInt32(index)
  }

  private func putFree(_ index: UInt32) {
    var head = Head(bits: free.load(ordering: .relaxed))
    while true {
      next(index).pointee.store(head.first, ordering: .relaxed)
      let (exchanged, seen) = free.weakCompareExchange(
        expected: head.bits, desired: head.changed(to: index + 1).bits, ordering: .acquiringAndReleasing)
      if exchanged { return }
      head = Head(bits: seen)
    }
  }

  /// The slot that a foreign pointer names, if it is the payload of a slot that was ever used.
  @inline(__always)
  private func index(of pointer: UnsafeRawPointer) -> UInt32? {
    let offset = UInt(bitPattern: pointer) &- UInt(bitPattern: base) &- UInt(SlotTable.headerSize)
    guard offset < UInt(stride * capacity) else { return nil }
    let index = offset.multipliedFullWidth(by: reciprocal).high
    return index &* UInt(stride) == offset ? UInt32(truncatingIfNeeded: index) : nil
  }

  func count(of pointer: UnsafeRawPointer) -> UInt32 {
    guard let index = index(of: pointer) else { return 0 }
    return references(index).pointee.load(ordering: .acquiring)
  }

  /// Whether the memory of a slot that is in use is a pool's, and no other slot's or that of one which nobody else holds.
  func isPooled(_ pointer: UnsafeRawPointer) -> Bool {
    guard var index = index(of: pointer) else { return false }
    while let lender = headerPointer(index).pointee.lender {
      guard references(lender).pointee.load(ordering: .acquiring) == 1 else { return false }
      index = lender
    }
    return headerPointer(index).pointee.pool != nil
  }

  /// Whether the memory of a slot that is in use is somebody else's.
  func isForeign(_ pointer: UnsafeRawPointer) -> Bool {
    guard let index = index(of: pointer) else { return false }
    return headerPointer(origin(of: index)).pointee.pool == nil
  }

  /// The slot whose own the memory is.
  private func origin(of index: UInt32) -> UInt32 {
    var origin = index
    while let lender = headerPointer(origin).pointee.lender { origin = lender }
    return origin
  }

  // MARK: Lending

  /// Another slot over the memory of one that is in use, which it keeps; nil when all are in use. With a share it is a loan: it counts there, and
  /// the memory does not count among what its pool has given out. nil when the share is used up.
  func view(of pointer: UnsafeRawPointer, share: FrameShare? = nil) -> UnsafeMutableRawPointer? {
    guard let lender = index(of: pointer), share?.take() ?? true else { return nil }
    _ = tryRetain(pointer)
    guard let payload = allocate(SlotHeader(lender: lender, share: share.map { Unmanaged.passRetained($0) })) else {
      _ = release(pointer)
      share?.giveBack()
      return nil
    }
    if share != nil { countLoan(of: lender, 1) }
    return payload
  }

  /// Of a slot that the caller keeps alive. The first loan of a memory and the last count for its pool.
  private func countLoan(of lender: UInt32, _ change: Int32) {
    let origin = origin(of: lender)
    let (before, now) = loans(origin).pointee.wrappingAdd(change, ordering: .acquiringAndReleasing)
    guard before == 0 || now == 0 else { return }
    headerPointer(origin).pointee.pool?.takeUnretainedValue().countLoan(Int(change))
  }

  /// Adds a reference if there is one; false for garbage and the dead.
  func tryRetain(_ pointer: UnsafeRawPointer) -> Bool {
    guard let index = index(of: pointer) else { return false }
    let references = references(index)
    var seen = references.pointee.load(ordering: .relaxed)
    while seen > 0, seen < .max {
      let (exchanged, original) = references.pointee.weakCompareExchange(
        expected: seen, desired: seen + 1, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      seen = original
    }
    return false
  }

  /// Takes a reference away; false for garbage and the dead. The last one gives the memory back.
  func release(_ pointer: UnsafeRawPointer) -> Bool {
    guard let index = index(of: pointer) else { return false }
    let references = references(index)
    var seen = references.pointee.load(ordering: .relaxed)
    while seen > 0 {
      let (exchanged, original) = references.pointee.weakCompareExchange(
        expected: seen, desired: seen - 1, ordering: .acquiringAndReleasing)
      if exchanged {
        if seen == 1 { retire(index) }
        return true
      }
      seen = original
    }
    return false
  }

  private func retire(_ index: UInt32) {
    let header = headerPointer(index).pointee
    live.subtract(1, ordering: .relaxed)
    headerPointer(index).pointee = SlotHeader()
    putFree(index)
    if let pool = header.pool {
      pool.takeUnretainedValue().takeBack(header.buffer)
      pool.release()
    }
    if let release = header.release { ForeignCode.run { release(header.opaque) } }
    if let lender = header.lender { giveBack(lender, header.share) }
  }

  private func giveBack(_ lender: UInt32, _ share: Unmanaged<FrameShare>?) {
    if let share {
      countLoan(of: lender, -1)
      share._withUnsafeGuaranteedRef { $0.giveBack() }
      share.release()
    }
    _ = release(payload(lender))
  }

  // A slot: references (4 bytes), loans (4), the next free slot (4, padded to 8), header, payload.
  private func references(_ index: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (base + Int(index) * stride).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// How many slots over this one's memory are lent.
  private func loans(_ index: UInt32) -> UnsafeMutablePointer<Atomic<Int32>> {
    (base + Int(index) * stride + 4).assumingMemoryBound(to: Atomic<Int32>.self)
  }

  /// Index + 1 of the slot below in the stack of free ones; 0 is none.
  private func next(_ index: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (base + Int(index) * stride + 8).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  private func headerPointer(_ index: UInt32) -> UnsafeMutablePointer<SlotHeader> {
    (base + Int(index) * stride + 16).assumingMemoryBound(to: SlotHeader.self)
  }

  private func payload(_ index: UInt32) -> UnsafeMutableRawPointer {
    base + Int(index) * stride + SlotTable.headerSize
  }
}
