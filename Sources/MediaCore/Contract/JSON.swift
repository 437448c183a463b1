/// A value to be printed as JSON (RFC 8259).
public indirect enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int128)
  case number(Double)
  case text(String)
  case array([JSON])
  case object([(String, JSON)])

  /// An integer of any type whose value fits an Int128.
  public static func whole(_ value: some BinaryInteger) -> JSON { .integer(Int128(value)) }
  /// An array of strings, in the same order.
  public static func texts(_ values: [String]) -> JSON { .array(values.map { .text($0) }) }

  /// Indented by two spaces a level.
  public func rendered(indent: String = "") -> String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return "\(value)"
    case .number(let value): return value.isFinite ? "\(value)" : "null"
    case .text(let value): return JSON.quoted(value)
    case .array(let values):
      return JSON.block("[", "]", values.map { $0.rendered(indent: indent + "  ") }, indent)
    case .object(let members):
      return JSON.block("{", "}", members.map { "\(JSON.quoted($0.0)): \($0.1.rendered(indent: indent + "  "))" }, indent)
    }
  }

  /// In one line, without spaces.
  public var compact: String {
    switch self {
    case .array(let values): "[" + values.map(\.compact).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\(JSON.quoted($0.0)):\($0.1.compact)" }.joined(separator: ",") + "}"
    default: rendered()
    }
  }

  private static func block(_ open: String, _ close: String, _ items: [String], _ indent: String) -> String {
    guard !items.isEmpty else { return open + close }
    return "\(open)\n\(items.map { "\(indent)  \($0)" }.joined(separator: ",\n"))\n\(indent)\(close)"
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// By bytes, as a text may be long.
  private static func quoted(_ text: String) -> String {
    var result = [UInt8(ascii: "\"")]
    result.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): result += "\\n".utf8
      case UInt8(ascii: "\r"): result += "\\r".utf8
      case UInt8(ascii: "\t"): result += "\\t".utf8
      case 0..<32, 127:
        result += [
          UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"), digits[Int(byte >> 4)], digits[Int(byte & 15)]
        ]
      default: result.append(byte)
      }
    }
    return String(decoding: result + [UInt8(ascii: "\"")], as: UTF8.self)
  }
}
