import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

/// Answers of the other end (RFC 9429, section 5.11).
extension JSEPSession {
  mutating func take(answer: DescribedSession) throws(MediaError) {
    guard answer.sections.count == offered.count else {
      throw .description("the answer has \(answer.sections.count) m= lines; accepted: \(offered.count), as offered")
    }
    for (place, theirs) in answer.sections.enumerated() {
      guard theirs.lines.kind == sections[place].kind else {
        throw .description("the answer has m=\(theirs.lines.kind.prefix(20)) where m=\(sections[place].kind.prefix(20)) was offered")
      }
      guard theirs.mid == nil || theirs.mid == sections[place].mid || theirs.isRejected else {
        throw .description("the answer has a=mid:\(theirs.mid?.prefix(40) ?? "") where \(sections[place].mid.prefix(40)) was offered")
      }
      if theirs.isRejected || offered[place].isRejected {
        guard theirs.isRejected else { throw .description("the answer accepts \(theirs.name), which was offered with port 0") }
        reject(place)
        continue
      }
      guard theirs.isBundled else {
        throw .description(
          "the answer has \(theirs.name) outside of a=group:BUNDLE; accepted: all sections that it does not refuse in one group")
      }
      try take(theirs, place)
    }
    guard let transport = answer.transport(where: { _ in true }) else {
      // Everything is refused, and nothing was learnt of a restart.
      if let saved { (credentials, wantsRestart) = (saved.credentials, saved.wantsRestart) }
      return
    }
    try check(transport, isLite: answer.isLite)
    try checkCredentials(transport)
    adopt(transport, isLite: answer.isLite, isClient: isClient ?? (transport.setup == .passive))
  }

  /// Another generation of ICE is the offer's to begin (RFC 8839, section 4.4.3).
  private func checkCredentials(_ transport: TransportLines) throws(MediaError) {
    guard let remoteCredentials, remoteCredentials.user != transport.user,
      saved?.credentials == credentials
    else { return }
    throw .description("the answer has another a=ice-ufrag than before, and the offer did not restart ICE; accepted: the same")
  }

  private mutating func take(_ theirs: DescribedSession.Section, _ place: Int) throws(MediaError) {
    guard case .media(let id) = sections[place].content else {
      guard let data = theirs.data else { throw .description("the answer has \(theirs.name) over another transport than was offered") }
      return sections[place].data = data
    }
    guard let ours = offered[place].rtp, let rtp = theirs.rtp, let index = self.place(of: id) else {
      throw .description("the answer has \(theirs.name) over another transport than was offered")
    }
    guard ours.direction.receives || !rtp.direction.sends, ours.direction.sends || !rtp.direction.receives else {
      throw .description("the answer has a=\(rtp.direction.rawValue) for \(theirs.name), offered as \(ours.direction.rawValue)")
    }
    guard case .agreed(_, _, let direction) = try OfferAnswer.outcome(of: ours, answeredBy: rtp) else { return }
    var agreement = MediaAgreement(agreed: rtp.limited(to: ours), theirs: rtp, direction: direction)
    let offeredNames = offered[place].layers.sent.compactMap { $0.first?.id }
    if agreement.agreed.extensions.rid != 0 {
      agreement.sentLayers = theirs.layers.received.compactMap { stream in stream.first { offeredNames.contains($0.id) } }
    }
    transceivers[index].currentDirection = direction
    sections[place].agreement = agreement
    (sections[place].transport, sections[place].formats) = (theirs.lines.transport, theirs.lines.formats)
    for payload in agreement.agreed.payloads { registry.note(payload) }
    registry.note(agreement.agreed.extensions.names)
    registry.agree(agreement.agreed.extensions)
  }
}

extension ExtensionMap {
  /// What each id means, of those that are not 0.
  var names: [UInt8: String] {
    let pairs = ExtensionMap.known.compactMap { uri, field in self[keyPath: field] == 0 ? nil : (self[keyPath: field], uri) }
    return Dictionary(pairs) { first, _ in first }
  }
}
