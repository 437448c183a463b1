import Glibc
import MediaCore
import MediaNetwork
import Testing

@testable import MediaRuntime

/// Counts its calls, and says when it wants the next.
private final class Driver: NetworkDriver {
  struct Call: Sendable, Equatable {
    let time: Int64
    let isReadable: Bool
  }

  let calls = Journal<Call>()
  private let body: @Sendable (Bool) -> Int64

  init(_ body: @escaping @Sendable (Bool) -> Int64 = { _ in .max }) {
    self.body = body
  }

  func drive(isReadable: Bool) -> Int64 {
    calls.add(Call(time: MediaTime.monotonic(), isReadable: isReadable))
    return body(isReadable)
  }

  var count: Int { calls.entries.count }
}

/// Rounds of a reactor's: after two of them whatever it had found before is done, and it has looked at the sockets again.
private struct Rounds {
  private let thread: Reactor
  private let driver = Driver()
  private let tag: UInt64

  init(_ thread: Reactor) throws {
    self.thread = thread
    tag = try thread.add(driver, [])
  }

  func pass(_ count: Int) -> Bool {
    for _ in 0..<count {
      let before = driver.count
      thread.wake(tag, at: .min)
      let hasPassed = eventually { driver.count > before }
      guard hasPassed else { return false }
    }
    return true
  }
}

@Suite(.serialized) struct ReactorTests {
  private let clock = SystemClock()

  @Test func oneIsDrivenAtOnceAndAgainAtItsTime() throws {
    let thread = try Reactor(clock: clock)
    // From the first call on, which may be late on a machine with other work.
    let dues = Journal<Int64>()
    let driver = Driver { _ in
      guard dues.entries.isEmpty else { return .max }
      dues.add(MediaTime.monotonic() + 50_000_000)
      return dues.entries[0]
    }
    _ = try thread.add(driver, [])
    #expect(eventually { driver.count >= 2 })
    #expect(driver.calls.entries[1].time >= dues.entries[0])
    usleep(100_000)
    #expect(driver.count == 2)
    #expect(clock.threadCount == 1)
    thread.stop()
    #expect(clock.threadCount == 0)
  }

  /// What is kept of deadlines that were replaced is thrown away in between, and nobody's deadline with it.
  @Test func whoIsWokenOftenTakesNobodysTime() throws {
    let thread = try Reactor(clock: clock)
    let due = MediaTime.monotonic() + 300_000_000
    let (often, once) = (Driver(), Driver { _ in MediaTime.monotonic() < due ? due : .max })
    let tag = try thread.add(often, [])
    _ = try thread.add(once, [])
    #expect(eventually { often.count == 1 && once.count == 1 })
    let far = MediaTime.monotonic() + 3_600_000_000_000
    for sooner in 1...10_000 as ClosedRange<Int64> { thread.wake(tag, at: far - sooner) }
    #expect(eventually { once.count >= 2 })
    #expect(once.calls.entries[1].time >= due && often.count == 1)
    thread.wake(tag, at: .min)
    #expect(eventually { often.count == 2 })
    thread.stop()
  }

