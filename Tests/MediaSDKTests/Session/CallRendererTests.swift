import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct CallRendererTests {
  private func grid(_ call: Call, _ plugin: FakePlugin, _ id: String = "test.grid", takesInputs: Bool = true) throws -> PluginInstance {
    let module = FakeModule(id, kinds: MSDK_KIND_VIDEO_RENDERER)
    if takesInputs { module.renderer = FakePlugin.callRenderer() }
    if failure({ _ = try call.engine.plugins.descriptor(id) }) != nil { try call.engine.plugins.register(module.pointer()) }
    return try FakePlugin.$next.withValue(plugin) { try call.engine.makeInstance(id) }
  }

  /// What was told of inputs and rendered, since the last time.
  private func told(_ call: Call, _ plugin: FakePlugin) throws -> [String] {
    try call.advance()
    defer { plugin.forget() }
    return plugin.calls.filter { $0.hasPrefix("input") || $0.hasPrefix("remove") || $0.hasPrefix("render") }
  }

  private func started(_ call: Call, by session: Session, _ options: OutgoingVideoOptions = Make.raw()) throws -> OutgoingVideo {
    let stream = try call.engine.makeOutgoingVideo(options)
    try session.start(stream)
    try call.advance()
    return stream
  }

  @Test func everybodyIsAnInput() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    try call.anna.attachRenderer(try grid(call, plugin))
    #expect(try told(call, plugin) == ["input 1 bert Bert B."])
    let carl = try call.join("carl")
    #expect(try told(call, plugin) == ["input 2 carl carl"])
    let stream = try started(call, by: call.bert)
    #expect(try told(call, plugin) == ["input 1 bert Bert B. video"])
    try stream.currentSender().sendPicture(7)
    #expect(try told(call, plugin) == ["render 1"])
    #expect(plugin.frame.withLock { $0 } != nil)
    try call.bert.stop(stream)
    #expect(try told(call, plugin) == ["input 1 bert Bert B."])
    carl.close()
    #expect(try told(call, plugin) == ["remove 2"])
    let again = try call.join("carl")
    #expect(try told(call, plugin) == ["input 3 carl carl"])
    again.disconnect()
    call.anna.disconnect()
    #expect(try told(call, plugin).sorted() == ["remove 1", "remove 3"])
  }

  @Test func aSessionThatIsNotConnectedShowsNobodyUntilItIs() throws {
    let call = try Call()
    let plugin = FakePlugin()
    let grid = try grid(call, plugin)
    try call.anna.attachRenderer(grid)
    #expect(try told(call, plugin) == [])
    #expect(grid.rendererPhase == .ready)
    try call.bert.connect()
    #expect(try told(call, plugin) == [])
    try call.anna.connect()
    #expect(try told(call, plugin) == ["input 1 bert Bert B."])
  }

  @Test func ofEachInputTheNewestIsRendered() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    let shades = Journal<UInt8>()
    plugin.on("input frame") { fake in
      shades.add(fake.frame.withLock { $0?.shade ?? 0 })
      return 0
    }
    try call.anna.attachRenderer(try grid(call, plugin))
    let sender = try started(call, by: call.bert).currentSender()
    try call.advance()
    for shade in 1...5 as ClosedRange<UInt8> { try sender.sendPicture(shade) }
    try call.advance()
    #expect(shades.entries == [5])
  }

  @Test func encodedStreamsAreDecodedForIt() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    try call.anna.attachRenderer(try grid(call, plugin))
    let stream = try started(call, by: call.bert, Make.vp8())
    #expect(try told(call, plugin).last == "input 1 bert Bert B. video")
    try stream.currentSender().sendPicture(9)
    #expect(try told(call, plugin) == ["render 1"])
    // The program's own use of the stream is not disturbed.
    let incoming = try #require(call.anna.incomingVideos.first)
    let frame = try incoming.read(deadline: 0)
    frame.release()
    #expect(incoming.stats.counters.dropped == 0)
  }

  @Test func aStreamThatTheProgramTakesEncodedIsDecodedForItAsWell() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.output = .encoded })
    let plugin = FakePlugin()
    try call.bert.attachRenderer(try grid(call, plugin))
    #expect(try told(call, plugin) == ["input 1 anna anna video"])
    try outgoing.currentSender().sendPicture(9)
    #expect(try told(call, plugin) == ["render 1"])
    #expect(incoming.stats.counters.decoded == 1)
  }

  @Test func aSharedScreenIsOneMore() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    try call.anna.attachRenderer(try grid(call, plugin))
    let face = try started(call, by: call.bert)
    #expect(try told(call, plugin).last == "input 1 bert Bert B. video")
    var options = Make.raw()
    options.kind = .screenShare
    options.limits = .extended
    let screen = try started(call, by: call.bert, options)
    #expect(try told(call, plugin) == ["input 2 bert Bert B. screen video"])
    try screen.currentSender().sendPicture(1)
    #expect(try told(call, plugin) == ["render 2"])
    try face.currentSender().sendPicture(1)
    #expect(try told(call, plugin) == ["render 1"])
    try call.bert.stop(screen)
    #expect(try told(call, plugin) == ["remove 2"])
  }

  @Test func speakingAndMutedAreFollowed() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    try call.anna.attachRenderer(try grid(call, plugin), includingLocal: true)
    let voice = try call.startSound(by: call.bert)
    #expect(try told(call, plugin) == ["input 1 anna anna local", "input 2 bert Bert B."])
    voice.setMuted(true)
    #expect(try told(call, plugin) == ["input 2 bert Bert B. muted"])
    let second = try call.startSound(by: call.bert)
    #expect(try told(call, plugin) == ["input 2 bert Bert B."])
    try call.bert.stop(second)
    #expect(try told(call, plugin) == ["input 2 bert Bert B. muted"])
    voice.setMuted(false)
    #expect(try told(call, plugin) == ["input 2 bert Bert B."])
    call.anna.spoke(StreamID(value: 77), userID: "bert", 20)
    #expect(try told(call, plugin) == ["input 2 bert Bert B. speaking"])
    call.anna.spoke(StreamID(value: 77), userID: "bert", nil)
    #expect(try told(call, plugin) == ["input 2 bert Bert B."])
    let own = try call.startSound(by: call.anna)
    own.setMuted(true)
    #expect(try told(call, plugin) == ["input 1 anna anna local muted"])
  }

  @Test func oneselfIsSeenAsSent() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    try call.anna.attachRenderer(try grid(call, plugin), includingLocal: true)
    for options in [Make.raw(), Make.vp8()] {
      let stream = try started(call, by: call.anna, options)
      #expect(try told(call, plugin).contains("input 1 anna anna local video"))
      try stream.currentSender().sendPicture(3)
      #expect(try told(call, plugin) == ["render 1"])
      try call.anna.stop(stream)
      #expect(try told(call, plugin) == ["input 1 anna anna local"])
    }
  }

  @Test func whatTheProgramStoppedStaysStopped() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    try call.anna.attachRenderer(try grid(call, plugin))
    let stream = try started(call, by: call.bert)
    let incoming = try #require(call.anna.incomingVideos.first)
    #expect(incoming.state == .started)
    incoming.stop()
    #expect(try told(call, plugin).last == "input 1 bert Bert B.")
    try stream.currentSender().sendPicture()
    #expect(try told(call, plugin) == [])
    #expect(incoming.state == .stopped)
    try incoming.start()
    #expect(try told(call, plugin) == ["input 1 bert Bert B. video"])
    try stream.currentSender().sendPicture()
    #expect(try told(call, plugin) == ["render 1"])
  }

  @Test func whatTheProgramStartsIsItsOwn() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    let grid = try grid(call, plugin)
    try call.anna.attachRenderer(grid)
    let stream = try started(call, by: call.bert)
    let incoming = try #require(call.anna.incomingVideos.first)
    _ = try told(call, plugin)
    try incoming.start(Make.incoming { $0.pixelFormat = .bgra })
    #expect(failure { try incoming.start() }?.status == .state)
    _ = try told(call, plugin)
    try stream.currentSender().sendPicture()
    #expect(try told(call, plugin) == ["render 1"])
    let frame = try incoming.read(deadline: 0)
    #expect(frame.format.pixelFormat == .bgra)
    frame.release()
    try call.anna.detachRenderer(grid)
    #expect(incoming.state == .started)
  }

  @Test func theLastToLeaveStopsWhatWasStartedForIt() throws {
    let call = try Call().connect()
    let plugins = [FakePlugin(), FakePlugin()]
    let grids = try plugins.map { try grid(call, $0) }
    let mine = try started(call, by: call.bert)
    try #require(call.anna.incomingVideos.first).start()
    for grid in grids { try call.anna.attachRenderer(grid) }
    let theirs = try started(call, by: call.bert)
    let states = { call.anna.incomingVideos.map(\.state) }
    #expect(states() == [.started, .started])
    try call.anna.detachRenderer(grids[0])
    try call.advance()
    #expect(states() == [.started, .started])
    for stream in [mine, theirs] { try stream.currentSender().sendPicture() }
    // The second virtual stream of one participant is an input of its own.
    #expect(try told(call, plugins[1]).filter { $0.hasPrefix("render") } == ["render 1", "render 2"])
    #expect(try told(call, plugins[0]).last == "remove 2")
    try call.anna.detachRenderer(grids[1])
    #expect(states() == [.started, .stopped])
    #expect(failure { try call.anna.detachRenderer(grids[1]) }?.status == .notFound)
    // For the next one they are started again; what the program stopped meanwhile is not.
    call.anna.incomingVideos[0].stop()
    try call.anna.attachRenderer(grids[0])
    try call.advance()
    #expect(states() == [.stopped, .started])
  }

  @Test func changesThatComeTooFastAreOne() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    try call.anna.attachRenderer(try grid(call, plugin))
    _ = try told(call, plugin)
    let carl = try call.engine.makeSession(SessionOptions(url: call.room, userID: "carl"))
    plugin.on("render 1") { _ in 0 }
    for _ in 0..<200 {
      try carl.connect()
      carl.disconnect()
    }
    let calls = try told(call, plugin)
    #expect(calls.count <= 400 && calls.filter { $0.hasPrefix("input") }.count == calls.filter { $0.hasPrefix("remove") }.count)
    try carl.connect()
    #expect(try told(call, plugin).count == 1)
  }

  @Test func whoFailsIsReportedOnceAndLeftOut() throws {
    let call = try Call().connect()
    let plugin = FakePlugin(["input frame": { _ in MSDK_E_DEVICE_LOST }])
    let grid = try grid(call, plugin)
    try call.anna.attachRenderer(grid)
    let stream = try started(call, by: call.bert)
    _ = call.events(call.anna)
    for _ in 0..<3 {
      try stream.currentSender().sendPicture()
      try call.advance()
    }
    #expect(call.events(call.anna).filter { $0.hasPrefix("plugin 1 deviceLost") }.count == 1)
    #expect(plugin.calls.filter { $0.hasPrefix("render ") }.count == 1)
    #expect(plugin.calls.last == "remove 1")
    #expect(failure { try call.anna.detachRenderer(grid) }?.status == .notFound)
    try call.anna.attachRenderer(grid)
  }

  @Test func whatIsWrongIsRefused() throws {
    let call = try Call().connect()
    let single = try grid(call, FakePlugin(), "test.single", takesInputs: false)
    let error = failure { try call.anna.attachRenderer(single) }
    #expect(error?.status == .unsupported && error?.text.contains("update_input") == true)
    let grids = try (0..<9).map { _ in try grid(call, FakePlugin()) }
    for grid in grids.dropLast() { try call.anna.attachRenderer(grid) }
    #expect(failure { try call.anna.attachRenderer(grids[8]) }?.status == .full)
    #expect(failure { try call.anna.attachRenderer(grids[0]) }?.status == .state)
    #expect(failure { try call.bert.attachRenderer(grids[0]) }?.status == .state)
    #expect(failure { try call.bert.detachRenderer(grids[0]) }?.status == .notFound)
    // The one that was refused is free.
    try call.bert.attachRenderer(grids[8])
    call.anna.close()
    #expect(failure { try call.anna.attachRenderer(grids[1]) }?.status == .closed)
  }

  @Test func anInitThatFailsLeavesItDetached() throws {
    let call = try Call().connect()
    let plugin = FakePlugin(["init_render": { _ in MSDK_E_IO }])
    let grid = try grid(call, plugin)
    #expect(failure { try call.anna.attachRenderer(grid) }?.status == .io)
    plugin.on("init_render") { _ in 0 }
    try call.anna.attachRenderer(grid)
    #expect(try told(call, plugin) == ["input 1 bert Bert B."])
  }

  @Test func theSessionsEndReleasesIt() throws {
    let call = try Call().connect()
    let plugin = FakePlugin()
    let grid = try grid(call, plugin)
    try call.anna.attachRenderer(grid)
    try call.advance()
    call.anna.close()
    #expect(plugin.calls.suffix(3) == ["remove 1", "flush", "release_render"])
    #expect(grid.rendererPhase == .created)
    try call.bert.attachRenderer(grid)
  }

  enum Ending: CaseIterable {
    case destroy, detach, release, closeSession
  }

  @Test(arguments: Ending.allCases, ["input frame", "update"])
  func itMayEndInsideItsOwnCallback(ending: Ending, function: String) throws {
    let call = try Call("\(#function) \(ending) \(function)").connect()
    let plugin = FakePlugin()
    let grid = try grid(call, plugin)
    let anna = call.anna
    let stream = try started(call, by: call.bert)
    plugin.on(function) { fake in
      fake.on(function) { _ in 0 }
      switch ending {
      case .destroy: grid.destroy()
      case .detach: try? anna.detachRenderer(grid)
      case .release: try? grid.release()
      case .closeSession: anna.close()
      }
      return 0
    }
    try anna.attachRenderer(grid)
    try call.advance()
    for _ in 0..<3 {
      try stream.currentSender().sendPicture()
      try call.advance()
    }
    #expect(plugin.calls.filter { $0.hasPrefix("render ") }.count <= 1)
    #expect(failure { try anna.detachRenderer(grid) }?.status == .notFound)
    #expect(plugin.state.withLock { $0.isDestroyed } == (ending == .destroy))
    plugin.on(function) { _ in 0 }
  }
}
