import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP

/// Offer and answer (RFC 3264).
extension RTPDescription {
  /// What this end would do, for the other end to answer.
  public static func offer(of local: Local) throws(MediaError) -> String {
    try local.check()
    var session = local.session
    for place in local.media.indices {
      let isFirst = place == 0 || !local.isShared
      let leg = local.isShared ? 0 : place
      var described = local.described(place, over: leg)
      if local.isShared { described.mid = "\(place)" } else { described.extensions.mid = 0 }
      let hasReducedSize = local.hasFeedback && isFirst
      if !isFirst { described.leaveToTagged(port: 0) }
      var lines = local.lines(described, of: local.media[place], hasReducedSize: hasReducedSize)
      if !isFirst { lines.attributes.append(.init("bundle-only")) }
      if isFirst, local.legs[leg].control == nil { lines.attributes.append(.init("rtcp-mux-only")) }
      session.media.append(lines)
    }
    if local.isShared { session.attributes.append(.init("group", "BUNDLE " + local.media.indices.map { "\($0)" }.joined(separator: " "))) }
    return session.text
  }

  /// Takes of an offer what this end can do too. Where nothing is left the configuration has no legs; the text is to be sent nevertheless.
  public static func answer(to offer: String, _ local: Local) throws(MediaError) -> (text: String, configuration: RTPConfiguration) {
    try local.check()
    let offered = try SessionDescription(parsing: offer)
    var media: [DescribedMedium?] = []
    for lines in offered.media { media.append(try DescribedMedium(lines, in: offered)) }
    let matches = RTPDescription.match(media, local)
    let tagged = offered.taggedPlaces { matches[$0] != nil }
    let isBundled = Set(offered.bundles.joined())
    var answer = local.session
    var agreements: [RTPAgreement] = []
    /// By the offered medium that has the address.
    var legs: [Int: Int] = [:]
    for place in media.indices {
      guard let own = matches[place], var theirs = media[place] else {
        answer.media.append(refused(offered.media[place]))
        continue
      }
      if tagged[place] != place, let first = media[tagged[place]] { theirs.join(first) }
      try theirs.applyHold()
      let isFirst = legs[tagged[place]] == nil
      // One leg is one address of the other end's.
      let free = local.legs.count == 1 ? (agreements.isEmpty ? 0 : nil) : own
      guard let leg = legs[tagged[place]] ?? free else {
        answer.media.append(refused(offered.media[place]))
        continue
      }
      let mine = local.described(own, over: leg)
      var agreed = OfferAnswer.answer(to: theirs.rtp, with: mine)
      guard agreed.port != 0 else {
        answer.media.append(refused(offered.media[place]))
        continue
      }
      legs[tagged[place]] = leg
      if !agreed.payloads.contains(where: { $0.associated != nil }) {
        agreed.sources = Array(agreed.sources.prefix(1))
        agreed.retransmissions = [:]
      }
      let key = agreed.keys.first
      agreements.append(
        RTPAgreement(
          leg: leg, own: local.media[own], theirs: theirs, agreed: agreed, direction: agreed.direction, ownKey: key,
          theirKey: theirs.rtp.keys.first { $0.tag == key?.tag && $0.suite == key?.suite },
          hasReducedSize: theirs.hasReducedSize && local.hasFeedback))
      if !isFirst { agreed.leaveToTagged(port: agreed.port) }
      answer.media.append(local.lines(agreed, of: local.media[own], hasReducedSize: theirs.hasReducedSize && local.hasFeedback && isFirst))
    }
    let names = zip(answer.media, offered.media).compactMap { mine, theirs in mine.port == 0 ? nil : theirs.value("mid") }.filter {
      isBundled.contains($0)
    }
    if !names.isEmpty { answer.attributes.append(.init("group", "BUNDLE " + names.joined(separator: " "))) }
    return (answer.text, try RTPAgreement.configuration(local, agreements))
  }

