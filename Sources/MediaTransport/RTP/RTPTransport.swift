import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime

/// A session's way to another end over RTP, without a server and without signalling: what was agreed stands in the configuration. The other end
/// is one member, who has joined with the first stream that comes and leaves with the last. Media is handed over on the network thread; what is
/// sent is cut, sealed and sent on the caller's.
final class RTPTransport: Transport {
  struct Publication {
    let leg: BundleTransport
    let stream: Int
    let ssrc: SSRC
    let encoding: RTPEncoding
    var isSpeaking = false
  }

  struct State {
    var delegate: (any TransportDelegate)?
    var hasLeft = false
    var legs: [BundleTransport] = []
    var publications: [StreamID: Publication] = [:]
    var stats = TransportStats()
    /// Less may be sent than at most.
    var isLimited = false
    var configuration: RTPConfiguration
    /// Bound before it was connected.
    var sockets: [RTPSockets]
    /// Of the other end's name.
    var lookup: NameLookup?
  }

  /// nil: its address is known.
  private let host: RTPNamedHost?
  /// Of what passes, if somebody wants to see it.
  private let capture: PacketCapture?
  /// Of the legs, where the target keeps them.
  private let protections: RTPProtections
  private let thread: any DriverLoop
  private let network: any Network
  let loop: EventLoop
  let state: Monitor<State>
  let incoming = IncomingStreams()

  /// Sockets that were bound for the configuration's legs, or none: then they are when it is connected. `protections` are of the connection before it.
  init(
    _ configuration: RTPConfiguration, sockets: [RTPSockets] = [], protections: RTPProtections = RTPProtections(),
    capture: PacketCapture? = nil, thread: any DriverLoop, network: any Network = SystemNetwork.shared, loop: EventLoop
  ) {
    (host, self.protections, self.capture, self.thread, self.network, self.loop) = (nil, protections, capture, thread, network, loop)
    state = Monitor(State(configuration: configuration, sockets: sockets))
  }

  /// To a host whose name is looked up when it is connected; the configuration is as it would be with another address.
  init(
    _ configuration: RTPConfiguration, named host: RTPNamedHost, protections: RTPProtections, capture: PacketCapture?,
    thread: any DriverLoop, network: any Network, loop: EventLoop
  ) {
    (self.host, self.protections, self.capture, self.thread, self.network, self.loop) = (host, protections, capture, thread, network, loop)
    state = Monitor(State(configuration: configuration, sockets: []))
  }

  var configuration: RTPConfiguration { state.withLock { $0.configuration } }

  func post(_ event: TransportEvent) {
    loop.post { self.state.withLock { $0.delegate }?.transport(self, event) }
  }

  // MARK: Connecting

  func connect(_ delegate: any TransportDelegate) {
    state.withLock { $0.delegate = delegate }
    if let host { lookUp(host) } else { begin() }
  }

  func begin() {
    let (configuration, sockets) = state.withLock { ($0.configuration, $0.sockets) }
    do throws(MediaError) {
      var legs: [BundleTransport] = []
      for index in configuration.legs.indices {
        let pair = sockets.indices.contains(index) ? sockets[index] : try RTPSockets(configuration.legs[index], on: network)
        // Each holds this, as this does each, until it leaves.
        let protection = try configuration.legs[index].keys.map { keys throws(MediaError) in try protections.protection(ofLeg: index, keys)
        }
        legs.append(
          try BundleTransport(configuration, index, pair, protection, thread, loop.clock, tap: capture) {
            self.take(&$0, isAnswered: $1, $2)
          })
      }
      let isHere = state.withLock { state in
        if !state.hasLeft { state.legs = legs }
        return !state.hasLeft
      }
      guard isHere else { return }
      post(.connected(.ordinary))
      for leg in legs { try leg.start() }
    } catch {
      fail(error)
    }
  }

  func fail(_ error: MediaError) {
    stop()
    post(.disconnected(error))
  }

  func disconnect() {
    state.withLock { state in (state.delegate, state.hasLeft) = (nil, true) }
    stop()
  }

  /// Lets go of the legs, of their ports too.
  private func stop() {
    let (legs, sockets, lookup) = state.withLock { state in
      defer {
        state.lookup = nil
        (state.legs, state.sockets, state.publications) = ([], [], [:])
      }
      return (state.legs, state.sockets, state.lookup)
    }
    lookup?.cancel()
    for leg in legs { leg.stop() }
    capture?.close()
    incoming.close()
    // What ends with them ends where nothing is locked.
    _ = sockets
  }

  // MARK: Streams out

  func makeStreamID() -> StreamID { StreamID.next() }

