import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct CommandTableTests {
  @Test func itSaysWhatWasDeclaredAndHasNoFunctions() throws {
    let module = FakeModule()
    module.add(
      command: "run",
      [
        FakeArgument("name", MSDK_T_STRING, summary: "which", choices: ["a", "b"], defaultValue: .string("b")),
        FakeArgument("speed", MSDK_T_F64, min: 0, max: 2, defaultValue: .i32(1)),
        FakeArgument("blob", MSDK_T_BYTES, defaultValue: .bytes([1, 2, 3]))
      ], result: MSDK_T_U64, flags: MSDK_COMMAND_CONST)
    let descriptor = try module.descriptor()
    defer { withExtendedLifetime(descriptor) {} }
    let native = descriptor.commands[0].table.foreign
    #expect(native.invoke == nil && native.native == nil)
    #expect(native.struct_size == UInt32(MemoryLayout<msdk_command>.size))
    #expect((native.flags, native.result, native.arg_count) == (UInt32(MSDK_COMMAND_CONST), UInt32(MSDK_T_U64), 3))
    #expect(String(cString: native.name) == "run")
    #expect(String(cString: native.args.1.name) == "speed")
    let limits = try #require(native.limits)
    #expect(String(cString: limits[0].summary) == "which")
    #expect(limits[0].choices[1].map { String(cString: $0) } == "b")
    #expect(limits[0].choice_count == 2 && limits[0].min.type == UInt32(MSDK_T_VOID))
    #expect(String(cString: limits[0].def.pointee.u.str) == "b")
    #expect((limits[1].min.u.f64, limits[1].max.u.f64, limits[1].def.pointee.u.f64) == (0, 2, 1))
    #expect(limits[1].def.pointee.type == UInt32(MSDK_T_F64))
    let bytes = limits[2].def.pointee.u.bytes
    #expect([UInt8](UnsafeRawBufferPointer(start: bytes.data, count: Int(bytes.size))) == [1, 2, 3])
  }

  @Test func aStatusIsNothing() throws {
    let module = FakeModule()
    let function: @convention(c) (OpaquePointer?) -> Int32 = { _ in 0 }
    module.add(command: "run", result: MSDK_T_STATUS, native: FakeCommands.native(function))
    let descriptor = try module.descriptor()
    defer { withExtendedLifetime(descriptor) {} }
    let native = descriptor.commands[0].table.foreign
    #expect(native.result == UInt32(MSDK_T_VOID))
    #expect(native.limits == nil)
    #expect(String(cString: native.summary) == "what run does")
  }
}
