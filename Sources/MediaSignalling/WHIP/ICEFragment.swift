import MediaCore
import MediaSDP

/// What is trickled: a part of a description (RFC 8840), application/trickle-ice-sdpfrag. Everything is bundled on one component, so that
/// the section it is written in is the first one.
public struct ICEFragment: Sendable, Equatable {
  /// ice-ufrag and ice-pwd of the generation; nil: not said.
  public var user: String?
  /// A secret.
  public var password: String?
  /// Those that are new, with the section that they are of; nil: of all.
  public var candidates: [Candidate]
  /// None of this generation follows.
  public var isLast: Bool

  /// What it is written into: lines of this end's description that each fragment has, too.
  public struct Section: Sendable, Equatable {
    /// a=group:BUNDLE, a=ice-options, a=ice-lite and a=ice-pacing, which stay the same (RFC 9725, section 4.3.3).
    let session: [String]
    /// m= of the first section, and its a=mid.
    let media: [String]

    /// The first of that description; without one it is written as audio. Longer lines than 1,024 bytes are skipped.
    public init(firstOf sdp: String) {
      var session: [String] = []
      var media: [String] = []
      for line in sdp.utf8.split(whereSeparator: { $0 == HTTPText.lineFeed || $0 == HTTPText.carriageReturn }) {
        guard line.count <= 1_024, line.allSatisfy({ HTTPText.isVisibleOrBlank($0) }) else { continue }
        let isMedia = line.starts(with: "m=".utf8)
        if isMedia, !media.isEmpty { break }
        let kept = media.isEmpty ? ["a=group:BUNDLE ", "a=ice-options:", "a=ice-lite", "a=ice-pacing:"] : ["a=mid:"]
        guard isMedia || kept.contains(where: { line.starts(with: $0.utf8) }) else { continue }
        if isMedia || !media.isEmpty { media.append(String(Substring(line))) } else { session.append(String(Substring(line))) }
      }
      self.session = Array(session.prefix(4))
      self.media = media.isEmpty ? ["m=audio 9 UDP/TLS/RTP/SAVPF 0"] : Array(media.prefix(2))
    }
  }

  /// Of RFC 8840, section 9.
  public static let contentType = "application/trickle-ice-sdpfrag"
  /// Bytes of it.
  static let longest = 65_536
  /// Candidates in it.
  public static let mostCandidates = 128

  /// Nothing is checked.
  public init(user: String?, password: String?, candidates: [Candidate] = [], isLast: Bool = false) {
    (self.user, self.password, self.candidates, self.isLast) = (user, password, candidates, isLast)
  }

  /// Candidates of kinds that are not known here, and those of another component than the first, are skipped. Throws `.limit`, and
  /// `.invalid` for what is none.
  public init(parsing bytes: [UInt8]) throws(MediaError) {
    guard bytes.count <= ICEFragment.longest else {
      throw MediaError(.limit, "a fragment of candidates has \(bytes.count) bytes; accepted: at most \(ICEFragment.longest)")
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else { throw ICEFragment.refused("it is not UTF-8") }
    self.init(user: nil, password: nil)
    for piece in text.utf8.split(separator: HTTPText.lineFeed) {
      let line = Substring(piece.last == HTTPText.carriageReturn ? piece.dropLast() : piece)
      guard line.utf8.dropFirst().first == UInt8(ascii: "=") || line.utf8.isEmpty, line.utf8.allSatisfy({ HTTPText.isVisibleOrBlank($0) })
      else {
        throw ICEFragment.refused("it has the line \"\(line.prefix(32))\"")
      }
      if line.utf8.starts(with: "a=".utf8) { try take(Substring(line.utf8.dropFirst(2))) }
    }
  }

  private mutating func take(_ line: Substring) throws(MediaError) {
    let (name, value) = HTTPText.cut(line, at: UInt8(ascii: ":")) ?? (line, "")
    switch name {
    case "ice-ufrag": user = try credential(value, user, 4)
    case "ice-pwd": password = try credential(value, password, 22)
    case "candidate":
      guard candidates.count < ICEFragment.mostCandidates else {
        throw MediaError(.limit, "a fragment has more candidates; accepted: at most \(ICEFragment.mostCandidates)")
      }
      if let candidate = try Candidate(parsing: String(value)), candidate.component == 1 { candidates.append(candidate) }
    case "end-of-candidates": isLast = true
    default: return
    }
  }

  /// The same in each section (RFC 8839, section 5.4).
  private func credential(_ value: Substring, _ known: String?, _ least: Int) throws(MediaError) -> String {
    let text = String(value)
    let isOne = text.utf8.allSatisfy { HTTPText.isLetterOrDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
    guard isOne, (least...256).contains(text.utf8.count), known == nil || known == text else {
      throw ICEFragment.refused("its credentials are not those of one generation")
    }
    return text
  }

  /// For the body of a request or a response.
  public func bytes(in section: Section) -> [UInt8] {
    var text = (section.session + section.media).reduce(into: "") { $0 += "\($1)\r\n" }
    if let user { text += "a=ice-ufrag:\(user)\r\n" }
    if let password { text += "a=ice-pwd:\(password)\r\n" }
    for candidate in candidates { text += "a=candidate:\(candidate.text)\r\n" }
    if isLast { text += "a=end-of-candidates\r\n" }
    return Array(text.utf8)
  }

  private static func refused(_ what: String) -> MediaError {
    MediaError(.invalid, "a fragment of candidates is refused: \(what); accepted: lines as a=candidate:…, a=ice-ufrag:… (RFC 8840)")
  }
}
