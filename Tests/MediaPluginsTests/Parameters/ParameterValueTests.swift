import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

private let everyType: [ParameterValue] = [
  .bool(true), .bool(false), .i32(.min), .i64(.max), .u32(.max), .u64(.max), .f64(-0.5), .string("grün"), .string(""), .bytes([0, 255]),
  .bytes([])
]

@Suite struct ParameterValueTests {
  @Test(arguments: everyType)
  func survivesTheForeignShape(value: ParameterValue) throws {
    let back = value.withForeign { pointer in Result { try ParameterValue(foreign: pointer.pointee, argument: "value") } }
    #expect(try back.get() == value)
    #expect(value.withForeign { $0.pointee.type } == value.type.rawValue)
  }

  @Test func theTypesAreThoseOfTheHeader() {
    let header = [
      ParameterType.bool: MSDK_T_BOOL, .i32: MSDK_T_I32, .i64: MSDK_T_I64, .u32: MSDK_T_U32, .u64: MSDK_T_U64, .f64: MSDK_T_F64,
      .string: MSDK_T_STRING, .bytes: MSDK_T_BYTES
    ]
    for (type, number) in header { #expect(Int(type.rawValue) == number) }
  }

  private func status(_ change: (inout msdk_value) -> Void) -> Status? {
    var value = msdk_value()
    change(&value)
    return failure { _ = try ParameterValue(foreign: value, argument: "value") }?.status
  }

  @Test func whatIsUnknownIsRefused() {
    #expect(status { ($0.type, $0.reserved) = (UInt32(MSDK_T_I32), 1) } == .unsupported)
  }

  @Test func whatIsNoValueIsRefused() {
    #expect(status { $0.type = UInt32(MSDK_T_VOID) } == .type)
    #expect(status { $0.type = 9 } == .type)
    #expect(status { $0.type = .max } == .type)
    #expect(
      status {
        $0.type = UInt32(MSDK_T_BOOL)
        $0.u.b = 2
      } == .range)
    #expect(status { $0.type = UInt32(MSDK_T_STRING) } == .invalid)
    #expect(
      status {
        $0.type = UInt32(MSDK_T_BYTES)
        $0.u.bytes.size = 1
      } == .invalid)
    #expect(
      status {
        $0.type = UInt32(MSDK_T_BYTES)
        $0.u.bytes.size = .max
      } == .range)
  }

  @Test func textMustBeUTF8AndNotTooLong() {
    let long = String(repeating: "a", count: ParameterValue.longestText + 1)
    for (text, expected) in [(Array(long.utf8), Status.invalid), ([0xFF], .invalid), (Array(long.utf8.dropLast()), nil)]
      as [([UInt8], Status?)]
    {
      let bytes = text.map { CChar(bitPattern: $0) } + [0]
      bytes.withUnsafeBufferPointer { buffer in
        let found = status {
          $0.type = UInt32(MSDK_T_STRING)
          $0.u.str = buffer.baseAddress
        }
        #expect(found == expected)
      }
    }
  }

  @Test func integersConvertWhereNothingIsLost() {
    #expect(ParameterValue.i64(5).converted(to: .i32) == .i32(5))
    #expect(ParameterValue.u64(.max).converted(to: .i64) == nil)
    #expect(ParameterValue.i64(1 << 31).converted(to: .i32) == nil)
    #expect(ParameterValue.i32(-1).converted(to: .u32) == nil)
    #expect(ParameterValue.i32(-1).converted(to: .i64) == .i64(-1))
    #expect(ParameterValue.u32(.max).converted(to: .u64) == .u64(4_294_967_295))
    #expect(ParameterValue.i32(3).converted(to: .f64) == .f64(3))
    #expect(ParameterValue.i64(1 << 53).converted(to: .f64) == .f64(9_007_199_254_740_992))
    #expect(ParameterValue.i64(1 << 53 + 1).converted(to: .f64) == nil)
    #expect(ParameterValue.u64(.max).converted(to: .f64) == nil)
  }

  @Test func nothingElseConverts() {
    for value in everyType {
      let isInteger = [.i32, .i64, .u32, .u64].contains(value.type)
      for raw in 1...8 as ClosedRange<UInt32> {
        guard let type = ParameterType(rawValue: raw) else { continue }
        if type == value.type { #expect(value.converted(to: type) == value) }
        if !isInteger, type != value.type { #expect(value.converted(to: type) == nil, "\(value) as \(type)") }
        if isInteger, type == .bool || type == .string || type == .bytes {
          #expect(value.converted(to: type) == nil, "\(value) as \(type)")
        }
      }
    }
  }

  @Test func textIsReadAsItsType() {
    #expect(ParameterType.bool.parse("true") == .bool(true))
    #expect(ParameterType.bool.parse("0") == .bool(false))
    #expect(ParameterType.bool.parse("yes") == nil)
    #expect(ParameterType.i32.parse("-2147483648") == .i32(.min))
    #expect(ParameterType.u32.parse("-1") == nil)
    #expect(ParameterType.u64.parse("18446744073709551615") == .u64(.max))
    #expect(ParameterType.i64.parse("12 ") == nil)
    #expect(ParameterType.f64.parse("0.5") == .f64(0.5))
    #expect(ParameterType.f64.parse("half") == nil)
    #expect(ParameterType.string.parse("") == .string(""))
    #expect(ParameterType.bytes.parse("ab") == .bytes([97, 98]))
    for raw in 1...6 as ClosedRange<UInt32> { #expect(ParameterType(rawValue: raw)?.parse("") == nil) }
  }
}
