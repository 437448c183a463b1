import CMediaSDK
import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaPlugins

@Suite struct DescribedCommandsTests {
  /// A command with everything that one can have.
  private func command() throws -> CommandDescriptor {
    var native = msdk_command()
    native.struct_size = UInt32(MemoryLayout<msdk_command>.size)
    native.flags = UInt32(MSDK_COMMAND_THREAD_SAFE)
    native.name = ModuleDescription.kept("draw")
    native.summary = ModuleDescription.kept("draws")
    native.result = UInt32(MSDK_T_STRING)
    native.arg_count = 3
    native.args.0 = msdk_arg(name: ModuleDescription.kept("what"), type: UInt32(MSDK_T_STRING), flags: 0)
    native.args.1 = msdk_arg(name: ModuleDescription.kept("speed"), type: UInt32(MSDK_T_F64), flags: 0)
    native.args.2 = msdk_arg(name: ModuleDescription.kept("seed"), type: UInt32(MSDK_T_BYTES), flags: 0)
    native.invoke = { _, _, _, _ in msdk_result(MSDK_OK) }
    var limits = [msdk_arg_limits](repeating: msdk_arg_limits(), count: 3)
    for index in limits.indices { limits[index].struct_size = UInt32(MemoryLayout<msdk_arg_limits>.size) }
    (limits[0].choices, limits[0].choice_count) = (
      ModuleDescription.kept([ModuleDescription.kept("lines"), ModuleDescription.kept("bars")]), 2
    )
    limits[1].summary = ModuleDescription.kept("how fast")
    (limits[1].min, limits[1].max) = (ModuleDescription.kept(ParameterValue.f64(0)), ModuleDescription.kept(ParameterValue.f64(16)))
    limits[1].def = ModuleDescription.kept([ModuleDescription.kept(ParameterValue.f64(2))])
    limits[2].def = ModuleDescription.kept([ModuleDescription.kept(ParameterValue.bytes([1, 0, 2]))])
    native.limits = ModuleDescription.kept(limits)
    return try CommandDescriptor(foreign: native, strings: CStringArena(), argument: "test")
  }

  private func read(_ writer: WireWriter, cutTo count: Int? = nil) throws -> [CommandDescriptor] {
    var table = msdk_class()
    try writer.bytes.prefix(count ?? .max).withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      try ModuleDescription.readCommands(&reader, into: &table)
    }
    return try ClassDescriptor.commands(table, strings: CStringArena(), argument: "test")
  }

  @Test func theyAreReadAsTheyWere() throws {
    let command = try command()
    var writer = WireWriter()
    writer.put(UInt32(1))
    ModuleDescription.write(command, to: &writer)
    let back = try #require(try read(writer).first)
    #expect(back.name == "draw" && back.summary == "draws" && back.isThreadSafe && back.result == .string)
    #expect(back.arguments.map(\.name) == ["what", "speed", "seed"])
    #expect(back.arguments.map(\.type) == [.string, .f64, .bytes])
    #expect(back.arguments[0].choices == ["lines", "bars"] && back.arguments[0].defaultValue == nil)
    #expect(
      back.arguments[1].bounds?.least == .f64(0) && back.arguments[1].bounds?.most == .f64(16) && back.arguments[1].defaultValue == .f64(2)
        && back.arguments[1].summary == "how fast")
    #expect(back.arguments[2].defaultValue == .bytes([1, 0, 2]))
  }

  @Test func whatEndsEarlyOrSaysTooMuchIsRefused() throws {
    var writer = WireWriter()
    writer.put(UInt32(1))
    ModuleDescription.write(try command(), to: &writer)
    for count in 0..<writer.bytes.count { #expect(throws: MediaError.self) { _ = try read(writer, cutTo: count) } }
    var other = WireWriter()
    other.put(UInt32(1))
    for text in ["many", ""] { other.put(text: text) }
    for number in [UInt32(0), 0, 9] { other.put(number) }
    #expect(throws: MediaError.self) { _ = try read(other) }
  }
}
