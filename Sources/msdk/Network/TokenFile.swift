import MediaCore
import MediaTransport

/// Access tokens, which never stand on a command line, where every user of the machine reads them. A line for each: the token alone, or behind the
/// user id whose it is. Nothing of them is ever told.
struct TokenFile: Sendable {
  private let tokens: [(userID: String?, token: [UInt8])]

  init(reading path: String) throws(MediaError) {
    var tokens: [(userID: String?, token: [UInt8])] = []
    for line in try TokenFile.lines(of: path, most: 1 << 20) {
      // A user id may have spaces in it, a token has none.
      let parts = line.split(separator: " ")
      guard let token = parts.last, token.utf8.count <= AccessToken.longest else {
        throw MediaError(.corrupt, "\(path) has a token of more than \(AccessToken.longest) bytes, the maximum")
      }
      tokens.append((parts.count > 1 ? parts.dropLast().joined(separator: " ") : nil, Array(token.utf8)))
    }
    guard !tokens.isEmpty else { throw MediaError(.corrupt, "\(path) has no token; accepted: lines of TOKEN or USER TOKEN") }
    self.tokens = tokens
  }

  /// The one token of a member.
  static func one(reading path: String) throws(MediaError) -> AccessToken {
    let lines = try lines(of: path, most: AccessToken.longest + 2)
    guard lines.count == 1, let token = lines.first, !token.contains(" ") else {
      throw MediaError(.corrupt, "\(path) has \(lines.count) lines; accepted: one, of a token without spaces")
    }
    return AccessToken(token)
  }

  private static func lines(of path: String, most: Int) throws(MediaError) -> [String] {
    let text = String(decoding: try FileReader.bytes(of: path, most: most), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter {
      !$0.isEmpty
    }
  }

  func answer(_ request: AccessRequest) -> AccessRequest.Answer {
    let shown = Array(request.token.value.utf8)
    var isKnown = false
    // All are looked at, so that the time it takes tells nothing.
    for (userID, token) in tokens where TokenFile.areEqual(token, shown) && (userID ?? request.member.userID) == request.member.userID {
      isKnown = true
    }
    return isKnown ? .success(AccessGrant(request.permissions)) : .failure(.refused(request, "the token is not accepted"))
  }

  private static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
