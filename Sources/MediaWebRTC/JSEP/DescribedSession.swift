import MediaCore
import MediaRTP
import MediaSDP

/// A description of the other end as JSEP needs it, read and checked: what does not fit together is refused here. `JSEPSession` makes and keeps it.
struct DescribedSession: Sendable {
  struct Section: Sendable {
    let lines: SessionDescription.Media
    /// nil: it has no name.
    let mid: String?
    /// Port 0, and not because it has another one's (RFC 9143, section 6).
    let isRejected: Bool
    /// nil: it is no RTP that has its keys by DTLS, or is rejected.
    private(set) var rtp: RTPMedia?
    private(set) var data: DataMedia?
    private(set) var layers = LayerLines()
    private(set) var extensionNames: [UInt8: String] = [:]
    let transport: TransportLines
    /// It shares the one transport that there is.
    var isBundled = false
  }

  private(set) var sections: [Section] = []
  /// Places of those that share the transport, in the order of their group.
  private var order: [Int] = []
  let isLite: Bool
  private(set) var hasBundle = false

  /// Throws `.invalid`, `.limit` or `.unsupported`, with what was wrong and what is accepted.
  init(_ text: String, _ kind: DescriptionKind) throws(MediaError) {
    let session = try SessionDescription(parsing: text, .bundled)
    guard !session.media.isEmpty else { throw .description("the \(kind.rawValue) has no m= line; accepted: at least one") }
    isLite = session.has("ice-lite")
    for media in session.media { sections.append(try Section(media, in: session)) }
    try checkNames()
    try bundle(session)
    try checkNumbers()
    try checkTransports(kind)
  }

  // MARK: Names and groups

  private func checkNames() throws(MediaError) {
    var names: Set<String> = []
    for section in sections {
      guard let mid = section.mid else { continue }
      guard (1...255).contains(mid.utf8.count), mid.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
        throw .description("a=mid:\(mid.prefix(40)); accepted: 1..255 characters of a token")
      }
      guard names.insert(mid).inserted else { throw .description("a=mid:\(mid.prefix(40)) is there twice; accepted: each name once") }
    }
  }

  private mutating func bundle(_ session: SessionDescription) throws(MediaError) {
    let places = Dictionary(sections.indices.compactMap { place in sections[place].mid.map { ($0, place) } }) { first, _ in first }
    var grouped: Set<String> = []
    for group in session.bundles {
      for mid in group {
        guard places[mid] != nil else { throw .description("a=group:BUNDLE names \(mid.prefix(40)), and no m= line has that a=mid") }
        guard grouped.insert(mid).inserted else { throw .description("a=group:BUNDLE names \(mid.prefix(40)) twice; accepted: once") }
      }
    }
    guard let first = session.bundles.first else {
      // Without a group each section has a transport of its own; there is one here.
      if let place = sections.indices.first(where: { sections[$0].isUsable }) { join(place) }
      return
    }
    hasBundle = true
    for mid in first {
      if let place = places[mid], sections[place].isUsable { join(place) }
    }
  }

  private mutating func join(_ place: Int) {
    sections[place].isBundled = true
    order.append(place)
  }

  // MARK: Numbers

  private func checkNumbers() throws(MediaError) {
    var payloads: [UInt8: RTPMedia.Payload] = [:]
    var extensions: [UInt8: String] = [:]
    for section in sections where section.isBundled {
      for payload in section.rtp?.payloads ?? [] {
        guard let known = payloads.updateValue(payload, forKey: payload.type) else { continue }
        guard known.isOf(payload), known.associated == payload.associated else {
          throw .description(
            "the payload type \(payload.type) is used for \(known.encoding.prefix(20)) and for \(payload.encoding.prefix(20)); accepted: one codec for each"
          )
        }
      }
      for (id, uri) in section.extensionNames {
        guard extensions.updateValue(uri, forKey: id).map({ $0 == uri }) ?? true else {
          throw .description("a=extmap:\(id) means two header extensions in one bundle; accepted: one for each id")
        }
      }
    }
  }

  // MARK: Transport

  /// Each section that says something of a transport says all of it. In an answer all say the same; an offer may have another transport for each, of
  /// which the answer chooses one (RFC 9143, section 7.2).
  private func checkTransports(_ kind: DescriptionKind) throws(MediaError) {
    guard let first = order.first(where: { sections[$0].transport.user != nil }) else {
      guard let place = order.first else { return }
      throw .description("\(sections[place].name) has no a=ice-ufrag and a=ice-pwd; accepted: both, there or in the session")
    }
    for place in order {
      let (lines, name) = (sections[place].transport, sections[place].name)
      if lines.user == nil, sections[place].lines.has("bundle-only") || kind == .answer { continue }
      guard lines.user != nil, lines.password != nil else {
        throw .description("\(name) has no a=ice-ufrag and a=ice-pwd; accepted: both, there or in the session")
      }
      guard !lines.fingerprints.isEmpty else {
        throw .description("\(name) has no a=fingerprint; accepted: one, there or in the session, as keys are agreed on by DTLS")
      }
      guard lines.fingerprints.contains(where: { DescribedSession.hashes.contains($0.algorithm) }) else {
        throw MediaError(
          .unsupported, "SDP: a=fingerprint:\(lines.fingerprints[0].algorithm.prefix(20)); accepted: sha-256, sha-384 or sha-512")
      }
      guard let setup = lines.setup, kind == .offer ? setup != .held : setup == .active || setup == .passive else {
        let accepted = kind == .offer ? "actpass, active or passive" : "active or passive"
        throw .description(
          "\(name) has \(lines.setup.map { "a=setup:\($0.rawValue)" } ?? "no a=setup"); accepted in an \(kind.rawValue): \(accepted)")
      }
      let tagged = sections[first].transport
      guard
        kind == .offer
          || (lines.user == tagged.user && lines.password == tagged.password && lines.fingerprints == tagged.fingerprints
            && setup == tagged.setup)
      else {
        throw .description(
          "\(name) has another a=ice-ufrag, a=ice-pwd, a=fingerprint or a=setup than \(sections[first].name), and is in one bundle with it; accepted: the same"
        )
      }
    }
  }

  /// Of the first section in the group that is accepted (RFC 9143, section 7.3.1), or the next that says something; nil: none is.
  func transport(where isAccepted: (Int) -> Bool) -> TransportLines? {
    let accepted = order.filter(isAccepted)
    guard let tagged = accepted.first(where: { sections[$0].transport.user != nil }) else { return nil }
    var transport = sections[tagged].transport
    // Some have their candidates at another section than the first.
    let others = accepted.map { sections[$0].transport }.filter { $0.user == nil || $0.user == transport.user }
    if transport.candidates.isEmpty { transport.candidates = others.first { !$0.candidates.isEmpty }?.candidates ?? [] }
    transport.hasAllCandidates = others.contains { $0.hasAllCandidates }
    return transport
  }

  /// By which a certificate is known (RFC 8122, section 5), as far as DTLS is to check it here.
  private static let hashes = ["sha-256", "sha-384", "sha-512"]
}

