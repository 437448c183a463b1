import CMediaSDK
import MediaCore
import MediaPlugins
import MediaRuntime
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

/// What an instance posts, by the host's table.
private final class Events: @unchecked Sendable {
  let posted = Monitor<[UInt32]>([])
  private let table = UnsafeMutablePointer<msdk_host>.allocate(capacity: 1)

  init() {
    var host = msdk_host()
    host.post_event = { context, event, _, _ in
      guard let context else { return }
      Unmanaged<Events>.fromOpaque(UnsafeRawPointer(context)).takeUnretainedValue().posted.withLock { $0.append(event) }
    }
    table.initialize(to: host)
  }

  deinit { table.deallocate() }

  var host: UnsafePointer<msdk_host> { UnsafePointer(table) }
  var context: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }
}

@Suite struct PluginRestarterTests {
  private static let ms: Int64 = 1_000_000
  private let clock = VirtualClock()
  private let events = Events()
  private let attempts = Monitor<[Int64]>([])

  private func instance(restarts: UInt32? = nil, isThere: Bool = false, _ inside: @escaping @Sendable (IsolatedInstance) -> Void = { _ in })
    -> IsolatedInstance
  {
    var options = InstanceOptions()
    options.restarts = restarts
    let plan = IsolationPlan(program: "", path: "", classID: "test", options: options, isVirtualClock: false, pushes: false, clock: clock)
    let begin = clock.now()
    let restarter = PluginRestarter { [clock, attempts] instance throws(MediaError) in
      attempts.withLock { $0.append((clock.now() - begin) / Self.ms) }
      inside(instance)
      if !isThere { throw MediaError(.noMemory, "no process") }
    }
    return IsolatedInstance(plan, host: events.host, context: events.context, restarter: restarter)
  }

  private func isGivenUp(_ instance: IsolatedInstance) -> Bool { instance.isGivenUp }

  @Test func restartsComeLaterEachTime() {
    var backoff = Backoff()
    let delays = (0..<7).map { _ in backoff.next(livedFor: 0).delay / 1_000_000 }
    #expect(delays == [0, 100, 400, 1_600, 6_400, 10_000, 10_000])
    #expect(backoff.deaths == 7)
    #expect(backoff.next(livedFor: Backoff.life) == (1, 0))
  }

  /// To the millisecond, as long as it fails.
  @Test func whatCannotBeStartedIsTriedAgain() throws {
    let instance = instance()
    instance.restarter.schedule(instance, livedFor: 0)
    try clock.advance(by: 60_000 * Self.ms)
    #expect(attempts.withLock { $0 } == [0, 100, 500, 2_100, 8_500, 18_500, 28_500, 38_500, 48_500, 58_500])
    instance.close()
    try clock.advance(by: 60_000 * Self.ms)
    #expect(attempts.withLock { $0.count } == 10)
    #expect(!isGivenUp(instance) && events.posted.withLock { $0.isEmpty })
  }

  @Test func afterSoManyDeathsInARowItIsGivenUp() throws {
    let instance = instance(restarts: 3)
    instance.restarter.schedule(instance, livedFor: 0)
    try clock.advance(by: 499 * Self.ms)
    #expect(!isGivenUp(instance))
    try clock.advance(by: 60_000 * Self.ms)
    #expect(attempts.withLock { $0 } == [0, 100, 500])
    #expect(isGivenUp(instance))
    #expect(events.posted.withLock { $0 } == [UInt32(MSDK_PLUGIN_EVENT_ERROR)])
    instance.close()
  }

  @Test func aLongLifeBeginsAnew() throws {
    let instance = instance(isThere: true)
    for life in [0, 0, 1_999, 2_000, 0] as [Int64] {
      instance.restarter.schedule(instance, livedFor: life * Self.ms)
      try clock.advance(by: 1_000 * Self.ms)
    }
    #expect(attempts.withLock { $0 } == [0, 1_100, 2_400, 3_000, 4_100])
    instance.close()
  }

  /// Whoever closes it waits for an attempt as for a supervisor, and inside of one for none.
  @Test func itIsClosedInsideAnAttempt() throws {
    let supervisors = Monitor<[Int]>([])
    let instance = instance { instance in
      supervisors.withLock { $0.append(instance.state.withLock { $0.supervisors }) }
      if ThreadOwner.isCurrent(instance) { instance.close() }
    }
    instance.restarter.schedule(instance, livedFor: 0)
    try clock.advance(by: 60_000 * Self.ms)
    #expect(attempts.withLock { $0 } == [0])
    #expect(supervisors.withLock { $0 } == [1])
    #expect(instance.state.withLock { $0.supervisors } == 0)
  }
}

@Suite struct HeaderProcessTests {
  /// Five seconds after the last question.
  @Test func itEndsWhenNobodyAsked() throws {
    let clock = VirtualClock()
    let begun = Monitor<[IsolatedInstance]>([])
    let process = HeaderProcess(program: "", path: "", clock: clock) { instance in
      instance.state.withLock { $0.link = .closed }
      begun.withLock { $0.append(instance) }
    }
    func ask(_ classID: String = "one") {
      var header = msdk_encoded_header()
      withUnsafeBytes(of: 7 as UInt64) { _ = try? process.parseVideo($0, of: classID, &header) }
    }
    func count() -> Int { begun.withLock { $0.count } }
    ask()
    try clock.advance(by: 4_000_000_000)
    ask()
    ask("two")
    #expect(count() == 2)
    try clock.advance(by: 4_999_000_000)
    ask()
    #expect(count() == 2)
    try clock.advance(by: 5_000_000_000)
    ask()
    #expect(count() == 3)
    try clock.advance(by: 5_000_000_000)
    ask("two")
    #expect(count() == 4)
    // A process is dead that was not asked for, not only forgotten.
    try clock.advance(by: 5_000_000_000)
    weak let last = begun.withLock { $0.last }
    begun.withLock { $0 = [] }
    #expect(last == nil)
  }
}
