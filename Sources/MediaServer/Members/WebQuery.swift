import MediaSDP

/// Parameters in the query of a request: what a client says of itself. What is not known is ignored, as a proxy may add its own.
enum WebQuery {
  /// Bytes of a user id or a display name.
  static let longestName = 255

  /// Without its escapes; nil: it is missing, empty, or none.
  static func value(_ name: String, in query: Substring) -> String? {
    for piece in query.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].elementsEqual(name.utf8) else { continue }
      // A form writes a blank as +.
      let text = String(Substring(parts[1]).map { $0 == "+" ? " " : $0 })
      guard let value = ParsedURL.decoded(text[...]), !value.isEmpty else { return nil }
      return value
    }
    return nil
  }
}
