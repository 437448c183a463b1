import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

/// Offers of this end (RFC 9429, section 5.2).
extension JSEPSession {
  /// Discard: the addresses are those of candidates (RFC 8840, section 4.1.1).
  static let port: UInt16 = 9

  mutating func makeOffer(using random: inout some RandomNumberGenerator) throws(MediaError) {
    if wantsRestart {
      credentials = ICECredentials(using: &random)
      (wantsRestart, candidates, hasAllCandidates) = (false, [], false)
    }
    try placeTransceivers()
    var draft = registry
    var description = makeDescription()
    offered = []
    var names: [String] = []
    for place in sections.indices {
      let isFirst = names.isEmpty
      let (lines, offer) = offerSection(place, isFirst: isFirst, &draft, using: &random)
      description.media.append(lines)
      offered.append(offer)
      if !offer.isRejected { names.append(sections[place].mid) }
    }
    guard !sections.isEmpty else {
      throw MediaError(.state, "WebRTC: there is nothing to offer; accepted after addTransceiver or requestData")
    }
    if !names.isEmpty { description.bundle(names) }
    local = description
    registry.proposed = draft.proposed
  }

  /// o=, s=, c= and what is of all media.
  mutating func makeDescription() -> SessionDescription {
    version &+= 1
    var description = SessionDescription(id: settings.id, version: version, address: "127.0.0.1")
    description.connection = .init("0.0.0.0")
    if settings.isLite { description.attributes.append(.init("ice-lite")) }
    return description
  }

  /// A section for each transceiver that has none: a place that is free, else a new one.
  private mutating func placeTransceivers() throws(MediaError) {
    func free() -> Int? { sections.firstIndex { $0.isRejected } }
    for index in transceivers.indices where transceivers[index].mid == nil && !transceivers[index].isStopped {
      let kind = transceivers[index].kind.rawValue
      let section = JSEPSection(
        mid: freshName(), kind: kind, transport: "UDP/TLS/RTP/SAVPF", formats: ["0"], content: .media(transceivers[index].id))
      transceivers[index].mid = section.mid
      try put(section, at: free())
    }
    if wantsData, !sections.contains(where: { $0.isData && !$0.isRejected }) {
      let section = JSEPSection(
        mid: freshName(), kind: "application", transport: DataMedia.transport, formats: ["webrtc-datachannel"], content: .data)
      try put(section, at: free())
    }
  }

  private mutating func put(_ section: JSEPSection, at place: Int?) throws(MediaError) {
    if let place { sections[place] = section } else { sections.append(section) }
    guard sections.count <= JSEPSession.mostSections else {
      throw MediaError(.limit, "WebRTC: more than \(JSEPSession.mostSections) media in an offer")
    }
  }

  private mutating func offerSection(
    _ place: Int, isFirst: Bool, _ draft: inout NumberRegistry, using random: inout some RandomNumberGenerator
  ) -> (SessionDescription.Media, Offered) {
    let section = sections[place]
    let isBundleOnly = settings.offersBundleOnly && !isFirst && section.isNew
    switch section.content {
    case .media(let id):
      guard !section.isRejected, let index = self.place(of: id) else { break }
      let isStopped = transceivers[index].isStopped
      transceivers[index].isChanged = false
      guard !isStopped else { break }
      if transceivers[index].direction.sends { drawSources(index, using: &random) }
      let transceiver = transceivers[index]
      var rtp = described(transceiver)
      rtp.mid = section.mid
      rtp.payloads = draft.types(for: settings.codecs(transceiver.kind, transceiver.codecs), transceiver.kind)
      rtp.extensions = draft.ids(for: settings.extensions(transceiver.kind))
      (rtp.port, rtp.isBundleOnly) = (isBundleOnly ? 0 : JSEPSession.port, isBundleOnly)
      rtp.isOnlyMultiplexed = !isBundleOnly
      var layers = LayerLines()
      if transceiver.direction.sends, transceiver.layers.count > 1 {
        layers.layers = transceiver.layers
        layers.sent = transceiver.layers.map { [.init($0.id)] }
      } else {
        add(transceiver, to: &rtp)
      }
      var lines = rtp.media
      if section.agreement != nil { lines.transport = section.transport }
      lines.attributes += layers.attributes
      if !isBundleOnly { lines.attributes += transportLines(.either).attributes }
      return (lines, Offered(rtp: rtp, layers: layers))
    case .data:
      guard !section.isRejected, var data = settings.data else { break }
      (data.port, data.mid) = (isBundleOnly ? 0 : JSEPSession.port, section.mid)
      var lines = data.media
      if isBundleOnly {
        lines.attributes.append(.init("bundle-only"))
      } else {
        lines.attributes += transportLines(.either).attributes
      }
      return (lines, Offered())
    case .other: break
    }
    return (section.refused, Offered(isRejected: true))
  }

  // MARK: Of one transceiver

  /// Without payloads, extensions and sources.
  func described(_ transceiver: Transceiver) -> RTPMedia {
    var rtp = RTPMedia(transceiver.kind.rawValue, port: JSEPSession.port)
    (rtp.isProtected, rtp.isKeyedByTLS, rtp.hasFeedback) = (true, true, true)
    (rtp.isMultiplexed, rtp.hasReducedSize, rtp.hasMixedExtensions) = (true, true, true)
    (rtp.direction, rtp.bandwidth) = (transceiver.direction, transceiver.bandwidth)
    if transceiver.direction.sends { rtp.tracks = transceiver.tracks.isEmpty ? [.init("-")] : transceiver.tracks }
    return rtp
  }

  /// What is sent in one stream, where the direction says that it is.
  func add(_ transceiver: Transceiver, to rtp: inout RTPMedia) {
    guard rtp.direction.sends, let source = transceiver.sources.first else { return }
    let isResent = rtp.payloads.contains(where: \.isRetransmission)
    rtp.add(source.ssrc, retransmission: isResent ? source.retransmission : nil, cname: settings.cname)
  }

  /// Numbers of what it sends, once for as long as it is.
  mutating func drawSources(_ index: Int, using random: inout some RandomNumberGenerator) {
    var taken = Set(transceivers.flatMap { $0.sources.flatMap { [$0.ssrc, $0.retransmission] } })
    for section in sections { taken.formUnion(section.agreement?.theirs.sources.map(\.ssrc) ?? []) }
    func draw() -> SSRC {
      while true {
        let ssrc = SSRC(UInt32.random(in: 1...(.max), using: &random))
        if taken.insert(ssrc).inserted { return ssrc }
      }
    }
    while transceivers[index].sources.count < max(1, transceivers[index].layers.count) {
      transceivers[index].sources.append(Transceiver.Source(ssrc: draw(), retransmission: draw()))
    }
  }

  /// Without candidates: the description gets those that are known when it is asked for.
  func transportLines(_ setup: TransportLines.Setup) -> TransportLines {
    var lines = TransportLines()
    (lines.user, lines.password) = (credentials.user, credentials.password)
    lines.options = settings.trickles ? ["trickle"] : []
    (lines.fingerprints, lines.setup) = ([settings.fingerprint], setup)
    return lines
  }
}
