import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct CommandArgumentTests {
  private func argument(_ argument: FakeArgument) throws -> CommandArgument {
    let module = FakeModule()
    module.add(command: "run", [argument])
    return try module.descriptor().commands[0].arguments[0]
  }

  private func status(_ argument: CommandArgument, _ value: ParameterValue) -> Status? {
    failure { _ = try argument.check(value) }?.status
  }

  private func refused(_ argument: FakeArgument) -> MediaError? {
    failure { _ = try self.argument(argument) }
  }

  @Test func whatIsDeclaredIsCopied() throws {
    let speed = try argument(FakeArgument("speed", MSDK_T_F64, summary: "how fast", min: 0, max: 16, defaultValue: .i32(2)))
    #expect((speed.name, speed.summary, speed.type) == ("speed", "how fast", .f64))
    #expect(speed.bounds?.least == .f64(0) && speed.bounds?.most == .f64(16))
    #expect(speed.defaultValue == .f64(2))
    #expect(speed.accepted == "f64 0.0..16.0")
    let pattern = try argument(FakeArgument("pattern", MSDK_T_STRING, choices: ["lines", "bars"]))
    #expect(pattern.choices == ["lines", "bars"])
    #expect(pattern.defaultValue == nil)
    #expect(pattern.accepted == "lines, bars")
    #expect(try argument(FakeArgument("n", MSDK_T_I64)).bounds == nil)
  }

  @Test func numbersAreConvertedWhenTheyFit() throws {
    let count = try argument(FakeArgument("count", MSDK_T_I32, min: -5, max: 5))
    #expect(try count.check(.u64(5)) == .i32(5))
    #expect(try count.check(.i64(-5)) == .i32(-5))
    for value in [.i32(6), .i64(1 << 40), .u32(.max)] as [ParameterValue] { #expect(status(count, value) == .range, "\(value)") }
    for value in [.f64(1), .bool(true), .string("1"), .bytes([1])] as [ParameterValue] {
      #expect(status(count, value) == .type, "\(value)")
    }
    let ratio = try argument(FakeArgument("ratio", MSDK_T_F64))
    #expect(try ratio.check(.u32(7)) == .f64(7))
    for value in [.f64(.nan), .f64(.infinity), .f64(-.infinity), .i64((1 << 53) + 1)] as [ParameterValue] {
      #expect(status(ratio, value) == .range, "\(value)")
    }
    #expect(failure { _ = try count.check(.i32(9)) }?.text == "argument \"count\" of run is 9; accepted: i32 -5..5")
  }

  @Test func textsAndBytesAreBounded() throws {
    let text = try argument(FakeArgument("text", MSDK_T_STRING))
    #expect(try text.check(.string("grün")) == .string("grün"))
    #expect(status(text, .string("one\0two")) == .invalid)
    #expect(status(text, .string(String(repeating: "x", count: 65_537))) == .invalid)
    #expect(status(text, .string(String(repeating: "x", count: 65_536))) == nil)
    #expect(status(text, .i32(1)) == .type)
    let pattern = try argument(FakeArgument("pattern", MSDK_T_STRING, choices: ["lines"]))
    #expect(status(pattern, .string("Lines")) == .range)
    #expect(status(pattern, .string("lines\0")) == .range)
    let blob = try argument(FakeArgument("blob", MSDK_T_BYTES))
    #expect(status(blob, .bytes([UInt8](repeating: 0, count: 1 << 24))) == nil)
    #expect(status(blob, .bytes([UInt8](repeating: 0, count: (1 << 24) + 1))) == .range)
  }

  @Test func whatContradictsItselfIsRefused() {
    #expect(refused(FakeArgument("Loud", MSDK_T_I32))?.text.contains("\"Loud\"") == true)
    #expect(refused(FakeArgument("x", MSDK_T_STATUS))?.text.contains("has the type 9") == true)
    #expect(refused(FakeArgument("x", MSDK_T_I32, min: 2, max: 1))?.text.contains("min 2 above max 1") == true)
    #expect(refused(FakeArgument("x", MSDK_T_F64, max: .nan))?.text.contains("not a number") == true)
    #expect(refused(FakeArgument("x", MSDK_T_BOOL, max: 1))?.text.contains("is set and the type is not a number") == true)
    #expect(refused(FakeArgument("x", MSDK_T_I32, choices: ["1"]))?.text.contains("has choices and is not a string") == true)
    #expect(refused(FakeArgument("x", MSDK_T_I32, max: 3, defaultValue: .i32(4)))?.text.contains("accepted: i32 at most 3") == true)
    #expect(refused(FakeArgument("x", MSDK_T_I32, defaultValue: .f64(1)))?.status == .abi)
    #expect(refused(FakeArgument("x", MSDK_T_I32)) == nil)
  }
}
