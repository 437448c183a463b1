import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct NativeCallTests {
  private let plugin = OpaquePointer(FakeModule.keep([7]))

  private func call<Function>(
    _ function: Function, _ result: Int, _ arguments: [ParameterValue] = []
  ) throws -> (code: msdk_result, answer: msdk_value) {
    let call = try #require(NativeCall(FakeCommands.native(function), result: msdk_type(result), arguments: arguments.map(\.type)))
    var answer = msdk_value()
    let code = ParameterValue.withForeign(arguments) { call.call(plugin, $0, into: &answer) }
    return (code, answer)
  }

  @Test func narrowResultsAreNotTakenForWideOnes() throws {
    let flip: @convention(c) (OpaquePointer?, UInt8) -> UInt8 = { _, value in value ^ 1 }
    let (_, flipped) = try call(flip, MSDK_T_BOOL, [.bool(false)])
    #expect(flipped.type == UInt32(MSDK_T_BOOL))
    #expect(flipped.u.u64 == 1)
    let negate: @convention(c) (OpaquePointer?, Int32) -> Int32 = { _, value in -value }
    #expect(try call(negate, MSDK_T_I32, [.i32(5)]).answer.u.i32 == -5)
    let invert: @convention(c) (OpaquePointer?, UInt32) -> UInt32 = { _, value in ~value }
    #expect(try call(invert, MSDK_T_U32, [.u32(0)]).answer.u.u64 == 0xFFFF_FFFF)
  }

  @Test func wideOnesComeBackWhole() throws {
    let negate: @convention(c) (OpaquePointer?, Int64) -> Int64 = { _, value in -value }
    #expect(try call(negate, MSDK_T_I64, [.i64(.max)]).answer.u.i64 == -.max)
    let invert: @convention(c) (OpaquePointer?, UInt64) -> UInt64 = { _, value in ~value }
    #expect(try call(invert, MSDK_T_U64, [.u64(1)]).answer.u.u64 == .max - 1)
    let half: @convention(c) (OpaquePointer?, Double) -> Double = { _, value in value / 2 }
    #expect(try call(half, MSDK_T_F64, [.f64(-1e-300)]).answer.u.f64 == -5e-301)
  }

  @Test func textsAndBytesAreGivenByAddress() throws {
    let second: @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> UnsafePointer<CChar>? = { _, text in text + 1 }
    let length: @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<msdk_bytes>) -> UInt64 = { _, text, bytes in
      UInt64(String(cString: text).utf8.count) * 100 + bytes.pointee.size
    }
    #expect(try call(length, MSDK_T_U64, [.string("four"), .bytes([1, 2])]).answer.u.u64 == 402)
    let copy: @convention(c) (OpaquePointer?, UnsafePointer<msdk_bytes>) -> UnsafePointer<msdk_bytes>? = { _, bytes in
      UnsafePointer(FakeModule.keep([bytes.pointee]))
    }
    #expect(try call(copy, MSDK_T_BYTES, [.bytes([1, 2, 3])]).answer.u.bytes.size == 3)
    #expect(try call(second, MSDK_T_STRING, [.string("ab")]).answer.type == UInt32(MSDK_T_STRING))
    let none: @convention(c) (OpaquePointer?) -> UnsafePointer<msdk_bytes>? = { _ in nil }
    let answer = try call(none, MSDK_T_BYTES).answer
    #expect(answer.u.bytes.data == nil && answer.u.bytes.size == 1)
  }

  @Test func aStatusIsTheResultAndNothingIsNothing() throws {
    let fail: @convention(c) (OpaquePointer?, Int32) -> Int32 = { _, code in code }
    let (code, answer) = try call(fail, MSDK_T_STATUS, [.i32(-9)])
    #expect((code, answer.type) == (-9, UInt32(MSDK_T_VOID)))
    let nothing: @convention(c) (OpaquePointer?) -> Void = { _ in }
    #expect(try call(nothing, MSDK_T_VOID).answer.type == UInt32(MSDK_T_VOID))
  }

  @Test func eightArgumentsAndThePlugin() throws {
    let all:
      @convention(c) (OpaquePointer?, UInt8, Int32, Int64, UInt32, UInt64, Double, UnsafePointer<CChar>, UnsafePointer<msdk_bytes>) ->
        Double = {
          plugin, a, b, c, d, e, f, g, h in
          guard plugin != nil else { return .nan }
          let numbers: [Double] = [Double(a), Double(b), Double(c), Double(d), Double(e), f]
          return numbers.reduce(Double(String(cString: g).utf8.count) + Double(h.pointee.size), +)
        }
    let arguments: [ParameterValue] = [
      .bool(true), .i32(-2), .i64(30), .u32(400), .u64(5000), .f64(0.5), .string("six"), .bytes([1, 2, 3, 4])
    ]
    #expect(try call(all, MSDK_T_F64, arguments).answer.u.f64 == 5436.5)
  }
}
