import CMediaSDK
import Glibc
import Synchronization

/// What stands before every public frame struct: its count of references, and where its memory goes in the end.
struct SlotHeader {
  var nextFree: UInt32 = 0
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
/// its place, without touching what it points to, and a dead frame's count can still be read.
final class SlotTable: @unchecked Sendable {
  private static let headerSize = 128
  private let base: UnsafeMutableRawPointer
  private let stride: Int
  private let capacity: Int
  private let free = Monitor(FreeList())
  private let live = Atomic<Int>(0)

  private struct FreeList {
    /// Index + 1 of the first free slot; 0 is none.
    var head: UInt32 = 0
    /// Slots from here on were never used.
    var untouched: UInt32 = 0
  }

  init?(payloadSize: Int, capacity: Int) {
    stride = (SlotTable.headerSize + payloadSize + 63) & ~63
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
    let index: UInt32? = free.withLock { list in
      if list.head != 0 {
        let index = list.head - 1
        list.head = headerPointer(index).pointee.nextFree
        return index
      }
      guard list.untouched < capacity else { return nil }
      list.untouched += 1
      return list.untouched - 1
    }
    guard let index else { return nil }
    headerPointer(index).pointee = header
    references(index).pointee.store(1, ordering: .releasing)
    live.add(1, ordering: .relaxed)
    return payload(index)
  }

  /// The slot that a foreign pointer names, if it is the payload of a slot that was ever used.
  private func index(of pointer: UnsafeRawPointer) -> UInt32? {
    let offset = UInt(bitPattern: pointer) &- UInt(bitPattern: base) &- UInt(SlotTable.headerSize)
    guard offset < UInt(stride * capacity), offset % UInt(stride) == 0 else { return nil }
    return UInt32(offset / UInt(stride))
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
      let (exchanged, original) = references.pointee.weakCompareExchange(expected: seen, desired: seen + 1, ordering: .acquiringAndReleasing)
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
      let (exchanged, original) = references.pointee.weakCompareExchange(expected: seen, desired: seen - 1, ordering: .acquiringAndReleasing)
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
    free.withLock { list in
      headerPointer(index).pointee = SlotHeader()
      headerPointer(index).pointee.nextFree = list.head
      list.head = index + 1
    }
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
      share.takeUnretainedValue().giveBack()
      share.release()
    }
    _ = release(payload(lender))
  }

  // A slot: references (4 bytes), loans (4 bytes), header, payload.
  private func references(_ index: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (base + Int(index) * stride).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// How many slots over this one's memory are lent.
  private func loans(_ index: UInt32) -> UnsafeMutablePointer<Atomic<Int32>> {
    (base + Int(index) * stride + 4).assumingMemoryBound(to: Atomic<Int32>.self)
  }

  private func headerPointer(_ index: UInt32) -> UnsafeMutablePointer<SlotHeader> {
    (base + Int(index) * stride + 8).assumingMemoryBound(to: SlotHeader.self)
  }

  private func payload(_ index: UInt32) -> UnsafeMutableRawPointer {
    base + Int(index) * stride + SlotTable.headerSize
  }
}
