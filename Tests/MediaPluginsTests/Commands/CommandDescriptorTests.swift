import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct CommandDescriptorTests {
  /// The class with a command "run" of two numbers, after a change.
  private func load(_ change: (inout msdk_command) -> Void) throws -> CommandDescriptor {
    let module = FakeModule()
    module.add(command: "run", [FakeArgument("a", MSDK_T_I32), FakeArgument("b", MSDK_T_I32)], result: MSDK_T_I32)
    change(&module.commands[0])
    return try module.descriptor().commands[0]
  }

  private func error(_ change: (inout msdk_command) -> Void) -> String {
    let error = failure { _ = try load(change) }
    #expect(error == nil || error?.status == .abi)
    return error?.text ?? "none"
  }

  @Test func whatIsDeclaredIsCopied() throws {
    let run = try load { $0.flags = UInt32(MSDK_COMMAND_THREAD_SAFE | MSDK_COMMAND_CONST) }
    #expect((run.name, run.summary, run.result) == ("run", "what run does", .i32))
    #expect(run.isThreadSafe && run.isConstant)
    #expect(run.arguments.map(\.name) == ["a", "b"])
    #expect(try load { $0.limits = nil }.arguments.map(\.summary) == ["", ""])
  }

  @Test func aTableThatDoesNotFitIsRefused() {
    #expect(error { $0.name = nil }.contains("commands[0].name is NULL"))
    #expect(error { $0.name = FakeModule.text("Run") }.contains("\"Run\""))
    #expect(error { $0.flags = 4 }.contains("flags is 4"))
    #expect(error { $0.arg_count = 9 }.contains("arg_count is 9"))
    #expect(error { $0.result = 9 }.contains("result is 9"))
    #expect(error { $0.result = 10 }.contains("result is 10"))
    #expect(error { $0.invoke = nil }.contains("neither"))
    #expect(error { $0.native = FakeCommands.native(FakeCommands.add) }.contains("both"))
    #expect(error { $0.args.1.name = FakeModule.text("a") }.contains("two arguments \"a\""))
    #expect(error { $0.args.0.flags = 1 }.contains("has flags"))
    #expect(error { $0.struct_size = 168 }.contains("struct_size is 168"))
    #expect(error { _ in } == "none")
  }

  @Test func namesAreThereOnce() throws {
    let module = FakeModule()
    module.add(command: "run")
    module.add(command: "stop")
    #expect(try module.descriptor().command("stop").name == "stop")
    let missing = failure { _ = try module.descriptor().command("go") }
    #expect(missing?.status == .notFound)
    #expect(missing?.text.contains("it has run, stop") == true)
    module.add(command: "run")
    #expect(failure { _ = try module.descriptor() }?.text.contains("two commands \"run\"") == true)
  }

  @Test func countsAndDefaults() throws {
    let module = FakeModule()
    module.add(
      command: "run",
      [
        FakeArgument("a", MSDK_T_I32), FakeArgument("b", MSDK_T_I64, defaultValue: .i32(5)),
        FakeArgument("c", MSDK_T_STRING, defaultValue: .string("x"))
      ])
    let run = try module.descriptor().commands[0]
    #expect(try run.check([.i64(1)]) == [.i32(1), .i64(5), .string("x")])
    #expect(try run.check([.i64(1), .u32(2)]) == [.i32(1), .i64(2), .string("x")])
    #expect(try run.check([.i64(1), .u32(2), .string("y")]) == [.i32(1), .i64(2), .string("y")])
    #expect(failure { _ = try run.check([]) }?.text == "argument \"a\" of run is missing: it has no default; accepted: i32")
    let tooMany = failure { _ = try run.check([.i32(1), .i32(2), .string(""), .i32(4)]) }
    #expect(tooMany?.status == .invalid)
    #expect(tooMany?.text == "command \"run\" takes 3 arguments (a, b, c); 4 were given")
    #expect(failure { _ = try run.read(nil, count: 1) }?.status == .invalid)
    var value = msdk_value()
    value.type = UInt32(MSDK_T_STATUS)
    #expect(failure { _ = try run.read(&value, count: 1) }?.status == .type)
  }

  @Test func whatStandsBehindADefaultHasOne() {
    let module = FakeModule()
    module.add(command: "run", [FakeArgument("a", MSDK_T_I32, defaultValue: .i32(1)), FakeArgument("b", MSDK_T_I32)])
    #expect(failure { _ = try module.descriptor() }?.text.contains("\"b\" has no default and follows one that has") == true)
  }
}
