import MediaRTP
import MediaSDP

/// While an offer of this end is not answered, the other end may send what it takes: the answer is slower than media are (RFC 3264, section 5.1).
extension JSEPSession {
  /// What was agreed on before, with what the offer says that this end receives besides, and without what it does not send any longer: the other end
  /// may take nothing of that from its answer on.
  var anticipated: RTPSessionConfiguration {
    var configuration = negotiated?.rtp ?? unnegotiated
    for (place, offer) in offered.enumerated() {
      let mid = sections[place].mid
      let known = configuration.media.firstIndex { $0.mid == mid }
      if let known, offer.rtp?.direction.sends != true {
        for stream in configuration.media[known].sending.indices { configuration.media[known].sending[stream].isActive = false }
      }
      guard let rtp = offer.rtp, case .media(let id) = sections[place].content, let transceiver = transceiver(id) else { continue }
      if rtp.direction.receives {
        let encodings = rtp.payloads.encodings(transceiver.kind)
        if let known {
          configuration.media[known].receiving.merge(encodings) { before, _ in before }
        } else {
          configuration.media.append(RTPMedium(mid: mid, receiving: encodings))
        }
      }
      configuration.extensions.merge(rtp.extensions)
    }
    return configuration
  }

  /// Before anything is agreed on: the program's settings alone.
  var unnegotiated: RTPSessionConfiguration {
    var configuration = RTPSessionConfiguration()
    (configuration.bitrates, configuration.packetSize) = (settings.bitrates, settings.packetSize)
    return configuration
  }

  /// The name of the section that has the transport; nil: nothing is described.
  var transportName: String? {
    guard let description = local, let place = description.media.firstIndex(where: { $0.port != 0 }) else { return nil }
    return sections.indices.contains(place) ? sections[place].mid : nil
  }
}
