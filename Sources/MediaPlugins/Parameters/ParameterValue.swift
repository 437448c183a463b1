import CMediaSDK
import MediaCore

/// A typed value of a parameter, as msdk_value has it, in memory of our own.
public enum ParameterValue: Sendable, Equatable, CustomStringConvertible {
  case bool(Bool)
  case i32(Int32)
  case i64(Int64)
  case u32(UInt32)
  case u64(UInt64)
  case f64(Double)
  case string(String)
  case bytes([UInt8])

  /// In bytes of UTF-8.
  public static let longestText = 65_536
  /// In bytes: 16 MiB.
  public static let mostBytes = 1 << 24

  /// Copies a value of a program or a plugin, which `argument` names in errors: `.type` for an unknown type, `.range` for a bool above 1
  /// and for too many bytes; else what is wrong with the text or the pointer.
  public init(foreign value: msdk_value, argument: String) throws(MediaError) {
    try ForeignStruct.checkReserved(value.reserved, "\(argument)'s reserved")
    switch Int(value.type) {
    case MSDK_T_BOOL:
      guard value.u.b <= 1 else { throw MediaError(.range, "\(argument) is the bool \(value.u.b); accepted: 0, 1") }
      self = .bool(value.u.b == 1)
    case MSDK_T_I32: self = .i32(value.u.i32)
    case MSDK_T_I64: self = .i64(value.u.i64)
    case MSDK_T_U32: self = .u32(value.u.u32)
    case MSDK_T_U64: self = .u64(value.u.u64)
    case MSDK_T_F64: self = .f64(value.u.f64)
    case MSDK_T_STRING: self = .string(try ForeignText.read(value.u.str, limit: ParameterValue.longestText, argument: argument))
    case MSDK_T_BYTES:
      let size = value.u.bytes.size
      guard size <= 1 << 24 else { throw MediaError(.range, "\(argument) has \(size) bytes; accepted: up to \(1 << 24)") }
      guard let data = value.u.bytes.data, size > 0 else {
        guard size == 0 else { throw MediaError(.invalid, "\(argument) has NULL data and \(size) bytes") }
        self = .bytes([])
        return
      }
      self = .bytes([UInt8](UnsafeRawBufferPointer(start: data, count: Int(size))))
    default: throw MediaError(.type, "\(argument) has the type \(value.type); accepted: MSDK_T_BOOL to MSDK_T_BYTES, 1..8")
    }
  }

  /// Hands the value out in the foreign shape, for the time of the call.
  public func withForeign<Result>(_ body: (UnsafePointer<msdk_value>) -> Result) -> Result {
    var value = msdk_value()
    value.type = type.rawValue
    switch self {
    case .bool(let bool): value.u.b = bool ? 1 : 0
    case .i32(let number): value.u.i32 = number
    case .i64(let number): value.u.i64 = number
    case .u32(let number): value.u.u32 = number
    case .u64(let number): value.u.u64 = number
    case .f64(let number): value.u.f64 = number
    case .string(let text):
      return text.withCString { pointer in
        value.u.str = pointer
        return withUnsafePointer(to: value, body)
      }
    case .bytes(let bytes):
      return bytes.withUnsafeBytes { buffer in
        value.u.bytes = msdk_bytes(data: buffer.baseAddress, size: UInt64(buffer.count))
        return withUnsafePointer(to: value, body)
      }
    }
    return withUnsafePointer(to: value, body)
  }

  /// That of its case.
  public var type: ParameterType {
    switch self {
    case .bool: .bool
    case .i32: .i32
    case .i64: .i64
    case .u32: .u32
    case .u64: .u64
    case .f64: .f64
    case .string: .string
    case .bytes: .bytes
    }
  }

  /// The number, of a numeric value, as closely as a double can say it.
  var number: Double? {
    switch self {
    case .i32(let number): Double(number)
    case .i64(let number): Double(number)
    case .u32(let number): Double(number)
    case .u64(let number): Double(number)
    case .f64(let number): number
    default: nil
    }
  }

  /// The same value in another type, where that loses nothing: integers that fit, integers as f64.
  func converted(to type: ParameterType) -> ParameterValue? {
    if self.type == type { return self }
    let integer: Int128
    switch self {
    case .i32(let number): integer = Int128(number)
    case .i64(let number): integer = Int128(number)
    case .u32(let number): integer = Int128(number)
    case .u64(let number): integer = Int128(number)
    default: return nil
    }
    switch type {
    case .i32: return Int32(exactly: integer).map { .i32($0) }
    case .i64: return Int64(exactly: integer).map { .i64($0) }
    case .u32: return UInt32(exactly: integer).map { .u32($0) }
    case .u64: return UInt64(exactly: integer).map { .u64($0) }
    case .f64: return Double(exactly: integer).map { .f64($0) }
    default: return nil
    }
  }

  /// For people and logs: text in quotes, and of bytes only how many.
  public var description: String {
    switch self {
    case .bool(let bool): "\(bool)"
    case .i32(let number): "\(number)"
    case .i64(let number): "\(number)"
    case .u32(let number): "\(number)"
    case .u64(let number): "\(number)"
    case .f64(let number): "\(number)"
    case .string(let text): "\"\(text)\""
    case .bytes(let bytes): "\(bytes.count) bytes"
    }
  }
}

/// The types of types.h that a parameter may have.
public enum ParameterType: UInt32, Sendable {
  case bool = 1
  case i32 = 2
  case i64 = 3
  case u32 = 4
  case u64 = 5
  case f64 = 6
  case string = 7
  case bytes = 8

  var isInteger: Bool {
    switch self {
    case .i32, .i64, .u32, .u64: true
    default: false
    }
  }

  var empty: ParameterValue {
    switch self {
    case .bool: .bool(false)
    case .i32: .i32(0)
    case .i64: .i64(0)
    case .u32: .u32(0)
    case .u64: .u64(0)
    case .f64: .f64(0)
    case .string: .string("")
    case .bytes: .bytes([])
    }
  }

  /// Reads text as a value of this type; nil when it is none.
  func parse(_ text: String) -> ParameterValue? {
    switch self {
    case .bool: ["true": true, "false": false, "1": true, "0": false][text].map { .bool($0) }
    case .i32: Int32(text).map { .i32($0) }
    case .i64: Int64(text).map { .i64($0) }
    case .u32: UInt32(text).map { .u32($0) }
    case .u64: UInt64(text).map { .u64($0) }
    case .f64: Double(text).map { .f64($0) }
    case .string: .string(text)
    case .bytes: .bytes(Array(text.utf8))
    }
  }
}
