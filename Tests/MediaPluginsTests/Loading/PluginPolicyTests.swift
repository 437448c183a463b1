import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct PluginPolicyTests {
  private let directory = TemporaryDirectory()

  @Test func globsAreOfFilesAndClasses() {
    var policy = PluginPolicy()
    policy.disabled = ["bad*.so", "org.example.*"]
    #expect(failure { try policy.checkFile("/plugins/bad-camera.so") }?.text.contains("\"bad*.so\"") == true)
    #expect(failure { try policy.checkFile("/bad.so/good.so") } == nil)
    #expect(policy.refusal(of: "org.example.camera")?.status == .permission)
    #expect(policy.refusal(of: "org.mediasdk.renderer.bw") == nil)
    #expect(failure { try policy.checkClasses(["org.example.a", "org.mediasdk.b"]) } == nil)
    #expect(failure { try policy.checkClasses(["org.example.a", "org.example.b"]) }?.text.contains("org.example.a") == true)
  }

  @Test func safeModeHasWhatCameWithTheSDK() {
    var policy = PluginPolicy()
    policy.isSafeMode = true
    let file = directory.file("bw.so")
    #expect(failure { try policy.checkFile(file) }?.status == .permission)
    #expect(failure { try policy.checkFile("\(directory.path)/none.so") }?.status == .permission)
    #expect(policy.refusal(of: "org.example.camera")?.text.contains("MSDK_PLUGIN_SAFE_MODE") == true)
    #expect(policy.refusal(of: "org.mediasdk.renderer.bw") == nil)
  }

  @Test func registeredModulesAreNotConcerned() throws {
    var policy = PluginPolicy()
    policy.disabled = ["*"]
    policy.isSafeMode = true
    let registry = PluginRegistry(policy: policy)
    try registry.register(FakeModule().pointer())
    #expect(registry.classes.map(\.id) == ["test.fake"])
  }

  @Test func theEnvironmentSaysSo() async {
    await #expect(processExitsWith: .success) {
      setenv("MSDK_PLUGIN_DISABLE", "a*,,b.so:c", 1)
      setenv("MSDK_PLUGIN_SAFE_MODE", "1", 1)
      #expect(PluginPolicy.standard(ignoringEnvironment: false).disabled == ["a*", "b.so", "c"])
      #expect(PluginPolicy.standard(ignoringEnvironment: false).isSafeMode)
      #expect(PluginPolicy.standard(ignoringEnvironment: true).disabled.isEmpty)
      #expect(!PluginPolicy.standard(ignoringEnvironment: true).isSafeMode)
      setenv("MSDK_PLUGIN_SAFE_MODE", "0", 1)
      #expect(!PluginPolicy.standard(ignoringEnvironment: false).isSafeMode)
    }
  }
}
