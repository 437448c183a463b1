import MediaCore

/// The name of a host as RFC 1123, section 2.1, has it, in lower case: labels of letters, digits and hyphens between dots.
public struct HostName: Sendable, Hashable, CustomStringConvertible {
  /// In lower case, with the final dot if one was given.
  public let description: String

  /// Without a final dot.
  public static let longest = 253
  private static let longestLabel = 63
  /// For error texts, after "accepted: ".
  public static let accepted = "a host name of letters, digits, hyphens and dots (RFC 1123) whose last label is not a number"

  /// nil for anything else. What looks like an address is none: the system would read "127.1" and "0x7f000001" as addresses, too.
  public init?(_ text: some StringProtocol) {
    let bytes = text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes[...]
    guard (1...HostName.longest).contains(name.count) else { return nil }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy(HostName.isLabel), let last = labels.last, !HostName.isNumber(last) else { return nil }
    description = String(decoding: bytes, as: UTF8.self)
  }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    guard (1...longestLabel).contains(label.count), label.first != hyphen, label.last != hyphen else { return false }
    return label.allSatisfy { isDigit($0) || (97...122).contains($0) || $0 == hyphen }
  }

  /// Decimal or, as inet_aton(3) reads it, hexadecimal.
  private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
    if label.allSatisfy(isDigit) { return true }
    return label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { isDigit($0) || (97...102).contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

/// Another host and its port, as a URL has them: by address, or by a name that has to be looked up.
public enum NetworkHost: Sendable, Hashable, CustomStringConvertible {
  case address(SocketAddress)
  case name(HostName, port: UInt16)

  /// Address or name, and the port after a colon; IPv6 in brackets.
  public var description: String {
    switch self {
    case .address(let address): "\(address)"
    case .name(let name, let port): "\(name):\(port)"
    }
  }
}
