/// What of a description is to be known, or changed, where only ICE is agreed on anew (RFC 9725, section 4.3.3).
public enum WHIPDescriptions {
  /// ice-ufrag and ice-pwd, the first of each; nil: one is missing.
  public static func credentials(in sdp: String) -> (user: String, password: String)? {
    guard let user = value(of: "a=ice-ufrag:", in: sdp), let password = value(of: "a=ice-pwd:", in: sdp) else { return nil }
    return (user, password)
  }

  private static func value(of name: String, in sdp: String) -> String? {
    lines(of: sdp).first { $0.utf8.starts(with: name.utf8) }.map { String(Substring($0.utf8.dropFirst(name.utf8.count))) }
  }

  /// Lines, without their ends; empty ones are skipped.
  public static func lines(of sdp: String) -> [Substring] {
    sdp.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { Substring($0) }
  }

  /// Whether an answer takes nothing of what was offered: each section has port 0 (RFC 3264, section 6).
  public static func isRefusal(_ sdp: String) -> Bool {
    let sections = lines(of: sdp).filter { $0.utf8.starts(with: "m=".utf8) }
    return !sections.isEmpty
      && sections.allSatisfy { line in
        let words = line.utf8.split(separator: UInt8(ascii: " "))
        return words.count > 1 && words[1].elementsEqual("0".utf8)
      }
  }

  /// The answer of before, with the credentials and candidates of another generation. Without candidates those of before stay: they may be
  /// the same.
  public static func answer(_ sdp: String, with fragment: ICEFragment) -> String {
    let hasCandidates = !fragment.candidates.isEmpty
    let added = fragment.candidates.map { "a=candidate:\($0.text)" } + (hasCandidates && fragment.isLast ? ["a=end-of-candidates"] : [])
    var result: [String] = []
    var sections = 0
    for line in lines(of: sdp) {
      if line.utf8.starts(with: "m=".utf8) {
        sections += 1
        // At the end of the first section, in which everything is bundled.
        if sections == 2 { result += added }
      }
      let isCandidate = line.utf8.starts(with: "a=candidate:".utf8) || line.utf8.elementsEqual("a=end-of-candidates".utf8)
      if hasCandidates, isCandidate { continue }
      if let user = fragment.user, line.utf8.starts(with: "a=ice-ufrag:".utf8) {
        result.append("a=ice-ufrag:\(user)")
      } else if let password = fragment.password, line.utf8.starts(with: "a=ice-pwd:".utf8) {
        result.append("a=ice-pwd:\(password)")
      } else {
        result.append(String(line))
      }
    }
    if sections == 1 { result += added }
    return result.reduce(into: "") { $0 += "\($1)\r\n" }
  }

  /// The same to another offer of the same sections: what that offers as inactive is so in the answer (RFC 3264, section 6.1).
  public static func answer(_ sdp: String, to offer: String) -> String {
    var idle: [Bool] = []
    for line in lines(of: offer) {
      if line.utf8.starts(with: "m=".utf8) { idle.append(false) }
      if !idle.isEmpty, line.utf8.elementsEqual("a=inactive".utf8) { idle[idle.count - 1] = true }
    }
    var section = -1
    return lines(of: sdp).reduce(into: "") { text, line in
      if line.utf8.starts(with: "m=".utf8) { section += 1 }
      let isDirection = ["a=recvonly", "a=sendrecv", "a=sendonly"].contains { line.utf8.elementsEqual($0.utf8) }
      text += isDirection && idle.indices.contains(section) && idle[section] ? "a=inactive\r\n" : "\(line)\r\n"
    }
  }
}
