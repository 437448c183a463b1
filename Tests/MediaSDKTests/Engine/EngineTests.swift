import CMediaSDK
import MediaCore
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct EngineTests {
  private func engine(isVirtual: Bool = true) -> Engine {
    var options = EngineOptions()
    options.isVirtualClock = isVirtual
    options.ignoresEnvironment = true
    return Engine(options)
  }

  @Test func onlyAVirtualClockIsMoved() throws {
    let virtual = engine()
    defer { virtual.close() }
    #expect(virtual.now() == second)
    try virtual.advanceClock(by: 24 * 3600 * second)
    #expect(virtual.now() == second + 24 * 3600 * second)
    #expect(failure { try virtual.advanceClock(by: -1) }?.status == .range)
    #expect(failure { try virtual.advanceClock(by: 24 * 3600 * second + 1) }?.status == .range)
    #expect(ForeignCode.run { failure { try virtual.advanceClock(by: 1) } }?.status == .thread)
    let system = engine(isVirtual: false)
    defer { system.close() }
    #expect(failure { try system.advanceClock(by: 1) }?.status == .unsupported)
    let before = MediaTime.monotonic()
    #expect(system.now() >= before)
  }

  @Test func everythingEndsWithIt() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    let unread = try sender.acquire(deadline: 0)
    try sender.send(unread)
    call.engine.close()
    call.engine.close()
    #expect(call.anna.state == .disconnected)
    #expect(outgoing.state == .stopped && incoming.state == .notAvailable)
    #expect(failure { try sender.send(unread) } != nil)
    #expect(failure { _ = try incoming.read(deadline: .max) }?.status == .closed)
    #expect(failure { _ = try outgoing.readReport(deadline: 0) } == nil)
    #expect(failure { _ = try outgoing.readReport(deadline: .max) }?.status == .closed)
    #expect(unread.references == 1)
    unread.release()
    let stats = call.engine.stats
    #expect(stats.sessions == 0 && stats.outgoingVideos == 0 && stats.incomingVideos == 0 && stats.instances == 0)
    #expect(failure { _ = try call.engine.makeSession(SessionOptions(url: call.room, userID: "x")) }?.status == .closed)
    #expect(failure { _ = try call.engine.makeOutgoingVideo(Make.raw()) }?.status == .closed)
  }

  @Test func statsCountWhatIsAlive() throws {
    let call = try Call().connect()
    _ = try call.stream(Make.raw())
    #expect(call.engine.stats.sessions == 2)
    #expect(call.engine.stats.outgoingVideos == 1)
    #expect(call.engine.stats.incomingVideos == 1)
    #expect(call.engine.stats.threads == 0)
    call.anna.close()
    #expect(call.engine.stats.sessions == 1)
  }

  @Test func instancesAreMadeFromRegisteredClasses() throws {
    let engine = engine()
    defer { engine.close() }
    #expect(failure { _ = try engine.makeInstance("test.fake") }?.status == .notFound)
    try engine.plugins.register(FakeModule().pointer())
    let plugin = FakePlugin()
    let instance = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    #expect(engine.stats.instances == 1)
    #expect(plugin.host.now_ns(plugin.context) == engine.now())
    instance.destroy()
    #expect(engine.stats.instances == 0)
    #expect(plugin.calls == ["create", "destroy"])
  }

  @Test func aSingletonHasOneInstanceAtATime() throws {
    let module = FakeModule("test.single")
    module.classes[0].flags = UInt32(MSDK_CLASS_SINGLETON)
    let engine = engine()
    defer { engine.close() }
    try engine.plugins.register(module.pointer())
    let first = try FakePlugin.$next.withValue(FakePlugin()) { try engine.makeInstance("test.single") }
    #expect(failure { _ = try FakePlugin.$next.withValue(FakePlugin()) { try engine.makeInstance("test.single") } }?.status == .exists)
    first.destroy()
    let second = try FakePlugin.$next.withValue(FakePlugin()) { try engine.makeInstance("test.single") }
    second.destroy()
  }

  @Test func anAttachedInstanceIsTakenDownWithItsEngine() throws {
    let call = try Call().connect()
    let module = FakeModule(kinds: MSDK_KIND_VIDEO_PRODUCER)
    module.producer.flags = 0
    try call.engine.plugins.register(module.pointer())
    let plugin = FakePlugin()
    let instance = try FakePlugin.$next.withValue(plugin) { try call.engine.makeInstance("test.fake") }
    let (outgoing, _) = try call.stream(Make.raw())
    try outgoing.attachProducer(instance)
    try call.advance()
    #expect(plugin.calls.last == "start_capture")
    call.engine.close()
    #expect(plugin.calls.suffix(3) == ["stop_capture", "release_capture", "destroy"])
  }

  @Test func anotherEnginesStreamIsRefused() throws {
    let call = try Call().connect()
    let other = engine()
    defer { other.close() }
    let stream = try other.makeOutgoingVideo(Make.raw())
    #expect(failure { try call.anna.start(stream) }?.status == .invalid)
  }

  @Test func enginesOfSystemClocksMeetInOneRoom() throws {
    let (one, other) = (engine(isVirtual: false), engine(isVirtual: false))
    defer {
      one.close()
      other.close()
    }
    let room = "loopback:engines meet \(#fileID)"
    let anna = try one.makeSession(SessionOptions(url: room, userID: "anna"))
    let bert = try other.makeSession(SessionOptions(url: room, userID: "bert"))
    try anna.connect()
    try bert.connect()
    let deadline = Deadline.after(milliseconds: 5000)
    var seen: [String] = []
    while !seen.contains("joined bert (bert)") { seen.append(Call.describe(try anna.nextEvent(deadline: deadline).event)) }
    #expect(seen == ["connecting", "connected", "joined bert (bert)"])
  }

  @Test func loadingFromADirectoryTellsTheLog() throws {
    let engine = engine()
    defer { engine.close() }
    let lines = Journal<String>()
    engine.logger.set(level: Int32(MSDK_LOG_WARN)) { record in lines.add("\(record.level) \(record.text)") }
    #expect(failure { _ = try engine.loadPlugins(in: "/does/not/exist") }?.status == .notFound)
    _ = engine.loadDefaultPlugins()
    #expect(lines.entries.allSatisfy { $0.hasPrefix("2 ") })
  }
}
