import MediaCore
import MediaRTP

/// What two descriptions agree on (RFC 3264, sections 5 to 7; RFC 4568, section 5.1 for the keys).
public enum OfferAnswer {
  /// The answer's medium: what of the offer this side can do too. `mine` holds its port and connection, the payloads that it knows (their types
  /// are the offer's in the answer), a key for each suite, its sources. Port 0 where nothing is left: the medium is refused.
  public static func answer(to offer: RTPMedia, with mine: RTPMedia) -> RTPMedia {
    var answer = RTPMedia(offer.kind, port: mine.port)
    answer.connection = mine.connection
    (answer.mid, answer.isProtected) = (offer.mid, offer.isProtected)
    answer.hasFeedback = offer.hasFeedback
    answer.isMultiplexed = offer.isMultiplexed && mine.isMultiplexed
    if !answer.isMultiplexed { answer.controlPort = mine.controlPort }
    answer.direction = .init(
      sends: mine.direction.sends && offer.direction.receives, receives: mine.direction.receives && offer.direction.sends)
    answer.payloads = payloads(offer.payloads, mine.payloads)
    answer.extensions = common(offer.extensions, mine.extensions)
    (answer.bandwidth, answer.packetTime) = (mine.bandwidth, mine.packetTime)
    if answer.direction.sends { (answer.sources, answer.retransmissions) = (mine.sources, mine.retransmissions) }
    var isRefused = offer.port == 0 || !answer.payloads.contains { $0.associated == nil }
    if offer.isProtected {
      // The first of the offer's that is known here, with its tag and a key of one's own.
      let chosen = offer.keys.lazy.compactMap { theirs in
        mine.keys.first { $0.suite == theirs.suite }.map { CryptoAttribute(tag: theirs.tag, suite: theirs.suite, key: $0.key) }
      }.first
      if let chosen { answer.keys = [chosen] } else { isRefused = true }
    } else if !mine.keys.isEmpty && mine.isProtected {
      // What is to be protected is not sent in the clear because somebody asked for it.
      isRefused = true
    }
    if isRefused { answer.refuse(as: offer) }
    return answer
  }

  /// Of the offer's payloads those that are known, in its order, with the feedback that both name.
  private static func payloads(_ offered: [RTPMedia.Payload], _ mine: [RTPMedia.Payload]) -> [RTPMedia.Payload] {
    let known = offered.compactMap { theirs -> RTPMedia.Payload? in
      guard theirs.associated == nil, let own = mine.first(where: { $0.associated == nil && $0.isOf(theirs) }) else { return nil }
      var payload = own
      payload.type = theirs.type
      payload.feedback = theirs.feedback.filter { own.feedback.contains($0) }
      return payload
    }
    let resends = mine.contains { $0.associated != nil }
    return offered.compactMap { theirs in
      if let payload = known.first(where: { $0.type == theirs.type }) { return payload }
      guard resends, let of = theirs.associated, known.contains(where: { $0.type == of }) else { return nil }
      return theirs
    }
  }

  private static func common(_ offered: ExtensionMap, _ mine: ExtensionMap) -> ExtensionMap {
    var map = offered
    if mine.mid == 0 { map.mid = 0 }
    if mine.audioLevel == 0 { map.audioLevel = 0 }
    if mine.absoluteSendTime == 0 { map.absoluteSendTime = 0 }
    if mine.transportSequence == 0 { map.transportSequence = 0 }
    if mine.orientation == 0 { map.orientation = 0 }
    if mine.colorSpace == 0 { map.colorSpace = 0 }
    if mine.captureTime == 0 { map.captureTime = 0 }
    return map
  }

  /// The whole answer: as many media as the offer has, in its order, those that are no RTP or that `mine` has nothing for refused.
  public static func answer(
    to offer: SessionDescription, id: UInt64, address: String, with mine: (RTPMedia) -> RTPMedia?
  ) throws(MediaError) -> SessionDescription {
    var answer = SessionDescription(id: id, address: address)
    answer.connection = .init(address)
    for media in offer.media {
      guard let offered = try RTPMedia(media, in: offer) else {
        answer.media.append(.init(media.kind, port: 0, transport: media.transport, formats: media.formats))
        continue
      }
      if let own = mine(offered) {
        answer.media.append(OfferAnswer.answer(to: offered, with: own).media)
      } else {
        var refused = offered
        refused.refuse(as: offered)
        answer.media.append(refused.media)
      }
    }
    return answer
  }

  /// What the one who offered learns from an answer.
  public enum Outcome: Sendable, Equatable {
    case refused
    /// The payload to send, if this side does; the key that they send with, if one was agreed.
    case agreed(payload: RTPMedia.Payload?, theirKey: CryptoAttribute?, direction: RTPMedia.Direction)
  }

  public static func outcome(of offer: RTPMedia, answeredBy answer: RTPMedia) throws(MediaError) -> Outcome {
    guard answer.port != 0 else { return .refused }
    guard answer.isProtected == offer.isProtected else {
      throw MediaError(.invalid, "SDP: the answer to \(offer.isProtected ? "RTP/SAVP(F)" : "RTP/AVP(F)") has another transport")
    }
    var key: CryptoAttribute?
    if offer.isProtected {
      guard let chosen = answer.keys.first, answer.keys.count == 1,
        offer.keys.contains(where: { $0.tag == chosen.tag && $0.suite == chosen.suite })
      else {
        throw MediaError(.invalid, "SDP: the answer's a=crypto is not among the offer's")
      }
      key = chosen
    }
    let payload = answer.payloads.first { theirs in
      theirs.associated == nil && offer.payloads.contains { $0.type == theirs.type && $0.isOf(theirs) }
    }
    guard payload != nil else { throw MediaError(.invalid, "SDP: the answer has none of the offer's payload types") }
    let direction = RTPMedia.Direction(
      sends: offer.direction.sends && answer.direction.receives, receives: offer.direction.receives && answer.direction.sends)
    return .agreed(payload: payload, theirKey: key, direction: direction)
  }
}

extension RTPMedia {
  /// As an answer that wants none of it.
  fileprivate mutating func refuse(as offer: RTPMedia) {
    (port, connection, keys, sources, retransmissions) = (0, nil, [], [], [:])
    direction = .inactive
    payloads = offer.payloads
    extensions = ExtensionMap()
  }
}