  /// Not before, and not as if there were something to read.
  @Test func oneThatWaitsForRoomIsDrivenWhenThereIsSome() throws {
    let thread = try Reactor(clock: clock)
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let bytes = [UInt8](repeating: 7, count: 4096)
    while send(ends[0], bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    let driver = Driver()
    let tag = try thread.add(driver, [ends[0]])
    #expect(eventually { driver.count == 1 })
    thread.setFull(true, ends[0], of: tag)
    let rounds = try Rounds(thread)
    #expect(rounds.pass(10))
    #expect(driver.count == 1)
    var room = [UInt8](repeating: 0, count: 1 << 20)
    while recv(ends[1], &room, room.count, Int32(MSG_DONTWAIT)) > 0 {}
    #expect(eventually { driver.count > 1 })
    thread.setFull(false, ends[0], of: tag)
    #expect(driver.calls.entries.allSatisfy { !$0.isReadable })
    // What was found before is done with, however late the thread runs.
    #expect(rounds.pass(2))
    let count = driver.count
    #expect(rounds.pass(10))
    #expect(driver.count == count)
    // What comes counts as before.
    try #require(send(ends[1], bytes, 1, 0) == 1)
    #expect(eventually { driver.calls.entries.last?.isReadable == true })
    thread.stop()
  }

  /// Whatever comes meanwhile, and however often it is woken.
  @Test func oneThatRestsIsNotToldOfWhatComes() throws {
    let thread = try Reactor(clock: clock)
    let socket = try DatagramSocket(binding: try #require(SocketAddress("127.0.0.1", port: 0)))
    let batch = DatagramBatch()
    batch.begin()
    let slot = try #require(batch.slot())
    _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(1)), to: try #require(socket.localAddress))
    // Nobody reads it: without the rest it would be told of again and again.
    _ = socket.send(batch)
    let (tags, ends) = (Journal<UInt64>(), Journal<Int64>())
    let driver = Driver { isReadable in
      guard isReadable, ends.entries.isEmpty, let tag = tags.entries.first else { return .max }
      ends.add(MediaTime.monotonic() + 300_000_000)
      thread.rest(tag, until: ends.entries[0])
      return .max
    }
    tags.add(try thread.add(driver, [socket.descriptor]))
    #expect(eventually { !ends.entries.isEmpty })
    for _ in 0..<10 {
      thread.wake(tags.entries[0], at: .min)
      usleep(1000)
    }
    #expect(eventually { driver.calls.entries.last?.isReadable == true && (driver.calls.entries.last?.time ?? 0) >= ends.entries[0] })
    let early = driver.calls.entries.filter { $0.isReadable && $0.time > ends.entries[0] - 300_000_000 && $0.time < ends.entries[0] }
    #expect(early.isEmpty)
    thread.stop()
  }

  @Test func nobodyIsCalledWhileNothingHappens() throws {
    let thread = try Reactor(clock: clock)
    let drivers = (0..<20).map { _ in Driver() }
    for driver in drivers { _ = try thread.add(driver, []) }
    #expect(eventually { drivers.allSatisfy { $0.count >= 1 } })
    usleep(2_000_000)
    #expect(drivers.map(\.count) == [Int](repeating: 1, count: 20))
    thread.stop()
  }

  @Test func oneIsWokenEarlierThanPlannedByManyThreads() throws {
    let thread = try Reactor(clock: clock)
    let driver = Driver { _ in MediaTime.monotonic() + 3_600_000_000_000 }
    let tag = try thread.add(driver, [])
    #expect(eventually { driver.count == 1 })
    for _ in 0..<200 {
      let before = driver.count
      thread.wake(tag, at: .min)
      let isWoken = eventually { driver.count > before }
      #expect(isWoken)
      guard isWoken else { break }
    }
    let wakers = (0..<8).map { _ in
      OSThread {
        for delay in 0..<500 { thread.wake(tag, at: MediaTime.monotonic() + Int64(delay) * 1000) }
      }
    }
    for waker in wakers { waker.join() }
    let after = MediaTime.monotonic()
    thread.wake(tag, at: after + 1_000_000)
    #expect(eventually { driver.calls.entries.contains { $0.time >= after } })
    thread.stop()
  }

  @Test func wokenWhileItRunsItRunsAgain() throws {
    let thread = try Reactor(clock: clock)
    let (visit, hasBegun) = (Visit(), Monitor(false))
    let driver = Driver { _ in
      let isFirst = hasBegun.withLock { hasBegun in
        defer { hasBegun = true }
        return !hasBegun
      }
      if isFirst { visit.stay() }
      return .max
    }
    let tag = try thread.add(driver, [])
    visit.waitUntilInside()
    thread.wake(tag, at: .min)
    visit.end()
    #expect(eventually { driver.count == 2 })
    thread.stop()
  }

  @Test func removingWaitsForACallThatRuns() throws {
    let thread = try Reactor(clock: clock)
    let visit = Visit()
    let driver = Driver { _ in
      visit.stay()
      return .min
    }
    let tag = try thread.add(driver, [])
    visit.waitUntilInside()
    expectToWait(for: visit) { thread.remove(tag) }
    let count = driver.count
    usleep(20_000)
    #expect(driver.count == count)
    thread.stop()
  }

  @Test func fromForeignCodeItDoesNotWait() throws {
    let thread = try Reactor(clock: clock)
    let visit = Visit()
    let tag = try thread.add(
      Driver { _ in
        visit.stay()
        return .max
      }, [])
    visit.waitUntilInside()
    ForeignCode.run { thread.remove(tag) }
    #expect(!visit.hasLeft)
    visit.end()
    thread.stop()
  }

  @Test func removingFromInsideDoesNotWait() throws {
    let thread = try Reactor(clock: clock)
    let tags = Monitor<[UInt64]>([])
    let removes: @Sendable (Bool) -> Int64 = { _ in
      // Itself, and the other one.
      for tag in tags.wait(until: .max, { $0.count == 2 ? $0 : nil }) ?? [] { thread.remove(tag) }
      return .min
    }
    let drivers = [Driver(removes), Driver(removes)]
    for driver in drivers {
      let tag = try thread.add(driver, [])
      tags.withLock { $0.append(tag) }
      tags.notify()
    }
    #expect(eventually { drivers.map(\.count).reduce(0, +) == 1 })
    usleep(20_000)
    #expect(drivers.map(\.count).reduce(0, +) == 1)
    thread.stop()
  }

  @Test func aSocketIsReadableUntilItWasRead() throws {
    let thread = try Reactor(clock: clock)
    let any = try #require(SocketAddress("127.0.0.1", port: 0))
    let (here, there) = (try DatagramSocket(binding: any), try DatagramSocket(binding: any))
    let (descriptor, address) = (here.descriptor, try #require(here.localAddress))
    let bytes = Monitor<[UInt8]>([])
    // One datagram a call: what is left makes it readable again.
    let driver = Driver { isReadable in
      var byte: UInt8 = 0
      if isReadable, recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 1 { bytes.withLock { $0.append(byte) } }
      return .max
    }
    _ = try thread.add(driver, [descriptor])
    let batch = DatagramBatch()
    for value in 1...30 as ClosedRange<UInt8> {
      batch.begin()
      let slot = try #require(batch.slot())
      slot[0] = value
      _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(1)), to: address)
      #expect(there.send(batch) == .all)
    }
    #expect(eventually { bytes.withLock { $0.count } == 30 })
    #expect(bytes.withLock { $0 } == Array(1...30))
    usleep(20_000)
    #expect(driver.count <= 40)
    thread.stop()
    _ = here
  }

