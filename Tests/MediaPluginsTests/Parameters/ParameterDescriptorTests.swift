import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct ParameterDescriptorTests {
  private func descriptor(
    _ value: ParameterValue, flags: Int = 0, min: Double? = nil, max: Double? = nil, choices: [String]? = nil, name: String = "level"
  ) throws -> ParameterDescriptor {
    let module = FakeModule()
    module.add(name, value, flags: flags, min: min, max: max, choices: choices)
    return try module.descriptor().parameters[0]
  }

  private func refused(_ change: (inout msdk_param) -> Void, _ value: ParameterValue = .i32(0)) -> MediaError? {
    let module = FakeModule()
    module.add("level", value)
    change(&module.params[0])
    return failure { _ = try module.load() }
  }

  private func status(_ descriptor: ParameterDescriptor, _ value: ParameterValue) -> Status? {
    failure { _ = try descriptor.check(value, argument: "the value") }?.status
  }

  @Test func rangesHoldAtBothEnds() throws {
    let level = try descriptor(.i32(5), min: 0, max: 10)
    #expect(try level.check(.i32(0), argument: "v") == .i32(0))
    #expect(try level.check(.u64(10), argument: "v") == .i32(10))
    #expect(status(level, .i32(11)) == .range)
    #expect(status(level, .i64(-1)) == .range)
    #expect(status(level, .i64(.max)) == .range)
    let half = try descriptor(.f64(0.25), min: -0.5, max: 0.5)
    #expect(try half.check(.f64(0.5), argument: "v") == .f64(0.5))
    #expect(try half.check(.i32(0), argument: "v") == .f64(0))
    #expect(status(half, .f64(0.51)) == .range)
    #expect(status(half, .f64(.infinity)) == .range)
    #expect(status(half, .f64(.nan)) == .range)
  }

  @Test func eachBoundMayBeMissing() throws {
    #expect(try descriptor(.i64(0)).bounds == nil)
    let upper = try descriptor(.i64(0), max: 3)
    #expect(try upper.check(.i64(.min), argument: "v") == .i64(.min))
    #expect(status(upper, .i64(4)) == .range && upper.accepted == "i64 at most 3")
    let lower = try descriptor(.u32(7), min: 7)
    #expect(status(lower, .u32(6)) == .range && lower.accepted == "u32 at least 7")
    let one = try descriptor(.i32(3), min: 3, max: 3)
    #expect(try one.check(.i32(3), argument: "v") == .i32(3))
    #expect(status(one, .i32(4)) == .range)
    #expect(status(try descriptor(.f64(0)), .f64(.nan)) == .range)
  }

  @Test func anotherTypeIsATypeErrorAndAnIntegerTooLargeARangeError() throws {
    let level = try descriptor(.i32(0))
    for value in [.bool(true), .f64(1), .string("1"), .bytes([1])] as [ParameterValue] {
      #expect(status(level, value) == .type, "\(value)")
    }
    for value in [.i64(1 << 31), .u32(.max), .u64(.max)] as [ParameterValue] { #expect(status(level, value) == .range, "\(value)") }
    let flag = try descriptor(.bool(false))
    for value in [.i32(1), .f64(1), .string("true")] as [ParameterValue] { #expect(status(flag, value) == .type, "\(value)") }
    let text = try descriptor(.string(""))
    for value in [.i32(1), .f64(1), .bool(true), .bytes([])] as [ParameterValue] { #expect(status(text, value) == .type, "\(value)") }
  }

  @Test func choicesAreAllThereIs() throws {
    let mode = try descriptor(.string("bars"), choices: ["bars", "noise"])
    #expect(mode.choices == ["bars", "noise"])
    #expect(try mode.check(.string("noise"), argument: "v") == .string("noise"))
    #expect(status(mode, .string("Noise")) == .range)
    #expect(status(mode, .string("")) == .range)
    #expect(failure { _ = try mode.parse("x") }?.text.contains("bars, noise") == true)
  }

  @Test func aFaultyTableIsRefused() {
    let one = FakeModule.bound(1, UInt32(MSDK_T_I32)), five = FakeModule.bound(5, UInt32(MSDK_T_I32))
    #expect(refused { ($0.min, $0.max) = (five, one) }?.text.contains("min 5 above max 1") == true)
    #expect(refused({ $0.max = FakeModule.bound(.nan, UInt32(MSDK_T_F64)) }, .f64(0))?.text.contains("not a number") == true)
    #expect(refused { $0.max = FakeModule.bound(1, UInt32(MSDK_T_U32)) }?.text.contains("has the type 4; accepted: 2") == true)
    #expect(refused({ $0.max = one }, .bool(false))?.text.contains("is set and the type is not a number") == true)
    #expect(refused { $0.struct_size -= 1 }?.status == .abi)
    #expect(refused { $0.struct_size = 0 }?.status == .abi)
    #expect(refused { $0.def.type = UInt32(MSDK_T_VOID) }?.status == .abi)
    #expect(refused { $0.def.type = 77 }?.status == .abi)
    #expect(refused { ($0.choices, $0.choice_count) = (UnsafePointer(FakeModule.keep([FakeModule.text("a")])), 1) }?.status == .abi)
    #expect(refused { $0.min = five }?.text.contains("default") == true)
    #expect(
      refused({ ($0.choices, $0.choice_count) = (UnsafePointer(FakeModule.keep([FakeModule.text("a")])), 1) }, .string("b"))?.status == .abi
    )
    #expect(refused({ $0.choice_count = 1 }, .string("b"))?.text.contains("choices is NULL and choice_count is 1") == true)
  }

  @Test func tooManyChoicesAreRefused() {
    let list = FakeModule.keep(Array(repeating: FakeModule.text("a"), count: ParameterDescriptor.mostChoices + 1))
    #expect(
      refused({ ($0.choices, $0.choice_count) = (UnsafePointer(list), UInt32(ParameterDescriptor.mostChoices + 1)) }, .string("a"))?.status
        == .abi)
    #expect(
      refused({ ($0.choices, $0.choice_count) = (UnsafePointer(list), UInt32(ParameterDescriptor.mostChoices)) }, .string("a")) == nil)
  }

  @Test(arguments: ["", "Level", "1level", "_level", "le-vel", "löv", String(repeating: "a", count: 64)])
  func namesAreIdentifiers(name: String) {
    let error = failure { _ = try descriptor(.i32(0), name: name) }
    #expect(error?.status == .abi)
    #expect(refused { $0.name = nil }?.status == .abi)
  }

  @Test func goodNamesAreAccepted() throws {
    for name in ["a", "level_2", String(repeating: "a", count: 63)] { #expect(try descriptor(.i32(0), name: name).name == name) }
  }

  @Test func aTextWithoutADefaultIsEmpty() throws {
    let module = FakeModule()
    module.add("level", .string(""))
    module.params[0].def.u.str = nil
    #expect(try module.descriptor().parameters[0].defaultValue == .string(""))
  }

  @Test func aSecretIsNotShown() throws {
    let secret = try descriptor(.string(""), flags: MSDK_PARAM_SECRET)
    let error = failure { _ = try secret.check(.i32(4711), argument: "the value") }
    #expect(error != nil && error?.text.contains("4711") == false)
    let number = try descriptor(.i32(0), flags: MSDK_PARAM_SECRET)
    #expect(failure { _ = try number.parse("hunter2") }?.text.contains("hunter2") == false)
  }
}
