import Testing

@testable import MediaCore

@Suite struct SlotTableTests {
  private func table(capacity: Int = 8, payload: Int = 100) throws -> SlotTable {
    try #require(SlotTable(payloadSize: payload, capacity: capacity))
  }

  @Test func countsReferencesDownToNothing() throws {
    let table = try table()
    let slot = try #require(table.allocate(SlotHeader()))
    #expect(table.count(of: slot) == 1)
    #expect(table.liveCount == 1)
    #expect(table.tryRetain(slot))
    #expect(table.count(of: slot) == 2)
    #expect(table.release(slot))
    #expect(table.release(slot))
    #expect(table.count(of: slot) == 0)
    #expect(table.liveCount == 0)
    #expect(!table.release(slot))
    #expect(!table.tryRetain(slot))
    #expect(table.liveCount == 0)
  }

  @Test func onlyTheStartOfAPayloadIsAFrame() throws {
    let table = try table()
    let slot = try #require(table.allocate(SlotHeader()))
    for offset in -400...400 where offset != 0 {
      #expect(table.count(of: slot + offset) == 0)
      #expect(!table.tryRetain(slot + offset))
      #expect(!table.release(slot + offset))
    }
    for bits in [1, 0x1000, UInt.max, UInt.max - 127] {
      let garbage = try #require(UnsafeRawPointer(bitPattern: bits))
      #expect(!table.tryRetain(garbage))
      #expect(!table.release(garbage))
      #expect(table.count(of: garbage) == 0)
    }
    #expect(table.count(of: slot) == 1)
    #expect(table.release(slot))
  }

  @Test func fullMeansNone() throws {
    let table = try table(capacity: 3)
    let slots = (0..<3).compactMap { _ in table.allocate(SlotHeader()) }
    #expect(Set(slots).count == 3)
    #expect(table.allocate(SlotHeader()) == nil)
    #expect(table.release(slots[1]))
    #expect(table.allocate(SlotHeader()) == slots[1])
    #expect(table.allocate(SlotHeader()) == nil)
  }

  @Test func payloadsDoNotOverlap() throws {
    let table = try table(capacity: 4, payload: 100)
    let slots = (0..<4).compactMap { _ in table.allocate(SlotHeader()) }
    for (index, slot) in slots.enumerated() { slot.initializeMemory(as: UInt8.self, repeating: UInt8(index + 1), count: 100) }
    for (index, slot) in slots.enumerated() {
      #expect(UnsafeRawBufferPointer(start: slot, count: 100).allSatisfy { $0 == UInt8(index + 1) })
      #expect(table.count(of: slot) == 1)
      #expect(UInt(bitPattern: slot) % 16 == 0)
    }
  }

  @Test func theReleaseFunctionIsCalledOnce() throws {
    let table = try table()
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    calls.initialize(to: 0)
    defer { calls.deallocate() }
    let slot = try #require(
      table.allocate(SlotHeader(release: { opaque in opaque?.assumingMemoryBound(to: Int.self).pointee += 1 }, opaque: calls)))
    #expect(table.tryRetain(slot))
    #expect(table.release(slot))
    #expect(calls.pointee == 0)
    #expect(table.release(slot))
    #expect(!table.release(slot))
    #expect(calls.pointee == 1)
  }

  @Test func aSlotUsedAgainHasForgottenItsLastUser() throws {
    let table = try table(capacity: 1)
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    calls.initialize(to: 0)
    defer { calls.deallocate() }
    let first = try #require(
      table.allocate(SlotHeader(release: { opaque in opaque?.assumingMemoryBound(to: Int.self).pointee += 1 }, opaque: calls)))
    #expect(table.release(first))
    let second = try #require(table.allocate(SlotHeader()))
    #expect(table.release(second))
    #expect(calls.pointee == 1)
  }

  @Test func theBufferGoesBackToItsPool() throws {
    let table = try table()
    let pool = BufferPool(limit: 1)
    let buffer = try #require(pool.take(capacity: 10, deadline: 0))
    let slot = try #require(table.allocate(SlotHeader(pool: Unmanaged.passRetained(pool), buffer: buffer)))
    #expect(pool.take(capacity: 10, deadline: 0)?.memory == nil)
    #expect(table.release(slot))
    let again = try #require(pool.take(capacity: 10, deadline: 0))
    #expect(again.memory == buffer.memory)
    pool.takeBack(again)
  }

  @Test func threadsThatRetainAndReleaseAgreeInTheEnd() throws {
    let table = try table()
    let slot = try #require(table.allocate(SlotHeader()))
    let token = UInt(bitPattern: slot)
    let threads = (0..<4).map { _ in
      OSThread {
        guard let slot = UnsafeRawPointer(bitPattern: token) else { return }
        for _ in 0..<2000 where table.tryRetain(slot) { _ = table.release(slot) }
      }
    }
    for thread in threads { thread.join() }
    #expect(table.count(of: slot) == 1)
    #expect(table.release(slot))
  }

  /// Four threads share eight slots, so that the stack of free ones is often emptied: each writes its mark into what it got and reads it again.
  @Test func noSlotIsGivenToTwoThreads() throws {
    let table = try table()
    let got = Monitor(0)
    let threads = (UInt64(1)...4).map { mark in
      OSThread {
        for turn in UInt64(0)..<5000 {
          let slots = (0..<3).compactMap { _ in table.allocate(SlotHeader()) }
          for slot in slots { slot.storeBytes(of: mark << 32 | turn, as: UInt64.self) }
          for slot in slots where slot.load(as: UInt64.self) == mark << 32 | turn && table.release(slot) { got.withLock { $0 += 1 } }
          for _ in slots.count..<3 { got.withLock { $0 += 1 } }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(got.withLock { $0 } == 4 * 5000 * 3)
    #expect(table.liveCount == 0)
    let slots = (0..<8).compactMap { _ in table.allocate(SlotHeader()) }
    #expect(Set(slots).count == 8)
    for slot in slots { #expect(table.release(slot)) }
  }
}