  func publish(
    _ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers, carriesMetadata: Bool
  ) throws(MediaError) {
    try layers.checkIsOne(over: "rtp:")
    let kind: RTPConfiguration.Medium.Kind = if case .video = format { .video } else { .audio }
    guard let encoding = RTPEncoding(codec: codec) else {
      throw MediaError(.unsupported, "the stream's codec is \(FourCC.text(codec)); accepted over RTP: MSDK_CODEC_VP8 and MSDK_CODEC_OPUS")
    }
    let legs = state.withLock { $0.legs }
    // All may have been refused.
    guard !legs.isEmpty || configuration.legs.isEmpty else { throw MediaError(.state, "the session is not connected") }
    for leg in legs {
      guard let medium = leg.plan.media.first(where: { $0.kind == kind && $0.direction.sends && $0.sending?.encoding == encoding }),
        let payload = medium.sending
      else { continue }
      let isFirst = !state.withLock { state in state.publications.values.contains { $0.leg === leg && $0.encoding == encoding } }
      var outgoing = OutgoingRTP(encoding, ssrc: (isFirst ? medium.ssrc : nil) ?? SSRC.random(), payloadType: payload.type)
      if let type = medium.retransmission { outgoing.retransmission = ((isFirst ? medium.retransmissionSSRC : nil) ?? SSRC.random(), type) }
      (outgoing.hasNACK, outgoing.mid) = (medium.hasNACK, medium.mid)
      do throws(PacketError) {
        let (place, ssrc) = try leg.open(outgoing)
        state.withLock { $0.publications[stream] = Publication(leg: leg, stream: place, ssrc: ssrc, encoding: encoding) }
      } catch {
        throw MediaError(.full, "\(error)")
      }
      if leg.hasRemote { post(.receivers(stream, 1)) }
      return
    }
    throw MediaError(.unsupported, "this RTP session sends no \(kind.rawValue), according to its url or its description")
  }

  func unpublish(_ stream: StreamID) {
    guard let publication = state.withLock({ $0.publications.removeValue(forKey: stream) }) else { return }
    publication.leg.close(publication.stream)
  }

  func setFormat(_ stream: StreamID, _ format: StreamFormat) {}
  func setMuted(_ stream: StreamID, _ isMuted: Bool) {}

  /// Told by the level of each packet (RFC 6464).
  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) {
    state.withLock { $0.publications[stream]?.isSpeaking = isSpeaking }
  }

  func backlog(of stream: StreamID) -> Int64 {
    state.withLock { $0.publications[stream]?.leg }?.backlog ?? 0
  }

  func carriage(of stream: StreamID) -> Carriage {
    guard let map = state.withLock({ $0.publications[stream]?.leg })?.plan.extensions else { return Carriage() }
    return Carriage(color: map.colorSpace != 0, orientation: map.orientation != 0)
  }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult {
    guard let publication = state.withLock({ $0.publications[stream] }) else { return .notConnected }
    guard publication.leg.hasRemote else { return .noReceiver }
    do throws(PacketError) {
      try publication.leg.send(frame, id, on: publication.stream, isVoice: publication.isSpeaking)
    } catch {
      return .queueFull
    }
    state.withLock { state in
      state.stats.bytesSent &+= UInt64(frame.bytes.count)
      state.stats.packetsSent &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
    }
    return .sent
  }

  // MARK: Streams in

  func subscribe(to stream: StreamID, _ sink: StreamSink) {
    let legs = state.withLock { $0.legs }
    let isKeyNeeded = incoming.subscribe(to: stream, sink.encoded) { if legs.indices.contains($0) { legs[$0].wake() } }
    // What comes next can be shown only from one of these on, which came already, or is asked for.
    if isKeyNeeded { requestKeyFrame(of: stream) }
  }

  func unsubscribe(from stream: StreamID) { incoming.unsubscribe(from: stream) }

  func requestKeyFrame(of stream: StreamID) {
    if let (leg, ssrc) = source(of: stream) { try? leg.change { $0.requestKeyFrame(of: ssrc) } }
  }

  private func source(of stream: StreamID) -> (BundleTransport, SSRC)? {
    guard let source = incoming.source(of: stream) else { return nil }
    return state.withLock { $0.legs.indices.contains(source.leg) ? ($0.legs[source.leg], source.ssrc) : nil }
  }

  // MARK: Moderation

  func remove(_ userID: String, reason: String) throws(MediaError) { throw RTPTransport.noRoom }
  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) { throw RTPTransport.noRoom }
  private static let noRoom = MediaError(.unsupported, "a session over RTP has a peer and no room: it has no moderation")

  func setDemand(_ bitrate: UInt64) {
    for leg in state.withLock({ $0.legs }) { leg.setDemand(bitrate) }
  }

  func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64) {
    guard let publication = state.withLock({ $0.publications[stream] }) else { return }
    try? publication.leg.change { $0.setTargetBitrate(Int(clamping: bitrate), sending: publication.stream) }
  }

  var networkFigures: NetworkFigures? {
    state.withLock { $0.legs }.reduce(into: NetworkFigures()) { $0.add($1.networkFigures) }
  }

  func look(sending stream: StreamID) -> OutboundSnapshot? {
    state.withLock { $0.publications[stream] }.flatMap { $0.leg.look(sending: $0.stream) }
  }

  func look(receiving stream: StreamID) -> InboundSnapshot? {
    source(of: stream).flatMap { $0.look(receiving: $1) }
  }

  var stats: TransportStats {
    var (stats, legs) = state.withLock { ($0.stats, $0.legs) }
    let received = incoming.stats
    (stats.bytesReceived, stats.packetsReceived, stats.packetsLost) = (
      received.bytesReceived, received.packetsReceived, received.packetsLost
    )
    return legs.reduce(into: stats) { $1.look.add(to: &$0) }
  }

  func statsEntries(at time: Double) -> [JSON] {
    let legs = state.withLock { $0.legs }
    return legs.flatMap { leg in leg.look.entries(of: leg.index, cipher: leg.plan.keys?.profile, at: time) }
  }
}

extension RTPEncoding {
  /// nil: a codec without a payload format here.
  package init?(codec: UInt32) {
    switch Int(codec) {
    case Int(MSDK_CODEC_VP8): self = .vp8
    case Int(MSDK_CODEC_OPUS): self = .opus
    default: return nil
    }
  }
}

extension SSRC {
  static func random() -> SSRC { SSRC(UInt32.random(in: 1...(.max))) }
}
