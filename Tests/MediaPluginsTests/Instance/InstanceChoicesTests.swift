import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct InstanceChoicesTests {
  private let plugin = FakePlugin()

  /// Of the devices that the plugin's `due` counts, up to three.
  private func instance() throws -> PluginInstance {
    let module = FakeModule()
    module.add("device", .string(""), flags: MSDK_PARAM_DYNAMIC_CHOICES)
    module.add("colour", .string("red"), choices: ["red", "green"])
    module.add("level", .i32(0))
    module.classes[0].param_choice = { plugin, name, index, out in
      guard let fake = FakePlugin.of(plugin), let name, let out else { return msdk_result(MSDK_E_FAIL) }
      let result = fake.call("choice \(String(cString: name))")
      guard result >= 0, Int64(index) < fake.due.withLock({ $0 }) else { return result < 0 ? result : msdk_result(MSDK_E_NOT_FOUND) }
      let values: [StaticString] = ["one", "two", "three"]
      out.pointee.value = UnsafeRawPointer(values[Int(index)].utf8Start).assumingMemoryBound(to: CChar.self)
      return result
    }
    return try module.instance(plugin)
  }

  @Test func listsWhatThereIs() throws {
    let instance = try instance()
    defer { instance.destroy() }
    #expect(try instance.choices(of: "device") == [])
    plugin.due.withLock { $0 = 2 }
    #expect(try instance.choices(of: "device")?.map(\.value) == ["one", "two"])
    #expect(try instance.choices(of: "colour") == ["red", "green"].map { ParameterChoice(value: $0, label: $0) })
    #expect(try instance.choices(of: "level") == nil)
    #expect(failure { _ = try instance.choices(of: "none") }?.status == .notFound)
  }

  @Test func theFirstBeginsTheListAnew() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.due.withLock { $0 = 3 }
    #expect(try instance.choice(of: "device", at: 2)?.value == "three")
    plugin.due.withLock { $0 = 1 }
    #expect(try instance.choice(of: "device", at: 2)?.value == "three")
    #expect(try instance.choice(of: "device", at: 0)?.value == "one")
    #expect(try instance.choice(of: "device", at: 1) == nil)
    #expect(failure { _ = try instance.choice(of: "level", at: 0) }?.status == .unsupported)
  }

  @Test func onlyWhatThereIsCanBeSet() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.due.withLock { $0 = 2 }
    try instance.setParameter("device", text: "two")
    plugin.forget()
    let error = failure { try instance.setParameter("device", .string("three")) }
    #expect(error?.status == .range)
    #expect(error?.text.contains("\"one\", \"two\"") == true)
    #expect(!plugin.calls.contains("set_param device"))
    #expect(try instance.parameter("device") == .string("two"))
    plugin.on("choice device") { _ in MSDK_E_DEVICE_LOST }
    #expect(failure { try instance.setParameter("device", .string("one")) }?.status == .deviceLost)
  }

  @Test func aFlagWithoutTheFunctionIsRefused() {
    let module = FakeModule()
    module.add("device", .string(""), flags: MSDK_PARAM_DYNAMIC_CHOICES)
    #expect(failure { _ = try module.load() }?.text.contains("param_choice") == true)
  }
}
