import Testing

@testable import MediaCore

private final class Thing: Sendable {
  let value = 1
}

@Suite struct HandleTableTests {
  private let table = HandleTable()

  @Test func findsWhatWasPutIn() throws {
    let thing = Thing()
    let handle = try #require(table.insert(thing, .session))
    #expect(table.object(handle, .session) === thing)
    #expect(table.remove(handle, .session) === thing)
    #expect(table.object(handle, .session) == nil)
    #expect(table.remove(handle, .session) == nil)
  }

  @Test func anotherKindFindsNothing() throws {
    let thing = Thing()
    let handle = try #require(table.insert(thing, .session))
    defer { table.remove(handle, .session) }
    let kinds: [HandleKind] = [.engine, .outgoingVideo, .frameSender, .incomingVideo, .instance, .hostContext]
    for kind in kinds {
      #expect(table.object(handle, kind) == nil)
      #expect(table.remove(handle, kind) == nil)
      // The same number with its kind forged.
      let forged = OpaquePointer(bitPattern: UInt(bitPattern: handle) & ~(0xFF << 56) | UInt(kind.rawValue) << 56)
      #expect(table.object(forged, kind) == nil)
    }
    #expect(table.object(handle, .session) === thing)
  }

  @Test func whatFindsNothingIsNamed() throws {
    let handle = try #require(table.insert(Thing(), .session))
    #expect(table.reason(handle, .engine) == .kind(.session))
    #expect(table.reason(nil, .engine) == .null)
    table.remove(handle, .session)
    #expect(table.reason(handle, .session) == .ended && table.reason(handle, .engine) == .kind(.session))
    // Its slot is not used again before the others of its block.
    let next = try #require(table.insert(Thing(), .engine))
    defer { table.remove(next, .engine) }
    #expect(table.reason(handle, .session) == .ended)
    #expect(table.reason(OpaquePointer(bitPattern: 0x1234_5678), .session) == .unknown)
    #expect(table.reason(OpaquePointer(bitPattern: UInt(bitPattern: handle) | 0xFF << 24), .session) == .unknown)
    #expect(table.reason(OpaquePointer(bitPattern: UInt(bitPattern: handle) | 0xFF_FFFF), .session) == .unknown)
  }

  @Test func garbageFindsNothing() {
    var random = SeededRandom(seed: 1)
    #expect(table.object(nil, .session) == nil)
    #expect(table.remove(nil, .session) == nil)
    for _ in 0..<10_000 {
      let bits = UInt(random.next())
      for pattern in [bits, bits & 0xFFFF, bits & ~(0xFF << 56) | 0xE6 << 56 | 1 << 55] {
        let pointer = OpaquePointer(bitPattern: pattern)
        #expect(table.object(pointer, .frameSender) == nil || pattern >> 56 == 0xE4)
        // A live slot of the highest generation does not exist.
        #expect(table.object(pointer, .instance) == nil)
        #expect(table.remove(pointer, .instance) == nil)
      }
    }
  }

  @Test func itKeepsTheObjectUntilItIsRemoved() throws {
    weak var weakThing: Thing?
    let handle: OpaquePointer?
    do {
      let thing = Thing()
      weakThing = thing
      handle = table.insert(thing, .engine)
    }
    #expect(weakThing != nil)
    table.remove(handle, .engine)
    #expect(weakThing == nil)
  }

  @Test func anOldHandleStaysStaleThoughItsSlotIsUsedAgain() throws {
    let stale = try #require(table.insert(Thing(), .instance))
    table.remove(stale, .instance)
    let index = UInt(bitPattern: stale) & 0xFF_FFFF
    var isReused = false
    // More than a chunk of slots, so that freed ones come round.
    for _ in 0..<4096 where !isReused {
      let handle = try #require(table.insert(Thing(), .instance))
      isReused = UInt(bitPattern: handle) & 0xFF_FFFF == index
      #expect(handle != stale)
      #expect(table.object(stale, .instance) == nil)
      #expect(table.remove(stale, .instance) == nil)
      #expect(table.remove(handle, .instance) != nil)
    }
    #expect(isReused)
    #expect(table.remove(stale, .instance) == nil)
  }

  @Test func manyAreApart() throws {
    let things = (0..<3000).map { _ in Thing() }
    let handles = try things.map { try #require(table.insert($0, .outgoingVideo)) }
    #expect(Set(handles).count == things.count)
    for (handle, thing) in zip(handles, things) { #expect(table.object(handle, .outgoingVideo) === thing) }
    for handle in handles { table.remove(handle, .outgoingVideo) }
    for handle in handles { #expect(table.object(handle, .outgoingVideo) == nil) }
  }

  @Test func lookingAndRemovingAtOnceIsSafe() throws {
    for _ in 0..<40 {
      let handle = try #require(table.insert(Thing(), .session))
      let removals = Monitor(0)
      let threads = (0..<4).map { index in
        let token = UInt(bitPattern: handle)
        return OSThread {
          let handle = OpaquePointer(bitPattern: token)
          for _ in 0..<200 {
            if let thing = table.object(handle, .session) as? Thing { #expect(thing.value == 1) }
          }
          if index >= 2, table.remove(handle, .session) != nil { removals.withLock { $0 += 1 } }
          #expect(index < 2 || table.object(handle, .session) == nil)
        }
      }
      for thread in threads { thread.join() }
      #expect(removals.withLock { $0 } == 1)
    }
  }
}

@Suite struct HandleSlotTests {
  @Test func isMadeOnceAndOnDemand() throws {
    let thing = Thing()
    let slot = HandleSlot(.session)
    let handle = try #require(slot.handle(of: thing))
    #expect(slot.handle(of: thing) == handle)
    #expect(HandleTable.shared.object(handle, .session) === thing)
    slot.end()
  }

  @Test func isGoneForGoodOnceEnded() throws {
    let thing = Thing()
    let slot = HandleSlot(.session)
    let handle = try #require(slot.handle(of: thing))
    slot.end()
    #expect(HandleTable.shared.object(handle, .session) == nil)
    #expect(slot.handle(of: thing) == nil)
    slot.end()
    let unasked = HandleSlot(.session)
    unasked.end()
    #expect(unasked.handle(of: thing) == nil)
  }

  @Test func itsNameOutlivesIt() throws {
    let (thing, slot) = (Thing(), HandleSlot(.instance))
    let handle = try #require(slot.handle(of: thing))
    #expect(slot.name(of: thing) == handle)
    slot.end()
    #expect(slot.name(of: thing) == handle)
    #expect(HandleTable.shared.object(handle, .instance) == nil)
  }

  @Test func whatEndedBeforeItHadOneIsNamedAllTheSame() throws {
    let (thing, slot) = (Thing(), HandleSlot(.instance))
    slot.end()
    let name = try #require(slot.name(of: thing))
    #expect(slot.name(of: thing) == name)
    #expect(HandleTable.shared.object(name, .instance) == nil)
    let (other, next) = (Thing(), HandleSlot(.instance))
    #expect(next.handle(of: other) != name)
    next.end()
  }
}
