import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

/// What a negotiation came to, as a living session takes it (`RTPSession.apply`, `ICEAgent`, DTLS). A value; `JSEPSession` makes it.
public struct NegotiatedSession: Sendable {
  /// The other end of the one transport that there is.
  public struct Transport: Sendable {
    /// Of the other end; others than before after a restart.
    public let credentials: ICECredentials
    /// The other end answers checks and sends none.
    public let isLite: Bool
    /// Those that its description has; more may come.
    public let candidates: [Candidate]
    /// No others come.
    public let hasAllCandidates: Bool
    /// Of the certificate that it has to show; one of them is to fit.
    public let fingerprints: [TransportLines.Fingerprint]
    /// This end begins the handshake of DTLS.
    public let isClient: Bool
  }

  /// A section that is used.
  public struct Medium: Sendable {
    /// Whose it is.
    public let transceiver: Transceiver.ID
    /// Of its section; packets say it, if both ends have that header extension.
    public let mid: String
    /// As m= names it.
    public let kind: Transceiver.Kind
    /// As this end sees it.
    public let direction: RTPMedia.Direction
    /// What is sent, with the parameters that the other end has for it (RFC 7587: stereo, useinbandfec, usedtx); nil: nothing.
    public let codec: RTPMedia.Payload?
    /// All that may be sent, in order of preference.
    public let codecs: [RTPMedia.Payload]
    /// Sources that are sent, one for each layer, and their layers' names; the first has none where there is one stream.
    public let sources: [(ssrc: SSRC, rid: String?)]
    /// Which streams and which track of the other end's program come in it (a=msid).
    public let tracks: [RTPMedia.Track]
    /// Names of the sizes that come at once; none: one.
    public let receivedLayers: [String]
    /// What the other end takes at most (b=), in bits a second; nil: it does not say.
    public let bandwidth: UInt64?
  }

  /// For `RTPSession.apply`: media, ids of header extensions, bounds.
  public let rtp: RTPSessionConfiguration
  /// In the order of their sections, without those that are refused.
  public let media: [Medium]
  /// Parameters of the other end for data channels, and the name of their section; nil: there are none.
  public let data: DataMedia?
  /// nil: everything was refused.
  public let transport: Transport?
  /// Of this end.
  public let credentials: ICECredentials
}

extension NegotiatedSession {
  init(_ session: JSEPSession) {
    var rtp = session.unnegotiated
    var media: [Medium] = []
    (rtp.hasTransportFeedback, rtp.hasReducedSize) = (false, true)
    var data: DataMedia?
    for section in session.sections where !section.isRejected {
      // Without a port there is no association (RFC 8841, section 5.1).
      if let theirs = section.data, theirs.sctpPort != 0 {
        data = theirs
        data?.mid = section.mid
      }
      guard case .media(let id) = section.content, let agreement = section.agreement, let transceiver = session.transceiver(id) else {
        continue
      }
      let medium = RTPMedium(section.mid, agreement, transceiver)
      rtp.media.append(medium)
      rtp.extensions.merge(agreement.agreed.extensions)
      rtp.hasReducedSize = rtp.hasReducedSize && agreement.agreed.hasReducedSize
      if agreement.agreed.extensions.transportSequence != 0,
        agreement.agreed.payloads.contains(where: { $0.feedback.contains("transport-cc") })
      {
        rtp.hasTransportFeedback = true
      }
      media.append(Medium(section.mid, agreement, transceiver, medium))
    }
    rtp.extensions.keep(session.registry.agreed)
    rtp.mostStreams = max(rtp.mostStreams, rtp.media.reduce(0) { $0 + max($1.sending.count, $1.sources.count, 1) })
    rtp.mostStreams = min(rtp.mostStreams, 4_096)
    (self.rtp, self.media, self.data, credentials) = (rtp, media, data, session.credentials)
    transport = session.remoteTransport.map { remote in
      Transport(
        credentials: ICECredentials(user: remote.lines.user ?? "", password: remote.lines.password ?? ""), isLite: remote.isLite,
        candidates: remote.lines.candidates, hasAllCandidates: remote.lines.hasAllCandidates, fingerprints: remote.lines.fingerprints,
        isClient: session.isClient ?? true)
    }
  }
}

extension NegotiatedSession.Medium {
  fileprivate init(_ mid: String, _ agreement: MediaAgreement, _ transceiver: Transceiver, _ medium: RTPMedium) {
    let kind = transceiver.kind
    let codecs = agreement.agreed.payloads.filter { RTPEncoding($0, kind) != nil }.map { payload in
      agreement.theirs.payloads.first { $0.type == payload.type } ?? payload
    }
    let isSent = agreement.direction.sends
    self.init(
      transceiver: transceiver.id, mid: mid, kind: kind, direction: agreement.direction, codec: isSent ? codecs.first : nil, codecs: codecs,
      sources: isSent ? medium.sending.map { ($0.ssrc, $0.rid) } : [], tracks: agreement.direction.receives ? agreement.theirs.tracks : [],
      receivedLayers: agreement.receivedLayers, bandwidth: agreement.theirs.bandwidth)
  }
}

extension RTPMedium {
  /// What is agreed on of a section, with what is described of both ends.
  init(_ mid: String, _ agreement: MediaAgreement, _ transceiver: Transceiver) {
    let kind = transceiver.kind
    let encodings = agreement.agreed.payloads.encodings(kind)
    self.init(mid: mid, receiving: agreement.direction.receives ? encodings : [:])
    if agreement.direction.receives {
      let theirs = agreement.theirs
      let again = Set(theirs.retransmissions.values)
      sources = theirs.sources.filter { !again.contains($0.ssrc) }.map { Source($0.ssrc, retransmission: theirs.retransmissions[$0.ssrc]) }
    }
    guard let payload = agreement.agreed.payloads.first(where: { RTPEncoding($0, kind) != nil }), let encoding = RTPEncoding(payload, kind)
    else { return }
    func carrying(_ encoding: RTPEncoding) -> UInt8? { encodings.filter { $0.value == encoding }.keys.min() }
    let resent = carrying(.retransmission(of: payload.type))
    let layers = agreement.sentLayers
    for (place, source) in transceiver.sources.prefix(max(1, layers.count)).enumerated() {
      var stream = OutgoingRTP(encoding, ssrc: source.ssrc, payloadType: payload.type)
      stream.retransmission = resent.map { (source.retransmission, $0) }
      stream.redundancy = carrying(.redundancy(of: payload.type))
      stream.hasNACK = payload.feedback.contains("nack")
      (stream.mid, stream.extensions) = (mid, agreement.agreed.extensions)
      stream.rid = place < layers.count ? layers[place].id : nil
      stream.isActive = agreement.direction.sends && !(place < layers.count && layers[place].isPaused)
      sending.append(stream)
    }
  }
}

extension ExtensionMap {
  /// What media that share a transport have together: each id means the same in all.
  mutating func merge(_ other: ExtensionMap) {
    for (_, field) in ExtensionMap.known where self[keyPath: field] == 0 { self[keyPath: field] = other[keyPath: field] }
  }

  /// Those that it had before.
  fileprivate mutating func keep(_ ids: [String: UInt8]) {
    for (uri, field) in ExtensionMap.known where self[keyPath: field] != 0 { self[keyPath: field] = ids[uri] ?? 0 }
  }
}
