import MediaCore

/// What two descriptions agree on (RFC 3264, sections 5 to 7; RFC 4568, section 5.1 for the keys).
public enum OfferAnswer {
  /// The answer's medium: what of the offer this side can do too. `mine` holds its port and connection, the payloads that it knows (their types
  /// are the offer's in the answer), a key for each suite, its sources. Port 0 where nothing is left: the medium is refused.
  public static func answer(to offer: RTPMedia, with mine: RTPMedia) -> RTPMedia {
    var answer = RTPMedia(offer.kind, port: mine.port)
    answer.connection = mine.connection
    (answer.mid, answer.isProtected, answer.isKeyedByTLS) = (offer.mid, offer.isProtected, offer.isKeyedByTLS)
    (answer.hasFeedback, answer.hasMixedExtensions) = (offer.hasFeedback, offer.hasMixedExtensions && mine.hasMixedExtensions)
    answer.hasReducedSize = offer.hasReducedSize && mine.hasReducedSize
    answer.isMultiplexed = offer.isMultiplexed && mine.isMultiplexed
    if !answer.isMultiplexed { (answer.controlPort, answer.controlHost) = (mine.controlPort, mine.controlHost) }
    answer.direction = .init(
      sends: mine.direction.sends && offer.direction.receives, receives: mine.direction.receives && offer.direction.sends)
    answer.payloads = payloads(offer.payloads, mine.payloads)
    answer.extensions = offer.extensions.filtered(with: mine.extensions) { _, own in own != 0 }
    (answer.bandwidth, answer.packetTime, answer.frameRate) = (mine.bandwidth, mine.packetTime, mine.frameRate)
    if answer.direction.sends {
      (answer.sources, answer.retransmissions, answer.tracks) = (mine.sources, mine.retransmissions, mine.tracks)
    }
    var isRefused = offer.port == 0 || offer.isKeyedByTLS != mine.isKeyedByTLS || !answer.payloads.contains { $0.associated == nil }
    if offer.isKeyedByTLS {
      // Keys are agreed when the connection is made.
    } else if offer.isProtected {
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
      guard theirs.associated == nil, let own = mine.first(where: { $0.associated == nil && $0.allows(theirs) }) else { return nil }
      var payload = own
      payload.type = theirs.type
      if own.answersAsOffered { payload.parameters = theirs.parameters }
      payload.feedback = theirs.feedback.filter { own.feedback.contains($0) }
      return payload
    }
    let associated = Set(mine.filter { $0.associated != nil }.map { $0.encoding.lowercased() })
    return offered.compactMap { theirs in
      if let payload = known.first(where: { $0.type == theirs.type }) { return payload }
      guard associated.contains(theirs.encoding.lowercased()), let of = theirs.associated, known.contains(where: { $0.type == of }) else {
        return nil
      }
      var payload = theirs
      payload.feedback = []
      return payload
    }
  }

  /// What the one who offered learns from an answer.
  public enum Outcome: Sendable, Equatable {
    case refused
    /// The payload to send, if this side does; the key that they send with, if one was agreed.
    case agreed(payload: RTPMedia.Payload?, theirKey: CryptoAttribute?, direction: RTPMedia.Direction)
  }

  /// Throws `.invalid` for an answer that does not answer that offer.
  public static func outcome(of offer: RTPMedia, answeredBy answer: RTPMedia) throws(MediaError) -> Outcome {
    guard answer.port != 0 else { return .refused }
    guard answer.isProtected == offer.isProtected, answer.isKeyedByTLS == offer.isKeyedByTLS else {
      throw .description(
        "the answer to \(offer.isKeyedByTLS ? "UDP/TLS/" : "")\(offer.isProtected ? "RTP/SAVP(F)" : "RTP/AVP(F)") has another transport")
    }
    var key: CryptoAttribute?
    if offer.isProtected, !offer.isKeyedByTLS {
      guard let chosen = answer.keys.first, answer.keys.count == 1,
        offer.keys.contains(where: { $0.tag == chosen.tag && $0.suite == chosen.suite })
      else {
        throw .description("the answer's a=crypto is not among the offer's")
      }
      key = chosen
    }
    let payload = answer.payloads.first { theirs in
      theirs.associated == nil && offer.payloads.contains { $0.type == theirs.type && $0.allows(theirs) }
    }
    guard payload != nil else { throw .description("the answer has none of the offer's payload types") }
    let direction = RTPMedia.Direction(
      sends: offer.direction.sends && answer.direction.receives, receives: offer.direction.receives && answer.direction.sends)
    return .agreed(payload: payload, theirKey: key, direction: direction)
  }
}

extension RTPMedia {
  /// As an answer that wants none of it.
  fileprivate mutating func refuse(as offer: RTPMedia) {
    var refused = RTPMedia(kind, port: 0)
    (refused.mid, refused.isProtected, refused.isKeyedByTLS, refused.hasFeedback) = (mid, isProtected, isKeyedByTLS, hasFeedback)
    (refused.direction, refused.payloads) = (.inactive, offer.payloads)
    self = refused
  }

  /// An answer without what was not offered.
  public func limited(to offer: RTPMedia) -> RTPMedia {
    var limited = self
    limited.payloads = payloads.compactMap { payload in
      guard let own = offer.payloads.first(where: { $0.type == payload.type && $0.allows(payload) && $0.associated == payload.associated })
      else { return nil }
      var payload = payload
      payload.feedback = payload.feedback.filter { own.feedback.contains($0) }
      return payload
    }
    // An answer has no numbers of its own (RFC 8285, section 5).
    limited.extensions = extensions.filtered(with: offer.extensions, ==)
    limited.hasMixedExtensions = hasMixedExtensions && offer.hasMixedExtensions
    limited.isMultiplexed = isMultiplexed && offer.isMultiplexed
    limited.hasReducedSize = hasReducedSize && offer.hasReducedSize
    return limited
  }
}

extension SessionDescription.Media {
  /// The answer to what is not wanted, or not known.
  public var refused: SessionDescription.Media {
    var refused = SessionDescription.Media(kind, port: 0, transport: transport, formats: formats)
    if let mid = value("mid") { refused.attributes.append(.init("mid", mid)) }
    refused.attributes.append(.init("inactive"))
    return refused
  }
}
