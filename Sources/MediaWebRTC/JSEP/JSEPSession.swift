import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

/// The signalling of one PeerConnection (RFC 9429): which media there are, what is offered and answered, what comes of it. A value: calls change it or
/// throw and change nothing, and random bits are handed in. `PeerConnection` has one; a program that only wants descriptions may have it alone.
///
/// Descriptions are made and set in one call (`setLocal`), as nothing may be changed between (RFC 9429, section 4.1.8).
public struct JSEPSession: Sendable {
  /// Of a negotiation that goes on: how it was before, for a rollback.
  struct Saved: Sendable {
    let sections: [JSEPSection]
    let registry: NumberRegistry
    let credentials: ICECredentials
    let wantsRestart: Bool
    let nextName: Int
    let local: SessionDescription?
    let transceivers: [Transceiver.ID: (mid: String?, isChanged: Bool)]
  }

  /// What the other end's description said last of the transport.
  struct RemoteTransport: Sendable {
    let lines: TransportLines
    let isLite: Bool

    init(_ lines: TransportLines, isLite: Bool) { (self.lines, self.isLite) = (lines, isLite) }
  }

  /// What this end offered in a section.
  struct Offered: Sendable {
    var rtp: RTPMedia?
    var layers = LayerLines()
    var isRejected = false
  }

  /// As it was made with.
  public let settings: JSEPSettings
  /// Where the negotiation is.
  public internal(set) var state = SignalingState.stable
  /// In the order in which they were added. A stopped one goes as soon as that is agreed on.
  public internal(set) var transceivers: [Transceiver] = []
  /// What the last complete negotiation came to; nil: there was none.
  public internal(set) var negotiated: NegotiatedSession?
  /// Of this end: those of the description that was set last.
  public internal(set) var credentials: ICECredentials
  /// The next offer has a section for data channels, and all later ones.
  public internal(set) var wantsData = false
  /// Candidates of this end, which its descriptions have.
  var candidates: [Candidate] = []
  var hasAllCandidates = false
  var sections: [JSEPSection] = []
  var registry = NumberRegistry()
  /// The next offer has other credentials.
  var wantsRestart = false
  /// Of DTLS, from the first answer on.
  var isClient: Bool?
  /// Of the other end, from its first description on.
  var fingerprints: [TransportLines.Fingerprint] = []
  var remoteCredentials: ICECredentials?
  var remoteTransport: RemoteTransport?
  /// Offers that wait for their answers.
  var offered: [Offered] = []
  var remote: DescribedSession?
  var saved: Saved?
  var version: UInt64 = 0
  /// The description of this end that was set last, without its candidates.
  var local: SessionDescription?
  private var nextTransceiver = 0
  private var nextName = 0

  /// Sections, in both directions together.
  public static let mostSections = 256
  /// Layers of a transceiver.
  public static let mostLayers = 8

  /// `credentials`: of the agent that is to be described.
  public init(_ settings: JSEPSettings, credentials: ICECredentials) {
    (self.settings, self.credentials) = (settings, credentials)
  }

  // MARK: Transceivers

  /// Media that this end wants to send or receive, to be offered. `answersOffers`: it may also take a section that the other end offers first. Throws
  /// `.limit` for more than 256 sections, `.closed`.
  public mutating func addTransceiver(
    _ kind: Transceiver.Kind, _ direction: RTPMedia.Direction = .sendReceive, tracks: [RTPMedia.Track] = [],
    layers: [LayerLines.Layer] = [],
    answersOffers: Bool = true
  ) throws(MediaError) -> Transceiver.ID {
    guard state != .closed else { throw .closedSession }
    guard transceivers.count < JSEPSession.mostSections else {
      throw MediaError(.limit, "WebRTC: more than \(JSEPSession.mostSections) media")
    }
    guard layers.count <= JSEPSession.mostLayers, layers.count < 2 || kind == .video, Set(layers.map(\.id)).count == layers.count else {
      throw MediaError(
        .invalid, "WebRTC: \(layers.count) layers of \(kind.rawValue); accepted: up to \(JSEPSession.mostLayers) of video, each name once")
    }
    var transceiver = makeTransceiver(kind, direction, tracks)
    (transceiver.layers, transceiver.answersOffers) = (layers, answersOffers)
    transceivers.append(transceiver)
    return transceiver.id
  }

  mutating func makeTransceiver(_ kind: Transceiver.Kind, _ direction: RTPMedia.Direction, _ tracks: [RTPMedia.Track] = []) -> Transceiver {
    defer { nextTransceiver += 1 }
    return Transceiver(Transceiver.ID(number: nextTransceiver), kind, direction, tracks)
  }

  /// nil: there is none any more.
  public func transceiver(_ id: Transceiver.ID) -> Transceiver? { transceivers.first { $0.id == id } }

