import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct InstanceParametersTests {
  private let plugin = FakePlugin()

  private func instance(_ add: (FakeModule) -> Void) throws -> PluginInstance {
    let module = FakeModule(kinds: MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_RENDERER)
    add(module)
    return try module.instance(plugin)
  }

  private func seen(_ name: String) -> FakePlugin.ParameterText? {
    plugin.state.withLock { $0.values[name] }
  }

  @Test func thePluginSeesTheDeclaredTypeOnly() throws {
    let instance = try instance {
      $0.add("level", .i32(3), min: 0, max: 10)
      $0.add("gain", .f64(1))
      $0.add("name", .string(""))
    }
    defer { instance.destroy() }
    #expect(try instance.parameter("level") == .i32(3))
    try instance.setParameter("level", .u64(7))
    #expect(seen("level") == FakePlugin.ParameterText(type: UInt32(MSDK_T_I32), text: "7"))
    #expect(try instance.parameter("level") == .i32(7))
    try instance.setParameter("gain", .i32(2))
    #expect(seen("gain") == FakePlugin.ParameterText(type: UInt32(MSDK_T_F64), text: "2.0"))
    try instance.setParameter("name", text: "grün")
    #expect(seen("name")?.text == "grün")
    plugin.forget()
    #expect(failure { try instance.setParameter("level", .i32(11)) }?.status == .range)
    #expect(failure { try instance.setParameter("level", text: "eleven") }?.status == .type)
    #expect(failure { try instance.setParameter("volume", .i32(1)) }?.status == .notFound)
    #expect(failure { _ = try instance.parameter("volume") }?.status == .notFound)
    #expect(plugin.calls.isEmpty)
    #expect(try instance.parameter("level") == .i32(7))
  }

  @Test func whatThePluginRefusesIsNotRemembered() throws {
    let instance = try instance { $0.add("level", .i32(3)) }
    defer { instance.destroy() }
    plugin.on("set_param level") { _ in MSDK_E_RANGE }
    #expect(failure { try instance.setParameter("level", .i32(4)) }?.status == .range)
    #expect(try instance.parameter("level") == .i32(3))
  }

  @Test func onlyLiveOnesAreSetWhileItIsStarted() throws {
    let instance = try instance {
      $0.add("fixed", .i32(0))
      $0.add("live", .i32(0), flags: MSDK_PARAM_LIVE)
      $0.add("state", .i32(0), flags: MSDK_PARAM_READONLY)
    }
    defer { instance.destroy() }
    #expect(failure { try instance.setParameter("state", .i32(1)) }?.status == .permission)
    try instance.initialiseProducer()
    try instance.setParameter("fixed", .i32(1))
    try instance.startProducer { _ in nil }
    #expect(failure { try instance.setParameter("fixed", .i32(2)) }?.status == .state)
    try instance.setParameter("live", .i32(2))
    try instance.stopProducer()
    try instance.setParameter("fixed", .i32(2))
    let frame = try VideoFrame.make(testFormat())
    defer { frame.release() }
    try instance.render(frame, from: nil)
    #expect(failure { try instance.setParameter("fixed", .i32(3)) }?.status == .state)
  }

  @Test func whatIsRequiredMustBeSetFirst() throws {
    let instance = try instance { $0.add("path", .string(""), flags: MSDK_PARAM_REQUIRED) }
    defer { instance.destroy() }
    let error = failure { try instance.initialiseProducer() }
    #expect(error?.status == .invalid)
    #expect(error?.text.contains("path") == true)
    #expect(failure { try instance.initialiseRenderer() }?.status == .invalid)
    #expect(plugin.calls == ["create"])
    try instance.setParameter("path", .string("/film"))
    try instance.initialiseProducer()
    try instance.initialiseRenderer()
  }

  @Test func settingWhatIsRequiredToItsDefaultIsSettingIt() throws {
    let instance = try instance { $0.add("channel", .i32(0), flags: MSDK_PARAM_REQUIRED) }
    defer { instance.destroy() }
    #expect(failure { try instance.initialiseProducer() }?.status == .invalid)
    try instance.setParameter("channel", .i32(0))
    #expect(failure { try instance.initialiseProducer() } == nil)
  }

  @Test func thePluginsOwnAnswerIsChecked() throws {
    let instance = try instance { module in
      module.add("level", .i32(3))
      module.classes[0].get_param = { plugin, _, out in
        guard let fake = FakePlugin.of(plugin), let out else { return -1 }
        out.pointee.type = UInt32(fake.due.withLock { $0 })
        out.pointee.u.i64 = 5
        return fake.call("get_param")
      }
    }
    defer { instance.destroy() }
    for (type, expected) in [(MSDK_T_I32, .i32(5)), (MSDK_T_I64, .i32(5)), (MSDK_T_U64, .i32(5))] as [(Int, ParameterValue)] {
      plugin.due.withLock { $0 = Int64(type) }
      #expect(try instance.parameter("level") == expected)
    }
    plugin.due.withLock { $0 = Int64(MSDK_T_F64) }
    #expect(failure { _ = try instance.parameter("level") }?.status == .type)
    plugin.due.withLock { $0 = 0 }
    #expect(failure { _ = try instance.parameter("level") }?.status == .type)
    plugin.on("get_param") { _ in MSDK_E_AGAIN }
    #expect(failure { _ = try instance.parameter("level") }?.status == .again)
  }
}
