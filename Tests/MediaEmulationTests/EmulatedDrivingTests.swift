import MediaCore
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaEmulation

/// Writes down its calls, and says when it wants the next.
private final class Driver: NetworkDriver {
  struct Call: Sendable, Equatable {
    let time: Int64
    let isReadable: Bool
  }

  private let journal = Monitor<[Call]>([])
  private let clock: VirtualClock
  private let body: @Sendable (Bool) -> Int64

  init(_ clock: VirtualClock, _ body: @escaping @Sendable (Bool) -> Int64 = { _ in .max }) {
    (self.clock, self.body) = (clock, body)
  }

  func drive(isReadable: Bool) -> Int64 {
    journal.withLock { $0.append(Call(time: clock.now(), isReadable: isReadable)) }
    return body(isReadable)
  }

  var calls: [Call] { journal.withLock { $0 } }
}

/// As `ReactorTests`, without waiting.
@Suite struct EmulatedDrivingTests {
  private let clock = VirtualClock()
  private let network: EmulatedNetwork
  private let host: EmulatedHost
  private static let ms: Int64 = 1_000_000

  init() throws {
    network = EmulatedNetwork(clock: clock)
    host = try network.addHost("10.0.0.1")
  }

  private func run(_ milliseconds: Int64 = 0) throws { try clock.advance(by: milliseconds * Self.ms) }

  @Test func oneIsDrivenAtOnceAndAtTheTimesThatItSays() throws {
    let start = clock.now()
    let driver = Driver(clock) { [clock] _ in clock.now() < start + 30 * Self.ms ? clock.now() + 10 * Self.ms : .max }
    let tag = try host.add(driver, [])
    #expect(driver.calls.isEmpty)
    try run(100)
    #expect(driver.calls.map { $0.time - start } == [0, 10, 20, 30].map { $0 * Self.ms })
    host.wake(tag, at: clock.now() + 5 * Self.ms)
    host.wake(tag, at: clock.now() + 7 * Self.ms)
    try run(100)
    #expect(driver.calls.map { $0.time - start }.dropFirst(4) == [105 * Self.ms])
    host.remove(tag)
    host.wake(tag, at: .min)
    try run(100)
    #expect(driver.calls.count == 5)
  }

  @Test func whatComesIsReportedUntilItIsRead() throws {
    let port = try host.bindDatagrams(to: try #require(SocketAddress("10.0.0.1", port: 9)))
    nonisolated(unsafe) let receiving = port
    let left = Monitor(3)
    // It reads at the third call only.
    let driver = Driver(clock) { isReadable in
      guard isReadable else { return .max }
      let reads = left.withLock { left in
        left -= 1
        return left <= 0
      }
      if reads { _ = receiving.receive(DatagramRows()) { _, _ in } }
      return .max
    }
    _ = try host.add(driver, [port.descriptor])
    try run()
    try send(to: port)
    try run()
    #expect(driver.calls.map(\.isReadable) == [false, true, true, true])
    try run(100)
    #expect(driver.calls.count == 4)
  }

  private func send(to port: any DatagramPort) throws {
    let batch = DatagramBatch()
    batch.begin()
    let slot = try #require(batch.slot())
    _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(1)), to: try #require(port.localAddress))
    _ = port.send(batch)
  }

