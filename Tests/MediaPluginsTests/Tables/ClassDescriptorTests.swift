import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct ClassDescriptorTests {
  private static let both = MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_RENDERER

  private func error(_ change: (FakeModule) -> Void) -> MediaError? {
    let module = FakeModule(kinds: Self.both)
    change(module)
    return failure { _ = try module.load() }
  }

  @Test func copiesWhatTheTableSays() throws {
    let module = FakeModule("org.example.a-b_c1", kinds: Self.both)
    module.classes[0].name = FakeModule.text("Ä name")
    module.classes[0].summary = FakeModule.text("A line.")
    module.classes[0].flags = UInt32(MSDK_CLASS_SINGLETON)
    module.add("level", .i32(3))
    let descriptor = try module.descriptor()
    #expect(descriptor.id == "org.example.a-b_c1")
    #expect(descriptor.name == "Ä name")
    #expect(descriptor.summary == "A line.")
    #expect(descriptor.flags == UInt32(MSDK_CLASS_SINGLETON))
    #expect(descriptor.producer != nil && descriptor.renderer != nil)
    #expect(try descriptor.parameter("level").defaultValue == .i32(3))
    let missing = failure { _ = try descriptor.parameter("volume") }
    #expect(missing?.status == .notFound)
    #expect(missing?.text.contains("level") == true)
  }

  @Test func whatIsMissingIsEmpty() throws {
    let descriptor = try FakeModule().descriptor()
    #expect(descriptor.name == "" && descriptor.summary == "")
    #expect(descriptor.parameters.isEmpty)
    #expect(descriptor.renderer == nil)
  }

  @Test(arguments: ["", "Org.example", "a b", "ä", String(repeating: "a", count: 128)])
  func idsAreShortAndPlain(id: String) {
    #expect(error { $0.classes[0].id = FakeModule.text(id) }?.status == .abi)
  }

  @Test func anIdMustBeThere() {
    #expect(error { $0.classes[0].id = nil }?.text.contains("classes[0].id is NULL") == true)
  }

  @Test(arguments: [0, 1024, 1025, Int(UInt32.max)])
  func kindsAreTheKnownOnes(kinds: Int) {
    #expect(error { $0.classes[0].kinds = UInt32(kinds) }?.status == .abi)
  }

  @Test func whatIsUnknownIsRefused() {
    let changes: [(String, (FakeModule) -> Void)] = [
      ("test.fake.flags is 16; accepted: a mask of MSDK_CLASS_*, 0..15", { $0.classes[0].flags = 16 }),
      ("test.fake.reserved0 is 3", { $0.classes[0].reserved0 = 3 }),
      ("test.fake.video_producer.flags is 17; accepted: a mask of MSDK_PRODUCER_*, 0..15", { $0.producer.flags |= 16 }),
      ("test.fake.video_renderer.flags is 1; accepted: 0", { $0.renderer.flags = 1 }),
      ("flags is 32; accepted: a mask of MSDK_PARAM_*, 0..31", { $0.add("level", .i32(3), flags: 32) })
    ]
    for (words, change) in changes {
      #expect(error(change)?.status == .abi)
      #expect(error(change)?.text.contains(words) == true, "\(error(change)?.text ?? "no error")")
    }
    #expect(error { $0.classes[0].flags = 15 } == nil)
    #expect(error { $0.producer.flags = 7 } == nil)
    #expect(error { $0.add("level", .i32(3), flags: Int(MSDK_PARAM_LIVE | MSDK_PARAM_SECRET)) } == nil)
  }

  @Test func everyFunctionThatIsNeededMustBeThere() {
    let changes: [(FakeModule) -> Void] = [
      { $0.classes[0].create = nil }, { $0.classes[0].destroy = nil }, { $0.producer.init_capture = nil },
      { $0.producer.release_capture = nil },
      { $0.producer.start_capture = nil }, { $0.producer.stop_capture = nil }, { $0.producer.set_format = nil },
      { $0.producer.produce_frame = nil }, { $0.renderer.init_render = nil }, { $0.renderer.release_render = nil },
      { $0.renderer.render_video_frame = nil }, { $0.renderer.accepts_codec = { _, _ in 1 } },
      { $0.renderer.render_encoded_frame = { _, _ in 0 } }
    ]
    for (index, change) in changes.enumerated() { #expect(error(change)?.status == .abi, "\(index)") }
  }

  @Test func whatIsOptionalMayBeMissing() {
    let changes: [(FakeModule) -> Void] = [
      { $0.classes[0].set_param = nil }, { $0.renderer.accepts_format = nil }, { $0.renderer.flush = nil },
      {
        $0.producer.flags = 0
        $0.producer.produce_frame = nil
      }
    ]
    for (index, change) in changes.enumerated() { #expect(error(change) == nil, "\(index)") }
  }

  @Test func aTableThatIsTooShortIsRefused() {
    #expect(error { $0.classes[0].struct_size -= 1 }?.status == .abi)
    #expect(error { $0.producer.struct_size -= 1 }?.status == .abi)
    #expect(error { $0.renderer.struct_size = 0 }?.status == .abi)
    #expect(error { $0.table.struct_size -= 1 }?.status == .abi)
    #expect(error { $0.classes[0].struct_size += 8 } == nil)
  }

  @Test func settableParametersNeedAFunction() {
    #expect(
      error {
        $0.add("level", .i32(0))
        $0.classes[0].set_param = nil
      }?.status == .abi)
    #expect(
      error {
        $0.add("level", .i32(0), flags: MSDK_PARAM_READONLY)
        $0.classes[0].set_param = nil
      } == nil)
  }

  @Test func twoParametersOfOneNameAreRefused() {
    #expect(
      error {
        $0.add("level", .i32(0))
        $0.add("level", .bool(true))
      }?.text.contains("level") == true)
  }

  @Test func arraysAreBounded() {
    func parameters(count: UInt32, size: Int = MemoryLayout<msdk_param>.size, isNull: Bool = false) -> Status? {
      error {
        // The counts are set by hand: the module's own list stays empty.
        var param = msdk_param()
        param.struct_size = UInt32(size)
        $0.classes[0].params = isNull ? nil : UnsafePointer(FakeModule.keep([param, param]))
        $0.classes[0].param_count = count
      }?.status
    }
    #expect(parameters(count: 1, isNull: true) == .abi)
    #expect(parameters(count: 257) == .abi)
    #expect(parameters(count: .max) == .abi)
    #expect(parameters(count: 1, size: MemoryLayout<msdk_param>.size - 8) == .abi)
    #expect(parameters(count: 1, size: MemoryLayout<msdk_param>.size + 4) == .abi)
    #expect(parameters(count: 1, size: 65_544) == .abi)
    #expect(parameters(count: 0, isNull: true) == nil)
    #expect(error { $0.classes[0].command_count = 1 }?.text.contains("commands") == true)
  }

  @Test func longerEntriesAreFollowed() throws {
    struct Longer {
      var param: msdk_param
      var more: UInt64 = 0x5555_5555_5555_5555
    }
    let module = FakeModule()
    module.add("first", .i32(1))
    module.add("second", .i32(2))
    var longer = module.params.map { Longer(param: $0) }
    for index in longer.indices { longer[index].param.struct_size = UInt32(MemoryLayout<Longer>.stride) }
    module.params = []
    module.classes[0].param_count = 2
    module.classes[0].params = UnsafeRawPointer(FakeModule.keep(longer)).assumingMemoryBound(to: msdk_param.self)
    #expect(try module.descriptor().parameters.map(\.name) == ["first", "second"])
    longer[1].param.struct_size -= 8
    module.classes[0].params = UnsafeRawPointer(FakeModule.keep(longer)).assumingMemoryBound(to: msdk_param.self)
    #expect(failure { _ = try module.load() }?.text.contains("params[1].struct_size is") == true)
  }
}
