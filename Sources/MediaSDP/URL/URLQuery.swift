import MediaCore

/// The parameters of a URL, `name=value` between `&`, each once. Values stand as they were written. URLs are logged, so that names of
/// secrets are refused, and what has no name is never repeated: it may be anything.
public struct URLQuery: Sendable {
  /// What errors call the URL.
  public let argument: String
  private let accepted: [String]
  private var values: [String: Substring] = [:]

  private static let secrets = ["key", "secret", "pass", "token", "auth", "crypt", "inline", "salt"]

  /// `advice`: how a secret is passed. All errors are `.invalid`.
  public init(_ text: Substring, argument: String, accepted: [String], advice: String) throws(MediaError) {
    (self.argument, self.accepted) = (argument, accepted)
    let list = accepted.joined(separator: ", ")
    for (number, piece) in (text.isEmpty ? [] : text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false))
      .enumerated()
    {
      guard let (before, value) = Substring(piece).cut(at: UInt8(ascii: "=")) else {
        throw MediaError(.invalid, "\(argument) has a parameter, number \(number + 1), that is not key=value; accepted keys: \(list)")
      }
      let name = String(before)
      guard accepted.contains(name) else {
        let small = name.lowercased()
        guard !URLQuery.secrets.contains(where: { small.has($0) }) else {
          throw MediaError(.invalid, "\(argument) has \"\(name.prefix(32))\", but URLs are logged: \(advice)")
        }
        throw MediaError(.invalid, "\(argument) has the unknown key \"\(name.prefix(32))\"; accepted: \(list)")
      }
      guard values[name] == nil else { throw MediaError(.invalid, "\(argument) has \(name) twice; accepted: once") }
      guard !value.isEmpty else { throw MediaError(.invalid, "\(argument) has \(name) without a value") }
      values[name] = value
    }
  }

  /// The value as it was written; nil: the parameter is missing.
  public subscript(_ name: String) -> Substring? { values[name] }

  /// Without its escapes. Throws `.invalid` for one that is none.
  public func decoded(_ name: String) throws(MediaError) -> String? {
    guard let text = values[name] else { return nil }
    guard let plain = ParsedURL.decoded(text) else {
      throw MediaError(.invalid, "\(argument)'s \(name) is not UTF-8 with escapes; accepted: % with two hexadecimal digits, not %00")
    }
    return plain
  }

  /// Throws `.range`.
  public func number(_ name: String, _ range: ClosedRange<UInt64>) throws(MediaError) -> UInt64? {
    guard let text = values[name] else { return nil }
    guard let value = ParsedURL.number(text), range.contains(value) else {
      throw MediaError(.range, "\(argument) has \(name)=\(text.prefix(32)); accepted: \(range.lowerBound)..\(range.upperBound)")
    }
    return value
  }

  /// Throws `.invalid`.
  public func flag(_ name: String) throws(MediaError) -> Bool { try choice(name, ["0": false, "1": true]) ?? false }

  /// Throws `.invalid`.
  public func choice<Value>(_ name: String, _ accepted: KeyValuePairs<String, Value>) throws(MediaError) -> Value? {
    guard let text = values[name] else { return nil }
    guard let found = accepted.first(where: { $0.key == text }) else {
      throw MediaError(.invalid, "\(argument) has \(name)=\(text.prefix(32)); accepted: \(accepted.map(\.key).joined(separator: ", "))")
    }
    return found.value
  }

  /// Throws `.range`.
  public func port(_ name: String, from least: UInt64 = 1) throws(MediaError) -> UInt16? {
    try values[name].map { (text) throws(MediaError) in try ParsedURL.port(text, "\(argument)'s \(name)", from: least) }
  }
}
