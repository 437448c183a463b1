import MediaCore
import MediaICE
import MediaNetwork
import MediaRTP
import MediaSDP

/// Descriptions and candidates of both ends.
extension PeerConnection {
  /// Makes a description of this end and sets it: the text for the other end. Throws as `JSEPSession.setLocal`; then nothing has changed.
  public func setLocal(_ kind: DescriptionKind, now: Int64) throws(MediaError) -> String {
    var next = signalling
    _ = try next.setLocal(kind, using: &random)
    try adopt(next, isAnswered: kind == .answer, isControlling: false, now: now)
    return kind == .rollback ? "" : signalling.localDescription ?? ""
  }

  /// Takes a description of the other end. Throws as `JSEPSession.setRemote`, and `.invalid` for sources that are in use here; then nothing has
  /// changed.
  @discardableResult
  public func setRemote(_ kind: DescriptionKind, _ text: String, now: Int64) throws(MediaError) -> RemoteDescriptionOutcome {
    var next = signalling
    guard try next.setRemote(kind, text) == .applied else { return .ignored }
    try adopt(next, isAnswered: kind == .answer, isControlling: true, now: now)
    return .applied
  }

  /// A candidate of the other end, as it trickles (RFC 8838): the section by its name or place, or neither. Empty: none follows. Throws `.invalid`,
  /// `.notFound` for a section that is not there, `.closed`.
  public func addRemote(candidate text: String, mid: String? = nil, place: Int? = nil, now: Int64) throws(MediaError) {
    guard state != .closed else { throw .closedSession }
    guard signalling.hasSection(mid: mid, place: place) else {
      let name = mid.map { "named \($0.prefix(40))" } ?? "at place \(place ?? 0)"
      throw MediaError(.notFound, "WebRTC: a candidate of the section \(name), which no description has")
    }
    guard !text.isEmpty, !text.hasPrefix("end-of-candidates") else {
      if signalling.state == .haveRemoteOffer { hasAllWaiting = true } else { ice.endOfRemoteCandidates() }
      return
    }
    guard let candidate = try Candidate(parsing: text) else { return }
    // The offer may be of another generation than the one that is there.
    if signalling.state == .haveRemoteOffer {
      if waiting.count < PeerConnection.mostWaiting { waiting.append(candidate) }
    } else {
      _ = ice.addRemote(candidate, now: now)
    }
  }

  /// Another generation of ICE is offered next, as after a change of addresses.
  public func restartICE() {
    signalling.requestRestart()
    updateNeed()
  }

  // MARK: What comes of it

  private func adopt(_ next: JSEPSession, isAnswered: Bool, isControlling: Bool, now: Int64) throws(MediaError) {
    let before = signalling
    // Also where nothing seems to change: an offer of this end that gives place to the other's had changed something.
    let configuration = next.state == .haveLocalOffer ? next.anticipated : next.negotiated?.rtp ?? next.unnegotiated
    do throws(PacketError) {
      try peer.apply(configuration, now: now)
    } catch {
      throw MediaError(.invalid, "SDP: the session cannot take it: \(error.reason)")
    }
    signalling = next
    follow(credentials: next.credentials, now: now)
    if isAnswered, let negotiated = next.negotiated {
      follow(negotiated, isControlling: isControlling, now: now)
      report(from: before.negotiated, to: negotiated)
      if before.wantsData, !next.wantsData { refuseChannels(now: now) }
    } else if next.state == .stable {
      (waiting, hasAllWaiting) = ([], false)
    }
    drainPath(now: now)
    updateState(now: now)
    updateNeed()
  }

  /// A restart that the description announces, or one that was taken back.
  private func follow(credentials: ICECredentials, now: Int64) {
    if ice.local != credentials { ice.cancelRestart(now: now) }
    if ice.local != credentials { ice.restart(credentials, now: now) }
  }

  private func follow(_ negotiated: NegotiatedSession, isControlling: Bool, now: Int64) {
    streams = [:]
    for medium in negotiated.rtp.media {
      guard let known = negotiated.media.first(where: { $0.mid == medium.mid }) else { continue }
      streams[known.transceiver] = medium.sending.compactMap { rtp.stream(sending: $0.ssrc) }
    }
    defer { (waiting, hasAllWaiting) = ([], false) }
    guard let transport = negotiated.transport else { return }
    ice.setControlling(isControlling)
    do throws(MediaError) {
      try ice.setRemote(transport.credentials, isLite: transport.isLite, now: now)
    } catch {
      return fail(error, now: now)
    }
    for candidate in transport.candidates + waiting { _ = ice.addRemote(candidate, now: now) }
    if transport.hasAllCandidates || hasAllWaiting { ice.endOfRemoteCandidates() }
    advanceHandshake(now: now)
    takeKeys(now: now)
    advanceChannels(now: now)
  }

  private func report(from before: NegotiatedSession?, to now: NegotiatedSession) {
    let former = (before?.media ?? []).filter { $0.direction.receives }
    let current = now.media.filter { $0.direction.receives }
    for medium in former where !current.contains(where: { $0.transceiver == medium.transceiver }) {
      events.append(.trackRemoved(medium.transceiver, mid: medium.mid))
    }
    for medium in current {
      let known = former.first { $0.transceiver == medium.transceiver }
      if known?.tracks != medium.tracks { events.append(.trackAdded(medium)) }
      groups[medium.mid] = medium.tracks.first { $0.stream != "-" }?.stream
    }
    if before?.data != now.data { events.append(.data(now.data)) }
  }

  // MARK: Transceivers

  /// Another participant uses the source of a stream of this end (`RTPSessionEvent.collision`): the next description has another one.
  public func replaceSource(_ ssrc: SSRC) {
    signalling.replaceSource(ssrc)
    updateNeed()
  }

  /// As `JSEPSession.addTransceiver`.
  public func addTransceiver(
    _ kind: Transceiver.Kind, _ direction: RTPMedia.Direction = .sendReceive, tracks: [RTPMedia.Track] = [],
    layers: [LayerLines.Layer] = [], answersOffers: Bool = true
  ) throws(MediaError) -> Transceiver.ID {
    let id = try signalling.addTransceiver(kind, direction, tracks: tracks, layers: layers, answersOffers: answersOffers)
    updateNeed()
    return id
  }

  /// As `JSEPSession.setDirection`.
  public func setDirection(_ direction: RTPMedia.Direction, of id: Transceiver.ID) throws(MediaError) {
    try signalling.setDirection(direction, of: id)
    updateNeed()
  }

  /// As `JSEPSession.setCodecs`.
  public func setCodecs(_ codecs: [RTPMedia.Payload]?, of id: Transceiver.ID) throws(MediaError) {
    try signalling.setCodecs(codecs, of: id)
    updateNeed()
  }

  /// As `JSEPSession.setTracks`.
  public func setTracks(_ tracks: [RTPMedia.Track], of id: Transceiver.ID) throws(MediaError) {
    try signalling.setTracks(tracks, of: id)
    updateNeed()
  }

  /// As `JSEPSession.setBandwidth`.
  public func setBandwidth(_ bandwidth: UInt64?, of id: Transceiver.ID) throws(MediaError) {
    try signalling.setBandwidth(bandwidth, of: id)
    updateNeed()
  }

  /// As `JSEPSession.stop`.
  public func stop(_ id: Transceiver.ID) throws(MediaError) {
    try signalling.stop(id)
    updateNeed()
  }

  /// As `JSEPSession.requestData`.
  public func requestData() throws(MediaError) {
    try signalling.requestData()
    updateNeed()
  }
}
