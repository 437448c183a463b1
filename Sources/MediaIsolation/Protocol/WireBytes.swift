import Glibc
import MediaCore
import MediaPlugins

/// Writes one message, in memory that is used for the next one too.
public struct WireWriter {
  /// The message, as far as it is written.
  public private(set) var bytes: [UInt8] = []

  /// An empty message.
  public init() {
    bytes.reserveCapacity(512)
  }

  /// Begins the next message, in the same memory.
  public mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// The value's bytes, in the machine's own order and without padding between values.
  public mutating func put<T: BitwiseCopyable>(_ value: T) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  /// Their number in 32 bits, and the bytes.
  public mutating func put(bytes data: UnsafeRawBufferPointer) {
    put(UInt32(truncatingIfNeeded: data.count))
    bytes.append(contentsOf: data)
  }

  /// The bytes of another message, without their number.
  public mutating func append(_ other: WireWriter) {
    bytes.append(contentsOf: other.bytes)
  }

  /// Bytes without their number.
  public mutating func append(_ other: [UInt8]) {
    bytes.append(contentsOf: other)
  }

  /// Bytes without their number.
  public mutating func append(_ other: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: other)
  }

  /// What is written for a value.
  public static func bytes<T: BitwiseCopyable>(of value: T) -> [UInt8] {
    withUnsafeBytes(of: value) { [UInt8]($0) }
  }

  /// In UTF-8, as `put(bytes:)`.
  public mutating func put(text: String) {
    var text = text
    text.withUTF8 { put(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The type in 32 bits; then a number or bool in 64 bits, or text or bytes as `put(bytes:)`.
  public mutating func put(value: ParameterValue) {
    put(value.type.rawValue)
    switch value {
    case .bool(let bool): put(UInt64(bool ? 1 : 0))
    case .i32(let number): put(UInt64(bitPattern: Int64(number)))
    case .i64(let number): put(UInt64(bitPattern: number))
    case .u32(let number): put(UInt64(number))
    case .u64(let number): put(number)
    case .f64(let number): put(number.bitPattern)
    case .string(let text): put(text: text)
    case .bytes(let data): data.withUnsafeBytes { put(bytes: $0) }
    }
  }
}

/// Reads one message that lies in memory of our own; it may say anything.
public struct WireReader {
  private var rest: UnsafeRawBufferPointer

  /// Borrowed: the bytes stay where they are for as long as the reader is used.
  public init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  private static let short = MediaError(.corrupt, "a message of the plugin's process ends early")

  /// Whether all was read.
  public var isAtEnd: Bool { rest.isEmpty }
  /// A copy of what was not read yet.
  public var copyOfRest: [UInt8] { [UInt8](rest) }

  /// The next value, at any alignment; `.corrupt` when the message ends before. Any bytes must be a value of `T`.
  public mutating func get<T: BitwiseCopyable>(_ type: T.Type = T.self) throws(MediaError) -> T {
    let size = MemoryLayout<T>.size
    guard rest.count >= size else { throw WireReader.short }
    let value = rest.loadUnaligned(as: T.self)
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
    return value
  }

  /// Borrowed from the message.
  public mutating func getBytes() throws(MediaError) -> UnsafeRawBufferPointer {
    try get(count: Int(try get(UInt32.self)))
  }

  /// The same of so many bytes.
  public mutating func get(count: Int) throws(MediaError) -> UnsafeRawBufferPointer {
    guard rest.count >= count else { throw WireReader.short }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
  }

  /// Repaired where it is no UTF-8, without NULs.
  public mutating func getText() throws(MediaError) -> String {
    let bytes = try getBytes()
    return String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
  }

  /// What `put(value:)` wrote. `.corrupt` for an unknown type, and when the message ends before.
  public mutating func getValue() throws(MediaError) -> ParameterValue {
    let raw = try get(UInt32.self)
    guard let type = ParameterType(rawValue: raw) else { throw MediaError(.corrupt, "a value has the type \(raw)") }
    switch type {
    case .string: return .string(try getText())
    case .bytes: return .bytes([UInt8](try getBytes()))
    case .bool: return .bool(try get(UInt64.self) == 1)
    case .i32: return .i32(Int32(truncatingIfNeeded: try get(UInt64.self)))
    case .i64: return .i64(Int64(bitPattern: try get(UInt64.self)))
    case .u32: return .u32(UInt32(truncatingIfNeeded: try get(UInt64.self)))
    case .u64: return .u64(try get(UInt64.self))
    case .f64: return .f64(Double(bitPattern: try get(UInt64.self)))
    }
  }
}