  @Test func oneThatRestsIsNotDrivenByWhatComes() throws {
    let port = try host.bindDatagrams(to: try #require(SocketAddress("10.0.0.1", port: 9)))
    let driver = Driver(clock)
    let tag = try host.add(driver, [port.descriptor])
    try run()
    let start = clock.now()
    host.rest(tag, until: start + 300 * Self.ms)
    try send(to: port)
    try run(100)
    host.wake(tag, at: .min)
    try run(100)
    #expect(driver.calls.dropFirst() == [.init(time: start + 100 * Self.ms, isReadable: false)])
    try run(99)
    #expect(driver.calls.count == 2)
    nonisolated(unsafe) let receiving = port
    var received = 0
    try run(1)
    // It is over, and what came is reported, at this moment again and again.
    #expect(driver.calls.dropFirst(2).allSatisfy { $0 == .init(time: start + 300 * Self.ms, isReadable: true) })
    #expect(driver.calls.count > 2 && network.busyCalls > 0)
    host.rest(tag, until: start + 400 * Self.ms)
    try run(1)
    let count = driver.calls.count
    #expect(driver.calls.last?.isReadable == false)
    try run(50)
    #expect(driver.calls.count == count)
    host.endRest(tag)
    received += receiving.receive(DatagramRows()) { _, _ in }
    try run(1)
    #expect(received == 1 && driver.calls.count == count + 1)
    host.stop()
  }

  @Test func oneThatWaitsForRoomIsDrivenWhenThereIsSome() throws {
    let there = try network.addHost("10.0.0.2")
    let address = try #require(SocketAddress("10.0.0.2", port: 1))
    let listener = try there.listen(at: address)
    let one = try host.connect(to: address)
    let driver = Driver(clock)
    let tag = try host.add(driver, [one.descriptor])
    host.setFull(true, one.descriptor, of: tag)
    host.setConditions(up: .init(delay: 5 * Self.ms))
    try run(4)
    let begun = driver.calls.count
    try run(2)
    // It is open: that is room, too.
    #expect(driver.calls.count > begun && driver.calls.allSatisfy { !$0.isReadable })
    host.setFull(false, one.descriptor, of: tag)
    guard case .stranger(let other) = listener.accept() else { throw MediaError(.fail, "nobody waits") }
    let much = [UInt8](repeating: 1, count: 1 << 20)
    _ = much.withUnsafeBytes { one.write($0) }
    host.setFull(true, one.descriptor, of: tag)
    try run(100)
    let count = driver.calls.count
    try run(100)
    #expect(driver.calls.count == count)
    var memory = [UInt8](repeating: 0, count: 1000)
    _ = memory.withUnsafeMutableBytes { other.read(into: $0) }
    try run()
    #expect(driver.calls.count > count)
    host.stop()
  }

  /// It cannot keep the clock from going on, and is found.
  @Test func oneThatNeverRestsIsCounted() throws {
    let driver = Driver(clock) { _ in .min }
    let tag = try host.add(driver, [])
    try run(1)
    #expect(network.busyCalls > 0 && driver.calls.count < 2100)
    host.remove(tag)
  }

  @Test func aMachineThatStopsDrivesNobody() throws {
    let other = try network.addHost("10.0.0.2")
    let (one, two) = (Driver(clock), Driver(clock))
    let (first, second) = (try host.add(one, []), try other.add(two, []))
    try run()
    host.stop()
    for (machine, tag) in [(host, first), (other, second)] { machine.wake(tag, at: .min) }
    try run()
    #expect(one.calls.count == 1 && two.calls.count == 2)
    #expect(throws: MediaError.self) { try host.add(one, []) }
  }

  @Test func namesAreAnsweredLater() throws {
    let found = [try #require(SocketAddress("10.0.0.2", port: 443))]
    network.setNames {
      $0.name.description == "a.example" ? .success(found) : $0.name.description == "b.example" ? nil : .failure(MediaError(.io, "no"))
    }
    func question(_ name: String) throws -> NameResolver.Question {
      .init(try #require(HostName(name)), port: 443, isStream: true, isIPv6: nil)
    }
    let answered = Monitor(0)
    func look(_ name: String) throws -> NameLookup { host.names.look(up: try question(name)) { answered.withLock { $0 += 1 } } }
    let (good, silent, bad, left) = (try look("a.example"), try look("b.example"), try look("c.example"), try look("a.example"))
    left.cancel()
    #expect(good.answer == nil)
    try run(10)
    #expect(try good.answer?.get() == found)
    #expect(silent.answer == nil && left.answer == nil && answered.withLock { $0 } == 2)
    #expect(bad.answer.map { if case .failure(let error) = $0 { error.text == "no" } else { false } } == true)
    silent.fail(MediaError(.timeout, "late"))
    #expect(answered.withLock { $0 } == 3)
  }
}
