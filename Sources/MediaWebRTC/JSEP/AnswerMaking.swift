import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

/// Answers of this end (RFC 9429, section 5.3).
extension JSEPSession {
  mutating func makeAnswer(to offer: DescribedSession, using random: inout some RandomNumberGenerator) throws(MediaError) {
    var description = makeDescription()
    var names: [String] = []
    for (place, theirs) in offer.sections.enumerated() {
      let lines = answerSection(place, theirs, using: &random)
      description.media.append(lines ?? sections[place].refused)
      if lines == nil { reject(place) } else if offer.hasBundle { names.append(sections[place].mid) }
    }
    if let transport = offer.transport(where: { description.media[$0].port != 0 }) {
      try check(transport, isLite: offer.isLite)
      restart(ifOffered: transport, using: &random)
      adopt(transport, isLite: offer.isLite, isClient: isClient ?? (transport.setup != .active))
      let lines = transportLines(isClient == true ? .active : .passive).attributes
      for place in description.media.indices where description.media[place].port != 0 { description.media[place].attributes += lines }
    }
    if !names.isEmpty { description.bundle(names) }
    local = description
  }

  /// Another generation of ICE is answered with one (RFC 8445, section 9).
  private mutating func restart(ifOffered transport: TransportLines, using random: inout some RandomNumberGenerator) {
    guard let remoteCredentials, remoteCredentials.user != transport.user else { return }
    credentials = ICECredentials(using: &random)
    (wantsRestart, candidates, hasAllCandidates) = (false, [], false)
  }

  /// What a complete negotiation says of the transport.
  mutating func adopt(_ transport: TransportLines, isLite: Bool, isClient: Bool) {
    guard let user = transport.user, let password = transport.password else { return }
    (self.isClient, fingerprints) = (isClient, transport.fingerprints)
    remoteCredentials = ICECredentials(user: user, password: password)
    remoteTransport = RemoteTransport(transport, isLite: isLite)
  }

  /// A section is not used: its place is free, and its transceiver is over.
  mutating func reject(_ place: Int) {
    if case .media(let id) = sections[place].content, let index = self.place(of: id) { transceivers.remove(at: index) }
    if sections[place].isData { wantsData = false }
    (sections[place].isRejected, sections[place].agreement, sections[place].data) = (true, nil, nil)
    sections[place].content = .other
  }

  /// nil: it is refused.
  private mutating func answerSection(
    _ place: Int, _ theirs: DescribedSession.Section, using random: inout some RandomNumberGenerator
  ) -> SessionDescription.Media? {
    guard theirs.isBundled, !theirs.isRejected else { return nil }
    switch sections[place].content {
    case .data:
      guard let data = theirs.data, var mine = settings.data else { return nil }
      (mine.port, mine.mid) = (JSEPSession.port, theirs.mid)
      sections[place].data = data
      return mine.media
    case .media(let id):
      guard let rtp = theirs.rtp, let index = self.place(of: id), !transceivers[index].isStopped else { return nil }
      guard let (agreement, layers) = agree(index, rtp, theirs.layers, using: &random) else { return nil }
      registry.agree(agreement.agreed.extensions)
      transceivers[index].isChanged = false
      transceivers[index].currentDirection = agreement.direction
      (sections[place].agreement, sections[place].transport) = (agreement, theirs.lines.transport)
      var lines = agreement.agreed.media
      // Each of the profiles means the same; the answer has the offer's (RFC 9429, section 5.3.1).
      (lines.transport, sections[place].formats) = (theirs.lines.transport, lines.formats)
      lines.attributes += layers.attributes
      return lines
    case .other: return nil
    }
  }

  /// nil: nothing of it can be done here.
  private mutating func agree(
    _ index: Int, _ offer: RTPMedia, _ offered: LayerLines, using random: inout some RandomNumberGenerator
  ) -> (MediaAgreement, LayerLines)? {
    let transceiver = transceivers[index]
    var mine = described(transceiver)
    mine.payloads = settings.codecs(transceiver.kind, transceiver.codecs)
    mine.payloads.append(transceiver.kind == .video ? .retransmission(0, of: 0) : .redundancy(0, of: .opus(0)))
    mine.extensions = settings.extensions(transceiver.kind)
    var offer = offer
    if transceiver.codecs != nil { offer.payloads.sort(like: mine.payloads) }
    var answer = OfferAnswer.answer(to: offer, with: mine)
    guard answer.port != 0 else { return nil }
    var agreement = MediaAgreement(agreed: answer, theirs: offer, direction: answer.direction)
    var layers = LayerLines()
    if answer.direction.sends {
      drawSources(index, using: &random)
      // In the order of both ends, under the names of the offer.
      let names = answer.extensions.rid == 0 || transceiver.layers.count < 2 ? [] : offered.received.compactMap(\.first)
      agreement.sentLayers = Array(names.prefix(transceiver.layers.count))
      if agreement.sentLayers.isEmpty {
        add(transceivers[index], to: &answer)
      } else {
        layers.layers = agreement.sentLayers.map { .init($0.id, isSent: true) }
        layers.sent = agreement.sentLayers.map { [$0] }
      }
    }
    if answer.direction.receives, settings.acceptsLayers, answer.extensions.rid != 0 {
      let names = offered.sent.compactMap { $0.first?.id }.filter { name in !layers.layers.contains { $0.id == name } }
      agreement.receivedLayers = Array(names.prefix(JSEPSession.mostLayers))
      layers.layers += agreement.receivedLayers.map { .init($0, isSent: false) }
      layers.received = agreement.receivedLayers.map { [.init($0)] }
    }
    agreement.agreed = answer
    return (agreement, layers)
  }
}

extension [RTPMedia.Payload] {
  /// Into the order of others; what is of none of them goes last.
  fileprivate mutating func sort(like others: [RTPMedia.Payload]) {
    func rank(_ payload: RTPMedia.Payload) -> Int { others.firstIndex { $0.associated == nil && $0.allows(payload) } ?? others.count }
    self = enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
  }
}