extension DescribedSession.Section {
  fileprivate init(_ media: SessionDescription.Media, in session: SessionDescription) throws(MediaError) {
    (lines, mid) = (media, media.value("mid"))
    isRejected = media.port == 0 && !media.has("bundle-only")
    guard !isRejected else {
      transport = TransportLines()
      return
    }
    transport = try TransportLines(media, in: session)
    data = try DataMedia(media)
    guard data == nil, Transceiver.Kind(rawValue: media.kind) != nil, var rtp = try RTPMedia(media, in: session) else { return }
    guard !media.has("crypto") else {
      throw .description("\(name) has a=crypto; accepted: keys by DTLS alone (a=fingerprint and a=setup), as RFC 8827, section 6.5, has it")
    }
    guard rtp.isMultiplexed else { throw .description("\(name) has no a=rtcp-mux; accepted: RTCP on the port of RTP alone") }
    // Each of the profiles means the same (RFC 9429, section 5.1.2).
    (rtp.isProtected, rtp.isKeyedByTLS, rtp.hasFeedback) = (true, true, true)
    // It has the port of the others.
    if rtp.isBundleOnly { rtp.port = JSEPSession.port }
    // What looks like RTCP is of no use (RFC 5761, section 4).
    rtp.payloads.removeAll { (64...95).contains($0.type) }
    layers = try LayerLines(media)
    extensionNames = try ExtensionMap.names(in: media, of: session)
    self.rtp = rtp
  }

  /// It could be accepted here, if it is wanted.
  var isUsable: Bool { rtp != nil || data != nil }

  /// For errors.
  var name: String { "m=\(lines.kind.prefix(20))\(mid.map { " (mid \($0.prefix(40)))" } ?? "")" }
}
