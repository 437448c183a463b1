import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

/// Offers of the other end (RFC 9429, section 5.10).
extension JSEPSession {
  mutating func take(_ offer: DescribedSession) throws(MediaError) {
    guard offer.sections.count >= sections.count else {
      throw .description(
        "the offer has \(offer.sections.count) m= lines, and the description before had \(sections.count); accepted: at least as many, as sections are not removed"
      )
    }
    if let transport = offer.transport(where: { $0 >= sections.count || !sections[$0].isRejected }) {
      try check(transport, isLite: offer.isLite)
    }
    let names = Set(offer.sections.compactMap(\.mid))
    for (place, theirs) in offer.sections.enumerated() {
      if place < sections.count, !sections[place].isRejected {
        try check(theirs, isStill: sections[place], place)
      } else {
        let section = makeSection(for: theirs, besides: names)
        if place < sections.count { sections[place] = section } else { sections.append(section) }
      }
      if theirs.isBundled { try note(theirs) }
    }
  }

  /// What of the transport stays from one description to the next, and which end may begin the handshake.
  func check(_ transport: TransportLines, isLite: Bool) throws(MediaError) {
    guard fingerprints.isEmpty || fingerprints == transport.fingerprints else {
      throw MediaError(
        .unsupported,
        "SDP: another a=fingerprint than before in the session; accepted: the same, or a new connection for another certificate")
    }
    guard !(isLite && settings.isLite) else {
      throw MediaError(.unsupported, "SDP: a=ice-lite, and this end is lite too; accepted: one of both")
    }
    guard let isClient, transport.setup == (isClient ? .active : .passive) else { return }
    throw MediaError(
      .unsupported,
      "SDP: a=setup:\(transport.setup?.rawValue ?? "") swaps the roles of DTLS in the session; accepted: actpass or the role before")
  }

  private func check(_ theirs: DescribedSession.Section, isStill section: JSEPSection, _ place: Int) throws(MediaError) {
    guard theirs.lines.kind == section.kind else {
      throw .description(
        "m= line \(place + 1) is of \(theirs.lines.kind.prefix(20)) and was of \(section.kind.prefix(20)); accepted: the same kind")
    }
    guard theirs.mid == nil || theirs.mid == section.mid || theirs.isRejected else {
      throw .description(
        "m= line \(place + 1) has a=mid:\(theirs.mid?.prefix(40) ?? "") and had \(section.mid.prefix(40)); accepted: the same name")
    }
  }

  private mutating func makeSection(for theirs: DescribedSession.Section, besides names: Set<String>) -> JSEPSection {
    let mid = theirs.mid ?? freshName(besides: names)
    var content = JSEPSection.Content.other
    if theirs.isBundled, let rtp = theirs.rtp, let kind = Transceiver.Kind(rawValue: rtp.kind) {
      content = .media(transceiver(for: rtp, kind, mid))
    } else if theirs.isBundled, theirs.data != nil, settings.data != nil, !sections.contains(where: { $0.isData && !$0.isRejected }) {
      content = .data
    }
    var section = JSEPSection(
      mid: mid, kind: theirs.lines.kind, transport: theirs.lines.transport, formats: theirs.lines.formats, content: content)
    section.isNameless = theirs.mid == nil
    return section
  }

  /// One that waits for an offer, where the other end receives (RFC 9429, section 5.10); else a new one that only receives.
  private mutating func transceiver(for rtp: RTPMedia, _ kind: Transceiver.Kind, _ mid: String) -> Transceiver.ID {
    let waiting = transceivers.firstIndex {
      $0.mid == nil && !$0.isStopped && $0.kind == kind && $0.answersOffers && $0.direction.sends
    }
    if rtp.direction.receives, let waiting {
      transceivers[waiting].mid = mid
      return transceivers[waiting].id
    }
    var made = makeTransceiver(kind, .receiveOnly)
    (made.mid, made.isOfOffer, made.isChanged, made.answersOffers) = (mid, true, false, true)
    transceivers.append(made)
    return made.id
  }

  /// Numbers that mean something from now on.
  private mutating func note(_ theirs: DescribedSession.Section) throws(MediaError) {
    if let id = registry.conflict(theirs.extensionNames) {
      throw .description("a=extmap:\(id) means another header extension than before in the session; accepted: each id for one alone")
    }
    registry.note(theirs.extensionNames)
    for payload in theirs.rtp?.payloads ?? [] { registry.note(payload) }
  }
}
