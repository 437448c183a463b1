import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct InstanceCommandsTests {
  private let plugin = FakePlugin()

  private func instance(_ add: (FakeModule) -> Void) throws -> PluginInstance {
    let module = FakeModule()
    add(module)
    let instance = try module.instance(plugin)
    plugin.forget()
    return instance
  }

  @Test func everyTypeGoesThereAndBack() throws {
    let values: [ParameterValue] = [
      .bool(true), .i32(.min), .i64(.max), .u32(.max), .u64(.max), .f64(0.25), .string("grün, a rather long text"), .bytes([1, 0, 2])
    ]
    let instance = try instance { module in
      for value in values {
        let type = Int(value.type.rawValue)
        module.add(command: "\(value.type)", [FakeArgument("value", type)], result: type)
      }
    }
    defer { instance.destroy() }
    for value in values { #expect(try instance.call("\(value.type)", [value]) == value) }
  }

  @Test func ordinaryFunctionsAreCalled() throws {
    let instance = try instance {
      let arguments = [FakeArgument("a", MSDK_T_I32, min: 0, max: 9), FakeArgument("b", MSDK_T_F64, defaultValue: .f64(0.5))]
      $0.add(command: "add", arguments, result: MSDK_T_F64, native: FakeCommands.native(FakeCommands.add))
    }
    defer { instance.destroy() }
    #expect(try instance.call("add", [.u64(3)]) == .f64(3.5))
    #expect(try instance.call("add", [.u64(3), .i32(1)]) == .f64(4))
    #expect(plugin.calls == ["add 3 0.5", "add 3 1.0"])
  }

  @Test func whatIsWrongDoesNotReachThePlugin() throws {
    let instance = try instance {
      $0.add(command: "run", [FakeArgument("level", MSDK_T_I32, min: 0, max: 10), FakeArgument("name", MSDK_T_STRING, choices: ["a"])])
    }
    defer { instance.destroy() }
    func status(_ arguments: [ParameterValue], _ name: String = "run") -> Status? {
      failure { try instance.call(name, arguments) }?.status
    }
    #expect(status([], "walk") == .notFound)
    #expect(status([]) == .invalid)
    #expect(status([.i32(1)]) == .invalid)
    #expect(status([.i32(1), .string("a"), .i32(2)]) == .invalid)
    #expect(status([.f64(1), .string("a")]) == .type)
    #expect(status([.i32(11), .string("a")]) == .range)
    #expect(status([.i32(1), .string("b")]) == .range)
    #expect(status([.i32(1), .string("a\0")]) == .range)
    #expect(plugin.calls.isEmpty)
  }

  @Test func thePluginsErrorIsItsOwn() throws {
    let instance = try instance { $0.add(command: "run") }
    defer { instance.destroy() }
    plugin.on("command") { fake in
      "no disk".withCString { fake.host.set_error?(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_IO
    }
    let said = failure { try instance.call("run") }
    #expect(said == MediaError(.io, "test.fake: no disk"))
    plugin.on("command") { _ in MSDK_E_DEVICE_LOST }
    let unsaid = failure { try instance.call("run") }
    #expect(unsaid?.status == .deviceLost)
    #expect(unsaid?.text.contains("command \"run\" failed") == true)
    plugin.on("command") { fake in
      // Words of a thread that the plugin left the work to.
      OSThread { "from a thread".withCString { fake.host.set_error?(fake.context, msdk_result(MSDK_E_IO), $0) } }.join()
      return MSDK_E_IO
    }
    #expect(failure { try instance.call("run") }?.text == "test.fake: from a thread")
  }

  @Test func noSecretIsInItsError() throws {
    let instance = try instance {
      $0.add("token", .string(""), flags: MSDK_PARAM_SECRET)
      $0.add(command: "run")
    }
    defer { instance.destroy() }
    try instance.setParameter("token", .string("hunter2"))
    plugin.on("command") { fake in
      "no login with hunter2".withCString { fake.host.set_error?(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_IO
    }
    #expect(failure { try instance.call("run") } == MediaError(.io, "test.fake: no login with (secret)"))
  }

  @Test func anAnswerOfAnotherTypeIsNotPassedOn() throws {
    let instance = try instance {
      $0.add(command: "number", [FakeArgument("text", MSDK_T_STRING)], result: MSDK_T_I32)
      $0.add(command: "nothing", [FakeArgument("text", MSDK_T_STRING)])
      $0.add(command: "silent", result: MSDK_T_STRING)
    }
    defer { instance.destroy() }
    #expect(failure { try instance.call("number", [.string("x")]) }?.status == .fail)
    #expect(failure { try instance.call("nothing", [.string("x")]) }?.text.contains("it declares nothing") == true)
    #expect(failure { try instance.call("silent") }?.text.contains("it declares string, 7") == true)
  }

  @Test func oneAfterTheOtherUnlessTheyAreThreadSafe() throws {
    let instance = try instance {
      $0.add(command: "again", [FakeArgument("n", MSDK_T_I32)], result: MSDK_T_I32)
      $0.add(command: "beside", [FakeArgument("n", MSDK_T_I32)], result: MSDK_T_I32, flags: MSDK_COMMAND_THREAD_SAFE)
    }
    defer { instance.destroy() }
    plugin.on("command 1") { [unowned instance] _ in
      #expect(failure { try instance.call("again", [.i32(2)]) }?.status == .thread)
      #expect(failure { try instance.call("beside", [.i32(3)]) } == nil)
      return MSDK_OK
    }
    try instance.call("again", [.i32(1)])
    #expect(plugin.calls == ["command 1", "command 3"])
  }

  @Test func afterTheEndThereIsNone() throws {
    let instance = try instance {
      $0.add(command: "run")
      $0.add(command: "beside", flags: MSDK_COMMAND_THREAD_SAFE)
    }
    instance.destroy()
    plugin.forget()
    #expect(failure { try instance.call("run") }?.status == .closed)
    #expect(failure { try instance.call("beside") }?.status == .closed)
    #expect(plugin.calls.isEmpty)
  }

  @Test func destroyedFromInsideItEndsWhenTheCommandDoes() throws {
    for flags in [0, MSDK_COMMAND_THREAD_SAFE] {
      let plugin = FakePlugin()
      let module = FakeModule()
      module.add(command: "run", flags: flags)
      let instance = try module.instance(plugin)
      plugin.on("command") { [unowned instance] fake in
        instance.destroy()
        #expect(!fake.state.withLock { $0.isDestroyed })
        return MSDK_OK
      }
      try instance.call("run")
      #expect(plugin.state.withLock { $0.isDestroyed })
    }
  }
}