  /// What is wanted from now on; the next descriptions say it.
  public mutating func setDirection(_ direction: RTPMedia.Direction, of id: Transceiver.ID) throws(MediaError) {
    try change(id) { if $0.direction != direction { ($0.direction, $0.isChanged) = (direction, true) } }
  }

  /// In order of preference; nil: those of the settings.
  public mutating func setCodecs(_ codecs: [RTPMedia.Payload]?, of id: Transceiver.ID) throws(MediaError) {
    try change(id) { ($0.codecs, $0.isChanged) = (codecs, true) }
  }

  /// What the other end calls what is sent.
  public mutating func setTracks(_ tracks: [RTPMedia.Track], of id: Transceiver.ID) throws(MediaError) {
    try change(id) { ($0.tracks, $0.isChanged) = (tracks, true) }
  }

  /// What this end takes at most, in bits a second; nil: it says nothing.
  public mutating func setBandwidth(_ bandwidth: UInt64?, of id: Transceiver.ID) throws(MediaError) {
    try change(id) { ($0.bandwidth, $0.isChanged) = (bandwidth, true) }
  }

  /// Its section is refused for good with the next negotiation, and its place is free for another one then.
  public mutating func stop(_ id: Transceiver.ID) throws(MediaError) {
    try change(id) { ($0.isStopped, $0.isChanged) = (true, true) }
    transceivers.removeAll { $0.isStopped && $0.mid == nil }
  }

  /// The source, and its retransmissions, are not used any longer; the next description of the transceiver has others.
  public mutating func replaceSource(_ ssrc: SSRC) {
    for place in transceivers.indices where transceivers[place].sources.contains(where: { $0.ssrc == ssrc || $0.retransmission == ssrc }) {
      (transceivers[place].sources, transceivers[place].isChanged) = ([], true)
    }
  }

  private mutating func change(_ id: Transceiver.ID, _ body: (inout Transceiver) -> Void) throws(MediaError) {
    guard state != .closed else { throw .closedSession }
    guard let place = transceivers.firstIndex(where: { $0.id == id }) else {
      throw MediaError(.notFound, "WebRTC: there is no such transceiver")
    }
    body(&transceivers[place])
    transceivers[place].isOfOffer = false
  }

  /// Data channels are wanted (RFC 8831). Throws `.state` for settings without them.
  public mutating func requestData() throws(MediaError) {
    guard settings.data != nil else { throw MediaError(.state, "WebRTC: data channels are not in the settings; accepted after they are") }
    wantsData = true
  }

  /// The next offer begins another generation of ICE (RFC 8445, section 9).
  public mutating func requestRestart() { wantsRestart = true }

  /// Something is wanted that no description has: an offer is to be made.
  public var needsNegotiation: Bool {
    guard state == .stable else { return false }
    return (wantsRestart && !sections.isEmpty) || transceivers.contains { $0.isChanged }
      || (wantsData && !sections.contains { $0.isData && !$0.isRejected })
  }

  // MARK: Descriptions

  /// Makes a description of this end and sets it: the text for the other end, with the candidates that there are. `.rollback` ends a negotiation that
  /// goes on, and its text is empty. Throws `.state` where the negotiation is elsewhere, `.unsupported` for a provisional answer, `.limit`, `.closed`.
  public mutating func setLocal(_ kind: DescriptionKind, using random: inout some RandomNumberGenerator) throws(MediaError) -> String {
    var next = self
    switch kind {
    case .offer:
      guard state == .stable || state == .haveLocalOffer else { throw wrongState("an offer", "stable or have-local-offer") }
      if state == .haveLocalOffer { next.restore() }
      next.save()
      try next.makeOffer(using: &random)
      next.state = .haveLocalOffer
    case .answer:
      guard let remote, state == .haveRemoteOffer else { throw wrongState("an answer", "have-remote-offer") }
      try next.makeAnswer(to: remote, using: &random)
      next.settle()
    case .provisional: throw JSEPSession.provisional
    case .rollback:
      try next.rollBack()
      self = next
      return ""
    }
    self = next
    return localDescription ?? ""
  }

  /// Takes a description of the other end. Throws `.invalid`, `.limit` or `.unsupported` with what was wrong in it, `.state`, `.closed`.
  public mutating func setRemote(_ kind: DescriptionKind, _ text: String) throws(MediaError) -> RemoteDescriptionOutcome {
    var next = self
    switch kind {
    case .offer:
      guard state != .closed else { throw .closedSession }
      if state == .haveLocalOffer, !settings.isPolite { return .ignored }
      let offer = try DescribedSession(text, .offer)
      if state != .stable { next.restore() }
      next.save()
      try next.take(offer)
      (next.remote, next.state) = (offer, .haveRemoteOffer)
    case .answer:
      guard state == .haveLocalOffer else { throw wrongState("an answer", "have-local-offer") }
      try next.take(answer: try DescribedSession(text, .answer))
      next.settle()
    case .provisional: throw JSEPSession.provisional
    case .rollback: try next.rollBack()
    }
    self = next
    return .applied
  }