  /// What comes of the answer to `offer(of:)` of the same end. Where all was refused there are no legs.
  public static func accept(_ answer: String, to local: Local) throws(MediaError) -> RTPConfiguration {
    try local.check()
    let answered = try SessionDescription(parsing: answer)
    guard answered.media.count == local.media.count else {
      throw .description("the answer has \(answered.media.count) media; accepted: \(local.media.count), as offered")
    }
    let tagged = local.isShared ? answered.taggedPlaces() : Array(answered.media.indices)
    var agreements: [RTPAgreement] = []
    for (place, lines) in answered.media.enumerated() {
      let kind = local.media[place].kind
      guard lines.kind == kind.rawValue else {
        throw .description("the answer has m=\(lines.kind.prefix(20)) where m=\(kind.rawValue) was offered")
      }
      if lines.port == 0 && tagged[place] == place { continue }
      guard var theirs = try DescribedMedium(lines, in: answered) else {
        throw .description("the answer has m=\(kind.rawValue) over \(lines.transport.prefix(40)), which was not offered")
      }
      if tagged[place] != place {
        guard let first = try DescribedMedium(answered.media[tagged[place]], in: answered) else { continue }
        theirs.join(first)
      }
      try theirs.applyHold()
      let leg = local.isShared ? 0 : place
      let ours = local.described(place, over: leg)
      guard case .agreed(_, let key, let direction) = try OfferAnswer.outcome(of: ours, answeredBy: theirs.rtp) else { continue }
      theirs.rtp.isMultiplexed = theirs.rtp.isMultiplexed && ours.isMultiplexed
      let agreed = theirs.rtp.limited(to: ours)
      guard agreed.payloads.contains(where: { $0.isOf(known(kind, 0)) }) else {
        throw .description("the answer has none of the offer's payload types")
      }
      agreements.append(
        RTPAgreement(
          leg: leg, own: local.media[place], theirs: theirs, agreed: agreed, direction: direction,
          ownKey: ours.keys.first { $0.tag == key?.tag }, theirKey: key, hasReducedSize: theirs.hasReducedSize && local.hasFeedback))
    }
    return try RTPAgreement.configuration(local, agreements)
  }

  /// Of each medium that is offered, the one of this end's for it.
  private static func match(_ offered: [DescribedMedium?], _ local: Local) -> [Int?] {
    var free = Set(local.media.indices)
    return offered.map { offered in
      guard let offered, offered.rtp.port != 0 || offered.isBundleOnly else { return nil }
      guard offered.rtp.payloads.contains(where: { $0.isOf(known(offered.kind, 0)) }) else { return nil }
      return local.media.indices.first { local.media[$0].kind == offered.kind && free.contains($0) }.map { free.remove($0) ?? $0 }
    }
  }

  private static func refused(_ offered: SessionDescription.Media) -> SessionDescription.Media {
    var lines = SessionDescription.Media(offered.kind, port: 0, transport: offered.transport, formats: offered.formats)
    if let mid = offered.value("mid") { lines.attributes.append(.init("mid", mid)) }
    lines.attributes.append(.init("inactive"))
    return lines
  }
}

extension RTPMedia {
  /// What belongs to the address stands with the first medium that has it (RFC 9143, section 7.1.3).
  fileprivate mutating func leaveToTagged(port: UInt16) {
    (self.port, keys, isMultiplexed, controlPort) = (port, [], false, nil)
  }

  /// An answer without what was not offered.
  fileprivate func limited(to offer: RTPMedia) -> RTPMedia {
    var limited = self
    limited.payloads = payloads.compactMap { payload in
      guard let own = offer.payloads.first(where: { $0.type == payload.type && $0.isOf(payload) && $0.associated == payload.associated })
      else { return nil }
      var payload = payload
      payload.feedback = payload.feedback.filter { own.feedback.contains($0) }
      return payload
    }
    // An answer has no numbers of its own (RFC 8285, section 5).
    limited.extensions = ExtensionMap()
    if extensions.mid == offer.extensions.mid { limited.extensions.mid = extensions.mid }
    if extensions.audioLevel == offer.extensions.audioLevel { limited.extensions.audioLevel = extensions.audioLevel }
    if extensions.transportSequence == offer.extensions.transportSequence {
      limited.extensions.transportSequence = extensions.transportSequence
    }
    if extensions.orientation == offer.extensions.orientation { limited.extensions.orientation = extensions.orientation }
    if extensions.colorSpace == offer.extensions.colorSpace { limited.extensions.colorSpace = extensions.colorSpace }
    if extensions.captureTime == offer.extensions.captureTime { limited.extensions.captureTime = extensions.captureTime }
    return limited
  }
}