  @Test func oneThatIsAlwaysDueKeepsNobodyWaiting() throws {
    let thread = try Reactor(clock: clock)
    let (greedy, other) = (Driver { _ in .min }, Driver { _ in MediaTime.monotonic() + 1_000_000 })
    _ = try thread.add(greedy, [])
    _ = try thread.add(other, [])
    #expect(eventually { other.count > 50 })
    thread.stop()
    let count = greedy.count
    usleep(10_000)
    #expect(greedy.count == count)
  }

  @Test func whatIsNoSocketIsRefusedAndStoppedItTakesNobody() throws {
    let thread = try Reactor(clock: clock)
    let any = try #require(SocketAddress("127.0.0.1", port: 0))
    let socket = try DatagramSocket(binding: any)
    let error = failure { _ = try thread.add(Driver(), [socket.descriptor, -1]) }
    #expect(error?.status == .io)
    // The good one of the two is free again.
    let driver = Driver()
    let tag = try thread.add(driver, [socket.descriptor])
    #expect(eventually { driver.count == 1 })
    thread.stop()
    #expect(failure { _ = try thread.add(Driver(), []) }?.status == .closed)
    thread.remove(tag)
    thread.wake(tag, at: .min)
    usleep(10_000)
    #expect(driver.count == 1)
  }

  @Test func whatWasRemovedIsLetGoOf() throws {
    let thread = try Reactor(clock: clock)
    for _ in 0..<200 {
      var driver: Driver? = Driver { _ in .min }
      weak let remembered = driver
      let calls = driver?.calls
      let tag = try thread.add(try #require(driver), [])
      driver = nil
      #expect(calls?.wait(for: 3) == true)
      thread.remove(tag)
      #expect(remembered == nil)
    }
    thread.stop()
  }

  @Test func itNeedNotBeStopped() throws {
    do {
      let thread = try Reactor(clock: clock)
      let driver = Driver()
      let tag = try thread.add(driver, [])
      #expect(eventually { driver.count == 1 })
      thread.remove(tag)
    }
    #expect(eventually { clock.threadCount == 0 })
  }
}