  private static let provisional = MediaError(
    .unsupported, "WebRTC: a provisional answer (pranswer), which would need two sets of media at once; accepted: offer, answer, rollback")

  private func wrongState(_ what: String, _ accepted: String) -> MediaError {
    state == .closed
      ? .closedSession : MediaError(.state, "WebRTC: \(what) in the signalling state \(state.rawValue); accepted in \(accepted)")
  }

  /// The description of this end that was set last, with the candidates that are known now; nil: there is none.
  public var localDescription: String? {
    guard var description = local else { return nil }
    if let place = description.media.firstIndex(where: { $0.port != 0 }) {
      var lines = TransportLines()
      (lines.candidates, lines.hasAllCandidates) = (candidates, hasAllCandidates)
      description.media[place].attributes += lines.attributes
    }
    return description.text
  }

  /// A candidate of this end: later texts have it.
  public mutating func add(_ candidate: Candidate) {
    guard candidates.count < JSEPSession.mostCandidates else { return }
    candidates.append(candidate)
  }

  /// None of this end follows.
  public mutating func endCandidates() { hasAllCandidates = true }

  static let mostCandidates = 64

  /// The section by whose name or place candidates of the other end come (RFC 8838, section 8). nil: there is no such section.
  public func hasSection(mid: String?, place: Int?) -> Bool {
    let isNamed = mid.map { mid in sections.contains { $0.mid == mid } }
    return isNamed ?? place.map { sections.indices.contains($0) } ?? true
  }

  /// Nothing is negotiated any more.
  public mutating func close() { (state, offered, remote, saved) = (.closed, [], nil, nil) }

  // MARK: Rollback

  private mutating func save() {
    let states = transceivers.map { ($0.id, (mid: $0.mid, isChanged: $0.isChanged)) }
    saved = Saved(
      sections: sections, registry: registry, credentials: credentials, wantsRestart: wantsRestart, nextName: nextName,
      local: local,
      transceivers: Dictionary(states) { first, _ in first })
  }

  private mutating func rollBack() throws(MediaError) {
    guard state == .haveLocalOffer || state == .haveRemoteOffer else {
      throw wrongState("a rollback", "have-local-offer or have-remote-offer")
    }
    restore()
    transceivers.removeAll { $0.isStopped && $0.mid == nil }
    state = .stable
  }

  /// As RFC 9429, section 4.1.10.2, has it: what was agreed on before counts, transceivers that were added since stay, without a section.
  private mutating func restore() {
    guard let saved else { return }
    if credentials != saved.credentials { (candidates, hasAllCandidates) = ([], false) }
    let proposed = registry.proposed
    (sections, registry, credentials, local, nextName) = (saved.sections, saved.registry, saved.credentials, saved.local, saved.nextName)
    registry.proposed = proposed
    wantsRestart = wantsRestart || saved.wantsRestart
    transceivers = transceivers.compactMap { transceiver in
      var transceiver = transceiver
      guard let before = saved.transceivers[transceiver.id] else {
        if transceiver.isOfOffer { return nil }
        (transceiver.mid, transceiver.isChanged) = (nil, true)
        return transceiver
      }
      (transceiver.mid, transceiver.isChanged) = (before.mid, before.isChanged || transceiver.isChanged)
      return transceiver
    }
    (self.saved, offered, remote) = (nil, [], nil)
  }

  /// A negotiation is complete.
  private mutating func settle() {
    for place in transceivers.indices { transceivers[place].isOfOffer = false }
    (state, saved, offered, remote) = (.stable, nil, [], nil)
    negotiated = NegotiatedSession(self)
  }

  // MARK: Of sections

  func section(of id: Transceiver.ID) -> Int? {
    sections.firstIndex { if case .media(id) = $0.content { !$0.isRejected } else { false } }
  }

  func place(of id: Transceiver.ID) -> Int? { transceivers.firstIndex { $0.id == id } }

  /// For a section that this end names.
  mutating func freshName(besides others: Set<String> = []) -> String {
    let taken = Set(sections.map(\.mid)).union(others)
    while taken.contains("\(nextName)") { nextName += 1 }
    defer { nextName += 1 }
    return "\(nextName)"
  }
}

extension JSEPSection {
  var isData: Bool { if case .data = content { true } else { false } }
}

extension MediaError {
  static let closedSession = MediaError(.closed, "WebRTC: the connection is closed")
}
