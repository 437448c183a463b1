import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct PluginInstanceTests {
  private let both = MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_RENDERER

  @Test func isCreatedAndDestroyedOnce() throws {
    let plugin = FakePlugin()
    let instance = try FakeModule().instance(plugin)
    #expect(plugin.calls == ["create"])
    instance.destroy()
    instance.destroy()
    #expect(plugin.calls == ["create", "destroy"])
    #expect(HandleTable.shared.object(plugin.context, .hostContext) == nil)
  }

  @Test func aFailedCreateLeavesNothing() throws {
    let plugin = FakePlugin()
    plugin.on("create") { fake in
      "the lamp is off".withCString { fake.host.set_error(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_IO
    }
    let error = failure { _ = try FakeModule().instance(plugin) }
    #expect(error?.status == .io)
    #expect(error?.text == "test.fake: the lamp is off")
    #expect(HandleTable.shared.object(plugin.context, .hostContext) == nil)
    let none = FakePlugin(["none": { _ in 0 }])
    #expect(failure { _ = try FakeModule().instance(none) }?.status == .abi)
    #expect(HandleTable.shared.object(none.context, .hostContext) == nil)
  }

  @Test func everyLevelIsTakenDownBeforeTheEnd() throws {
    let plugin = FakePlugin()
    let instance = try FakeModule(kinds: both).instance(plugin)
    try instance.initialiseProducer()
    try instance.startProducer { _ in nil }
    let frame = try VideoFrame.make(testFormat())
    defer { frame.release() }
    try instance.render(frame, from: nil)
    plugin.forget()
    instance.destroy()
    #expect(plugin.calls == ["stop_capture", "release_capture", "flush", "release_render", "destroy"])
  }

  @Test func releaseTakesItDownToWhereItBegan() throws {
    let plugin = FakePlugin()
    let instance = try FakeModule(kinds: both).instance(plugin)
    defer { instance.destroy() }
    try instance.initialiseProducer()
    try instance.startProducer { _ in nil }
    try instance.initialiseRenderer()
    plugin.forget()
    try instance.release()
    #expect(plugin.calls == ["stop_capture", "release_capture", "flush", "release_render"])
    #expect(instance.producerPhase == .created && instance.rendererPhase == .created)
    try instance.release()
    #expect(plugin.calls.count == 4)
    try instance.initialiseProducer()
    #expect(instance.producerPhase == .ready)
  }

  @Test func aDestroyedOneDoesNothingMore() throws {
    let plugin = FakePlugin()
    let module = FakeModule(kinds: both)
    module.add("level", .i32(0))
    let instance = try module.instance(plugin)
    instance.destroy()
    plugin.forget()
    let frame = try VideoFrame.make(testFormat())
    defer { frame.release() }
    let calls: [() throws -> Void] = [
      { try instance.initialiseProducer() }, { try instance.startProducer { _ in nil } }, { try instance.setProducerFormat(testFormat()) },
      { try instance.initialiseRenderer() }, { try instance.render(frame, from: nil) }, { try instance.setParameter("level", .i32(1)) },
      { _ = try instance.attach(to: "x", events: nil, letGo: {}) }
    ]
    for (index, call) in calls.enumerated() { #expect(failure(call)?.status == .closed, "\(index)") }
    #expect(plugin.calls.isEmpty)
  }

  @Test func itIsAttachedToOneThingAtATime() throws {
    let instance = try FakeModule().instance(FakePlugin())
    defer { instance.destroy() }
    let attachment = try instance.attach(to: "one thing", events: nil, letGo: {})
    let error = failure { _ = try instance.attach(to: "another", events: nil, letGo: {}) }
    #expect(error?.status == .state)
    #expect(error?.text.contains("one thing") == true)
    instance.detach(attachment)
    let next = try instance.attach(to: "another", events: nil, letGo: {})
    // The former attachment detaches nothing any more.
    instance.detach(attachment)
    #expect(instance.attachment === next)
    instance.detach(next)
  }

  @Test func theHolderIsAskedToLetGo() throws {
    let asked = Monitor(0)
    let instance = try FakeModule().instance(FakePlugin())
    _ = try instance.attach(to: "x", events: nil) { asked.withLock { $0 += 1 } }
    instance.destroy()
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func failuresCarryTheWordsOfThePlugin() throws {
    let plugin = FakePlugin()
    let instance = try FakeModule().instance(plugin)
    defer { instance.destroy() }
    plugin.on("init_capture") { fake in
      "no film".withCString { fake.host.set_error(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_NOT_FOUND
    }
    let error = failure { try instance.initialiseProducer() }
    #expect(error?.status == .notFound)
    #expect(error?.text == "test.fake: no film")
    #expect(instance.producerPhase == .created)
    // The words belong to that failure only; an unknown code is a failure like any other.
    plugin.on("init_capture") { _ in -4711 }
    let next = failure { try instance.initialiseProducer() }
    #expect(next?.status == .fail)
    #expect(next?.text.contains("no film") == false)
    #expect(next?.text.contains("-4711") == true)
  }

  @Test func callsOfOneInstanceAreRefusedFromInside() throws {
    let plugin = FakePlugin()
    let instance = try FakeModule().instance(plugin)
    defer { instance.destroy() }
    let inner = Monitor<MediaError?>(nil)
    plugin.on("init_capture") { _ in
      let error = failure { try instance.setProducerFormat(testFormat()) }
      inner.withLock { $0 = error }
      return 0
    }
    try instance.initialiseProducer()
    #expect(inner.withLock { $0 }?.status == .thread)
    #expect(!plugin.calls.contains("set_format"))
  }

  @Test func eventsReachTheHolderOnly() throws {
    let plugin = FakePlugin()
    let module = FakeModule()
    module.add("level", .i32(0), flags: MSDK_PARAM_LIVE)
    let instance = try module.instance(plugin)
    defer { instance.destroy() }
    let events = Monitor<[String]>([])
    let attachment = try instance.attach(
      to: "x",
      events: { event in
        events.withLock { $0.append("\(event.event) \(event.status.map { "\($0)" } ?? "ok") \(event.text)") }
      }, letGo: {})
    func post(_ event: Int, _ result: Int, _ detail: ParameterValue?) {
      guard let detail else { return plugin.host.post_event(plugin.context, UInt32(event), msdk_result(result), nil) }
      detail.withForeign { plugin.host.post_event(plugin.context, UInt32(event), msdk_result(result), $0) }
    }
    post(MSDK_PLUGIN_EVENT_PARAM_CHANGED, 0, .string("level"))
    post(MSDK_PLUGIN_EVENT_USER, 0, .i32(7))
    post(MSDK_PLUGIN_EVENT_ERROR, MSDK_E_IO, .string("paper jam"))
    post(MSDK_PLUGIN_EVENT_USER + 1, 0, nil)
    #expect(events.withLock { $0 } == ["4 ok level", "65536 ok 7", "1 io paper jam", "65537 ok "])
    instance.detach(attachment)
    post(MSDK_PLUGIN_EVENT_USER, 0, nil)
    #expect(events.withLock { $0.count } == 4)
  }

  @Test func whatThePluginLogsBearsItsName() throws {
    let lines = Monitor<[String]>([])
    let plugin = FakePlugin()
    plugin.on("create") { fake in
      "hello".withCString { fake.host.log(fake.context, 99, $0) }
      return 0
    }
    let instance = try FakeModule().instance(plugin, log: { level, text in lines.withLock { $0.append("\(level) \(text)") } })
    "bye".withCString { plugin.host.log(plugin.context, -5, $0) }
    instance.destroy()
    "too late".withCString { plugin.host.log(plugin.context, 1, $0) }
    #expect(lines.withLock { $0 } == ["3 test.fake: hello", "0 test.fake: bye"])
  }

  @Test func afterItsEndNothingKeepsIt() throws {
    weak var weakInstance: PluginInstance?
    weak var weakPlugin: FakePlugin?
    do {
      let plugin = FakePlugin()
      let instance = try FakeModule(kinds: both).instance(plugin)
      (weakInstance, weakPlugin) = (instance, plugin)
      try instance.initialiseProducer()
      try instance.startProducer { _ in nil }
      instance.destroy()
    }
    #expect(weakInstance == nil)
    #expect(weakPlugin == nil)
  }
}
