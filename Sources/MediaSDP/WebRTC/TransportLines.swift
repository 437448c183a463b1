import MediaCore

/// How a medium of WebRTC is reached: ICE (RFC 8839), and DTLS for its keys (RFC 8122, RFC 8842). `password` is a secret.
public struct TransportLines: Sendable, Equatable {
  /// The hash of a certificate (RFC 8122, section 5).
  public struct Fingerprint: Sendable, Equatable {
    /// Of the hash, in small letters: sha-256.
    public var algorithm: String
    /// 16 to 64 when read.
    public var bytes: [UInt8]

    /// Nothing is checked.
    public init(_ algorithm: String, _ bytes: [UInt8]) {
      (self.algorithm, self.bytes) = (algorithm, bytes)
    }
  }

  /// Who begins the handshake of DTLS (RFC 4145, section 4).
  public enum Setup: String, Sendable {
    case active
    case passive
    case either = "actpass"
    case held = "holdconn"
  }

  /// ice-ufrag and ice-pwd.
  public var user: String?
  /// 22 to 256 letters, digits, + and / when read; nil: no line states it.
  public var password: String?
  /// ice-options: trickle and others.
  public var options: [String] = []
  /// Those of a kind that is known; at most 128 when read.
  public var candidates: [Candidate] = []
  /// end-of-candidates (RFC 8838, section 8.2).
  public var hasAllCandidates = false
  /// At most 8 when read.
  public var fingerprints: [Fingerprint] = []
  /// nil: no line states it.
  public var setup: Setup?
  /// tls-id: another one asks for another connection (RFC 8842, section 4).
  public var connectionID: String?

  /// No lines.
  public init() {}

  static let mostCandidates = 128
  static let mostFingerprints = 8

  /// What the medium does not say the session says for all. Throws `.invalid`, `.limit`.
  public init(_ media: SessionDescription.Media, in session: SessionDescription) throws(MediaError) {
    func values(_ name: String) -> [String] {
      let own = media.values(name)
      return own.isEmpty ? session.values(name) : own
    }
    user = try TransportLines.credential(values("ice-ufrag").first, "ice-ufrag", from: 4)
    password = try TransportLines.credential(values("ice-pwd").first, "ice-pwd", from: 22)
    options = values("ice-options").flatMap { $0.split(separator: " ").map(String.init) }
    for line in media.values("candidate") {
      guard candidates.count < TransportLines.mostCandidates else {
        throw MediaError(.limit, "SDP: more than \(TransportLines.mostCandidates) candidates for m=\(media.kind)")
      }
      if let candidate = try Candidate(parsing: line) { candidates.append(candidate) }
    }
    hasAllCandidates = media.has("end-of-candidates") || session.attributes.contains { $0.name == "end-of-candidates" }
    for line in values("fingerprint") {
      guard let print = Fingerprint(parsing: line), fingerprints.count < TransportLines.mostFingerprints else {
        throw .description("a=fingerprint:\(line.prefix(40)); accepted: a hash and its bytes in hexadecimal with colons, at most 8 times")
      }
      fingerprints.append(print)
    }
    setup = try values("setup").first.map { (text) throws(MediaError) in
      guard let setup = Setup(rawValue: text) else {
        throw .description("a=setup:\(text.prefix(20)); accepted: active, passive, actpass, holdconn")
      }
      return setup
    }
    connectionID = values("tls-id").first
  }

  /// Letters, digits, + and / (RFC 8839, section 5.4). Not repeated in the error.
  private static func credential(_ text: String?, _ name: String, from least: Int) throws(MediaError) -> String? {
    guard let text else { return nil }
    let isSound = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "/")
    }
    guard isSound, (least...256).contains(text.utf8.count) else {
      throw .description("a=\(name) has \(text.utf8.count) bytes; accepted: \(least)..256 letters, digits, + and /")
    }
    return text
  }

  /// All lines, the one with the password included.
  public var attributes: [SessionDescription.Attribute] {
    var lines: [SessionDescription.Attribute] = []
    if let user { lines.append(.init("ice-ufrag", user)) }
    if let password { lines.append(.init("ice-pwd", password)) }
    if !options.isEmpty { lines.append(.init("ice-options", options.joined(separator: " "))) }
    lines += fingerprints.map { .init("fingerprint", $0.text) }
    if let setup { lines.append(.init("setup", setup.rawValue)) }
    if let connectionID { lines.append(.init("tls-id", connectionID)) }
    lines += candidates.map { .init("candidate", $0.text) }
    if hasAllCandidates { lines.append(.init("end-of-candidates")) }
    return lines
  }
}

extension TransportLines.Fingerprint {
  /// RFC 8122, section 5: a hash, and pairs of hexadecimal digits between colons. nil for anything else, and for more than 64 bytes.
  init?(parsing text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2 else { return nil }
    let pairs = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    let bytes = pairs.compactMap { pair in pair.utf8.count == 2 && pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil }
    guard bytes.count == pairs.count, (16...64).contains(bytes.count) else { return nil }
    self.init(parts[0].lowercased(), bytes)
  }

  var text: String {
    let digits = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
    return "\(algorithm) \(digits.joined(separator: ":"))"
  }
}
