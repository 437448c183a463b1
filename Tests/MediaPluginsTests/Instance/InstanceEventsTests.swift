import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct InstanceEventsTests {
  private let plugin = FakePlugin()

  private func instance() throws -> PluginInstance {
    let module = FakeModule()
    module.add("level", .i32(0), flags: MSDK_PARAM_LIVE)
    return try module.instance(plugin)
  }

  /// Steps that are done when the test says so.
  private final class Hand: Sendable {
    let steps = Monitor<[@Sendable () -> Void]>([])
    let pokes = Monitor(0)
    let isStopped = Monitor(false)

    func make(_ step: @escaping @Sendable () -> Void) -> InstanceEvents.Worker {
      steps.withLock { $0.append(step) }
      return InstanceEvents.Worker(
        poke: { self.pokes.withLock { $0 += 1 } }, stop: { self.isStopped.withLock { $0 = true } })
    }

    func work() {
      for step in steps.withLock({ $0 }) { step() }
    }
  }

  @Test func whatIsSetIsTold() throws {
    let instance = try instance()
    try instance.setParameter("level", .i32(3))
    let event = try instance.events.next(deadline: 0)
    #expect(event == InstanceEvents.Event(event: UInt32(MSDK_PLUGIN_EVENT_PARAM_CHANGED), status: nil, text: "level", time: 5))
    #expect(failure { _ = try instance.events.next(deadline: 0) }?.status == .timeout)
    instance.reportFromPlugin(UInt32(MSDK_PLUGIN_EVENT_ERROR), MediaError(.deviceLost, "gone"), text: "")
    #expect(try instance.events.next(deadline: 0).text == "gone")
    plugin.on("set_param level") { _ in MSDK_E_IO }
    #expect(failure { try instance.setParameter("level", .i32(3)) } != nil)
    #expect(failure { _ = try instance.events.next(deadline: 0) }?.status == .timeout)
    instance.destroy()
    #expect(failure { _ = try instance.events.next(deadline: .max) }?.status == .closed)
  }

  @Test func theOldestAreDroppedAndThatIsSaid() throws {
    let instance = try instance()
    defer { instance.destroy() }
    for number in 0..<70 { instance.report(UInt32(number), nil, text: "") }
    let first = try instance.events.next(deadline: 0)
    #expect(first.event == 6 && first.isAfterLoss)
    #expect(try !instance.events.next(deadline: 0).isAfterLoss)
  }

  @Test func callbacksComeFromTheWorker() throws {
    let (hand, seen) = (Hand(), Monitor<[String]>([]))
    let instance = try instance()
    #expect(failure { try instance.events.setCallback { _ in } }?.status == .unsupported)
    instance.events.use { hand.make($0) }
    instance.report(1, nil, text: "before")
    try instance.events.setCallback { event in seen.withLock { $0.append(event.text) } }
    instance.report(1, nil, text: "after")
    #expect(seen.withLock { $0 } == [])
    #expect(hand.pokes.withLock { $0 } == 2)
    hand.work()
    #expect(seen.withLock { $0 } == ["before", "after"])
    #expect(failure { _ = try instance.events.next(deadline: 0) }?.status == .state)
    try instance.events.setCallback(nil)
    instance.report(1, nil, text: "pulled")
    hand.work()
    #expect(try instance.events.next(deadline: 0).text == "pulled")
    try instance.events.setCallback { event in seen.withLock { $0.append(event.text) } }
    instance.report(1, nil, text: "never")
    instance.destroy()
    hand.work()
    #expect(seen.withLock { $0.count } == 2)
    #expect(hand.isStopped.withLock { $0 })
    #expect(failure { try instance.events.setCallback(nil) }?.status == .closed)
  }

  @Test func noSecretIsInThem() throws {
    let module = FakeModule()
    module.add("token", .string(""), flags: MSDK_PARAM_SECRET)
    let lines = Monitor<[String]>([])
    let instance = try module.instance(plugin, log: { _, text in lines.withLock { $0.append(text) } })
    defer { instance.destroy() }
    try instance.setParameter("token", .string("hunter2"))
    instance.report(1, MediaError(.io, "hunter2 is wrong"), text: "")
    instance.log(0, "with hunter2")
    _ = try instance.events.next(deadline: 0)
    #expect(try instance.events.next(deadline: 0).text == "(secret) is wrong")
    #expect(lines.withLock { $0 } == ["test.fake: with (secret)"])
    #expect(failure { _ = try instance.parameter("token") }?.status == .permission)
  }
}
