import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct PluginRegistryTests {
  private let registry = PluginRegistry()

  @Test func classesComeInOrder() throws {
    try registry.register(FakeModule("test.b").pointer())
    try registry.register(FakeModule("test.a").pointer())
    #expect(registry.classes.map(\.id) == ["test.b", "test.a"])
    #expect(try registry.descriptor("test.a").id == "test.a")
  }

  @Test func anUnknownIdNamesTheKnown() throws {
    #expect(failure { _ = try registry.descriptor("test.x") }?.text.contains("no plugin is loaded") == true)
    try registry.register(FakeModule("test.a").pointer())
    let error = failure { _ = try registry.descriptor("test.x") }
    #expect(error?.status == .notFound)
    #expect(error?.text.contains("test.a") == true)
  }

  @Test func aTakenIdRefusesTheWholeModule() throws {
    try registry.register(FakeModule("test.a").pointer())
    let module = FakeModule("test.b")
    var second = module.classes[0]
    second.id = FakeModule.text("test.a")
    module.classes.append(second)
    #expect(failure { try registry.register(module.pointer()) }?.status == .exists)
    #expect(registry.classes.map(\.id) == ["test.a"])
  }

  @Test func registriesAreApart() throws {
    try registry.register(FakeModule("test.a").pointer())
    let other = PluginRegistry()
    #expect(other.classes.isEmpty)
    try other.register(FakeModule("test.a").pointer())
  }
}
