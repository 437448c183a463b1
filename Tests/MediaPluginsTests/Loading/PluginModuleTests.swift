import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

/// What the module init functions of these tests count; each test has a function of its own, for C functions capture nothing.
private enum Inits {
  static let once = Monitor(0)
  static let failing = Monitor(0)
  static let racing = Monitor(0)
}

@Suite struct PluginModuleTests {
  @Test func aModuleIsOfTheRightVersionAndHasClasses() {
    let new = FakeModule()
    new.table.min_host_minor = UInt32(MSDK_ABI_MINOR) + 1
    #expect(failure { _ = try new.load() }?.status == .abi)
    let old = FakeModule()
    old.table.abi_minor = 999
    #expect(failure { _ = try old.load() } == nil)
    let empty = FakeModule()
    empty.classes = []
    #expect(failure { _ = try empty.load() }?.status == .abi)
    var none = msdk_module()
    none.struct_size = UInt32(MemoryLayout<msdk_module>.size)
    #expect(failure { _ = try LoadedModule(UnsafePointer(FakeModule.keep([none])), path: "") }?.status == .abi)
  }

  @Test func textsForPeopleMayBeMissingButNotBroken() throws {
    let module = FakeModule()
    module.table.vendor = FakeModule.text("Somebody")
    let loaded = try module.load().module
    #expect(loaded.vendor == "Somebody")
    #expect(loaded.version == "" && loaded.license == "" && loaded.url == "" && loaded.path == "")
    module.table.url = UnsafePointer(FakeModule.keep([CChar(bitPattern: 0xFF), 0]))
    #expect(failure { _ = try module.load() }?.text.contains("url") == true)
  }

  @Test func twoClassesOfOneIdAreRefused() {
    let module = FakeModule()
    module.classes.append(module.classes[0])
    #expect(failure { _ = try module.load() }?.text.contains("test.fake") == true)
  }

  @Test func tooManyClassesAreRefused() {
    let module = FakeModule()
    module.classes = (0..<257).map { index in
      var entry = module.classes[0]
      entry.id = FakeModule.text("test.fake\(index)")
      return entry
    }
    #expect(failure { _ = try module.load() }?.status == .abi)
    module.classes.removeLast()
    #expect(failure { _ = try module.load() } == nil)
  }

  @Test func initIsCalledOnceBeforeTheFirstInstance() throws {
    let module = FakeModule()
    module.table.`init` = { path in
      Inits.once.withLock { $0 += path == nil ? 1 : 100 }
      return 0
    }
    let descriptor = try module.descriptor()
    #expect(Inits.once.withLock { $0 } == 0)
    for _ in 0..<3 {
      let plugin = FakePlugin()
      plugin.on("create") { _ in Inits.once.withLock { $0 } == 1 ? 0 : -1 }
      let instance = try FakePlugin.$next.withValue(plugin) { try PluginInstance(descriptor, clock: { 0 }, log: { _, _ in }) }
      instance.destroy()
    }
    #expect(Inits.once.withLock { $0 } == 1)
  }

  @Test func aFailedInitStaysFailed() throws {
    let module = FakeModule()
    module.table.`init` = { _ in
      Inits.failing.withLock { $0 += 1 }
      return msdk_result(MSDK_E_DEVICE_LOST)
    }
    let descriptor = try module.descriptor()
    for _ in 0..<2 {
      let plugin = FakePlugin()
      let error = failure {
        _ = try FakePlugin.$next.withValue(plugin) { try PluginInstance(descriptor, clock: { 0 }, log: { _, _ in }) }
      }
      #expect(error?.status == .deviceLost)
      #expect(plugin.calls.isEmpty)
    }
    #expect(Inits.failing.withLock { $0 } == 1)
  }

  @Test func thoseWhoComeAtOnceWaitForTheOneInit() throws {
    let module = FakeModule()
    module.table.`init` = { _ in
      for _ in 0..<1000 { sched() }
      Inits.racing.withLock { $0 += 1 }
      return 0
    }
    let loaded = try module.load().module
    let threads = (0..<4).map { _ in
      OSThread {
        #expect(failure { try loaded.initialise() } == nil)
        #expect(Inits.racing.withLock { $0 } == 1)
      }
    }
    for thread in threads { thread.join() }
  }
}
