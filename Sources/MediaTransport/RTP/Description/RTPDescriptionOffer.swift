import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP

/// Offer and answer (RFC 3264).
extension RTPDescription {
  /// What this end would do, for the other end to answer.
  static func offer(of local: Local) throws(MediaError) -> String {
    try local.check()
    var session = local.session
    for place in local.media.indices {
      let isFirst = place == 0 || !local.isShared
      let leg = local.isShared ? 0 : place
      var described = local.described(place, over: leg)
      if local.isShared { described.mid = "\(place)" } else { described.extensions.mid = 0 }
      if !isFirst { described.leaveToTagged(port: 0) }
      (described.isBundleOnly, described.isOnlyMultiplexed) = (!isFirst, isFirst && local.legs[leg].control == nil)
      session.media.append(described.media)
    }
    if local.isShared { session.bundle(local.media.indices.map { "\($0)" }) }
    return session.text
  }

  /// Takes of an offer what this end can do too. Where nothing is left the configuration has no legs; the text is to be sent nevertheless.
  static func answer(to offer: String, _ local: Local) throws(MediaError) -> (text: String, configuration: RTPConfiguration) {
    try local.check()
    let offered = try SessionDescription(parsing: offer)
    var media: [DescribedMedium?] = []
    for lines in offered.media { media.append(try DescribedMedium(lines, in: offered)) }
    let matches = RTPDescription.match(media, local)
    let tagged = offered.taggedPlaces { matches[$0] != nil }
    let isBundled = Set(offered.bundles.joined())
    var answer = local.session
    answer.media = offered.media.map(\.refused)
    var agreements: [RTPAgreement] = []
    /// By the offered medium that has the address.
    var legs: [Int: Int] = [:]
    for place in media.indices {
      guard let own = matches[place], var theirs = media[place] else { continue }
      if tagged[place] != place, let first = media[tagged[place]] { theirs.rtp.join(first.rtp) }
      try theirs.applyHold()
      let isFirst = legs[tagged[place]] == nil
      // One leg is one address of the other end's.
      let free = local.legs.count == 1 ? (agreements.isEmpty ? 0 : nil) : own
      guard let leg = legs[tagged[place]] ?? free else { continue }
      var agreed = OfferAnswer.answer(to: theirs.rtp, with: local.described(own, over: leg))
      guard agreed.port != 0 else { continue }
      legs[tagged[place]] = leg
      if !agreed.payloads.contains(where: { $0.associated != nil }) {
        agreed.sources = Array(agreed.sources.prefix(1))
        agreed.retransmissions = [:]
      }
      let key = agreed.keys.first
      agreements.append(
        RTPAgreement(
          leg: leg, own: local.media[own], theirs: theirs, agreed: agreed, direction: agreed.direction, ownKey: key,
          theirKey: theirs.rtp.keys.first { $0.tag == key?.tag && $0.suite == key?.suite }))
      if !isFirst { agreed.leaveToTagged(port: agreed.port) }
      answer.media[place] = agreed.media
    }
    let names = zip(answer.media, offered.media).compactMap { mine, theirs in mine.port == 0 ? nil : theirs.value("mid") }.filter {
      isBundled.contains($0)
    }
    if !names.isEmpty { answer.bundle(names) }
    return (answer.text, try RTPAgreement.configuration(local, agreements))
  }

  /// What comes of the answer to `offer(of:)` of the same end. Where all was refused there are no legs.
  static func accept(_ answer: String, to local: Local) throws(MediaError) -> RTPConfiguration {
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
        theirs.rtp.join(first.rtp)
      }
      try theirs.applyHold()
      let leg = local.isShared ? 0 : place
      let ours = local.described(place, over: leg)
      guard case .agreed(_, let key, let direction) = try OfferAnswer.outcome(of: ours, answeredBy: theirs.rtp) else { continue }
      let agreed = theirs.rtp.limited(to: ours)
      guard agreed.payloads.contains(where: { $0.isOf(known(kind, 0)) }) else {
        throw .description("the answer has none of the offer's payload types")
      }
      agreements.append(
        RTPAgreement(
          leg: leg, own: local.media[place], theirs: theirs, agreed: agreed, direction: direction,
          ownKey: ours.keys.first { $0.tag == key?.tag }, theirKey: key))
    }
    return try RTPAgreement.configuration(local, agreements)
  }

  /// Of each medium that is offered, the one of this end's for it.
  private static func match(_ offered: [DescribedMedium?], _ local: Local) -> [Int?] {
    var free = Set(local.media.indices)
    return offered.map { offered in
      guard let offered, offered.rtp.port != 0 || offered.rtp.isBundleOnly else { return nil }
      guard offered.rtp.payloads.contains(where: { $0.isOf(known(offered.kind, 0)) }) else { return nil }
      return local.media.indices.first { local.media[$0].kind == offered.kind && free.contains($0) }.map { free.remove($0) ?? $0 }
    }
  }
}
