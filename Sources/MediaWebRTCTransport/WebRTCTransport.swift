import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSCTP
import MediaSDP
import MediaSignalling
import MediaTLS
import MediaTransport
import MediaWebRTC

/// A session's way to one peer of WebRTC, without a server: the program carries descriptions and candidates. The other end is one member, who has joined
/// with the first stream that comes and leaves with the last. Media is handed over on the network thread; what is sent is cut, sealed and sent on the
/// caller's.
final class WebRTCTransport: Transport {
  struct Publication {
    let transceiver: Transceiver.ID
    let encoding: RTPEncoding
    /// Added to the numbers of frames: those of a stream that was sent in the transceiver before are not used again.
    let offset: FrameID
    var last: FrameID = 0
    /// Names of its layers, the smallest first; none: it has one.
    let layers: [String]
    /// Of what is sent, in the order in which it was agreed on; none: nothing is.
    var sources: [SSRC] = []
    /// Of each layer, its place in them; nil: it is not sent. Where the other end takes one, that is the best.
    var places: [Int?]
    /// Each frame is followed by its metadata.
    let appendsTrailers: Bool
    var isSpeaking = false
    /// The other end takes it, and there is a path.
    var isTaken = false
    /// The other end has no place for it.
    var isRefused = false
  }

  enum Phase {
    case idle
    /// There was no path yet.
    case connecting
    case here
    /// There was one.
    case reconnecting
    case out
  }

  struct State {
    var delegate: (any TransportDelegate)?
    var driver: PeerDriver?
    var phase = Phase.idle
    var publications: [StreamID: Publication] = [:]
    /// Numbers of frames that were sent in a transceiver.
    var numbers: [Transceiver.ID: FrameID] = [:]
    var stats = TransportStats()
    /// Since when a path is being sought; nil: there is one, or nobody is known to whom.
    var soughtSince: Int64?
    /// An offer of the other end was ignored, and its candidates are.
    var ignores = false
    /// Of tracks in descriptions.
    var nextTrack = 0
    /// As it was set last.
    var demand: (bitrate: UInt64, isShort: Bool) = (0, false)
    /// What may be sent is bounded by what the other end reports.
    var isLimited = false
  }

  /// A path is sought for so long, after descriptions were exchanged or after it was lost; then the session has ended.
  static let patience: Int64 = 60_000_000_000

  let options: WebRTCOptions
  private let servers: [ICEServer]
  /// Of the session's own member.
  let own: String
  /// By which descriptions bind the streams of this end together (RFC 8830).
  private let label: String
  private let thread: any DriverLoop
  private let network: any Network
  private let capture: PacketCapture?
  private let keepsCapture: Bool
  private let ports: PeerPorts?
  let loop: EventLoop
  let incoming = IncomingStreams()
  let state = Monitor(State())
  let channels = Monitor(ChannelInbox())

  /// `keepsCapture`: it is not closed at the end. `ports`: of the server that this end is at.
  init(
    _ options: WebRTCOptions, servers: [ICEServer], own: String, thread: any DriverLoop, network: any Network, loop: EventLoop,
    capture: PacketCapture? = nil, keepsCapture: Bool = false, ports: PeerPorts? = nil
  ) {
    (self.options, self.servers, self.own, self.thread, self.network) = (options, servers, own, thread, network)
    (self.loop, self.capture, self.keepsCapture, self.ports) = (loop, capture, keepsCapture, ports)
    // RFC 7022, section 5: nobody is known by it.
    label = (0..<3).map { _ in String(network.random(), radix: 36) }.joined()
  }

  func post(_ event: TransportEvent) {
    loop.post { self.state.withLock { $0.delegate }?.transport(self, event) }
  }

  // MARK: Connecting

  var publishesBeforeConnected: Bool { true }
  /// Between `connect` and the end.
  var isOpen: Bool { state.withLock { $0.driver != nil } }

  func connect(_ delegate: any TransportDelegate) {
    let isFirst = state.withLock { state in
      guard state.phase == .idle else { return false }
      (state.delegate, state.phase) = (delegate, .connecting)
      return true
    }
    guard isFirst else { return }
    do throws(MediaError) {
      let driver = try PeerDriver(
        options.driverSettings(label: label, id: network.random(), servers: servers), certificate: try TLSCertificate.make(),
        network: network, thread: thread, ports: ports, tap: capture, delegate: self)
      let isHere = state.withLock { state in
        if state.phase == .connecting { state.driver = driver }
        return state.phase == .connecting
      }
      guard isHere else { return driver.close() }
      try driver.start()
    } catch {
      end(error)
    }
  }

  func disconnect() {
    state.withLock { $0.delegate = nil }
    stop()
    channels.withLock { $0 = ChannelInbox() }
  }

  /// With an event, once. What has come in channels can be read until it is disconnected: whoever reads may not have had their turn.
  func end(_ error: MediaError) {
    if stop() { post(.disconnected(error)) }
  }

  /// Whether it was not stopped before.
  @discardableResult
  private func stop() -> Bool {
    let (isFirst, driver): (Bool, PeerDriver?) = state.withLock { state in
      defer { (state.phase, state.publications, state.soughtSince) = (.out, [:], nil) }
      return (state.phase != .out, state.driver.take())
    }
    driver?.close()
    if !keepsCapture { capture?.close() }
    incoming.close()
    return isFirst
  }

  func driver() throws(MediaError) -> PeerDriver {
    guard let driver = state.withLock({ $0.driver }) else { throw WebRTCTransport.notConnected }
    return driver
  }

  static let notConnected = MediaError(.state, "the session is not connecting or connected")

  // MARK: Streams out

  func makeStreamID() -> StreamID { StreamID.next() }

  func publish(
    _ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers, carriesMetadata: Bool
  ) throws(MediaError) {
    try layers.checkIsOne(over: "WebRTC")
    try publish(stream, codec, format)
  }

  /// `layers`: names of those in which it is sent, the smallest first; none: one. They are offered in that order, or (`offersLargestFirst`) in the other.
  /// `section`: the mid of a section of the other end's offer, in which it is to be sent; nil: in any. `track`: what descriptions call it; nil:
  /// that does not matter. `appendsTrailers`: each frame is followed by its metadata. Throws `.notFound` for a section that is not there, or that
  /// another stream has.
  func publish(
    _ stream: StreamID, _ codec: UInt32, _ format: StreamFormat, layers: [String] = [], offersLargestFirst: Bool = false,
    in section: String? = nil, as track: RTPMedia.Track? = nil, appendsTrailers: Bool = false
  ) throws(MediaError) {
    let offered = offersLargestFirst ? layers.reversed() : layers
    let (kind, encoding) = try WebRTCTransport.check(codec, format, carries: options.carriesVideo)
    let receives = kind == .video ? options.receivesVideo : options.receivesAudio
    try state.withLock { state throws(MediaError) in
      guard let driver = state.driver else { throw WebRTCTransport.notConnected }
      state.nextTrack += 1
      let track = track ?? RTPMedia.Track(label, "\(kind.rawValue)\(state.nextTrack)")
      let inUse = Set(state.publications.values.map(\.transceiver))
      let transceiver = try driver.change { (peer, _) throws(MediaError) in
        // A medium in which nothing is sent is used, as that of an offer of the other end.
        let free = peer.signalling.transceivers.first { one in
          one.kind == kind && !one.isStopped && !inUse.contains(one.id) && (section == nil || one.mid == section)
            && one.layers.map(\.id) == offered
        }
        if let free {
          try peer.setDirection(RTPMedia.Direction(sends: true, receives: free.direction.receives || receives), of: free.id)
          try peer.setTracks([track], of: free.id)
          try setCodec(encoding, of: free.id, in: peer)
          return free.id
        }
        if let section { throw MediaError(.notFound, "WebRTC: no section \"\(section.prefix(64))\" of that medium is free") }
        let made = try peer.addTransceiver(
          kind, receives ? .sendReceive : .sendOnly, tracks: [track], layers: offered.map { .init($0, isSent: true) })
        try setCodec(encoding, of: made, in: peer)
        return made
      }
      state.publications[stream] = Publication(
        transceiver: transceiver, encoding: encoding, offset: state.numbers[transceiver] ?? 0, layers: layers,
        places: Array(0..<max(1, layers.count)), appendsTrailers: appendsTrailers)
    }
    followAgreement()
  }

  /// Where there are several, the one of the stream comes first in its section.
  private func setCodec(_ encoding: RTPEncoding, of transceiver: Transceiver.ID, in peer: PeerConnection) throws(MediaError) {
    guard options.carriesVideo, encoding.isVideo else { return }
    let name = encoding.format?.name
    let (first, others) = (
      JSEPSettings.forwardedVideo.filter { $0.encoding == name }, JSEPSettings.forwardedVideo.filter { $0.encoding != name }
    )
    try peer.setCodecs(first + others, of: transceiver)
  }

  private static func forwarded(_ codec: UInt32) -> RTPEncoding? {
    let format = RTPEncoding.formats.first { $0.codec == codec }
    return format.flatMap { format in JSEPSettings.forwardedVideo.contains { $0.encoding == format.name } ? .media(format) : nil }
  }

  /// What such a stream is sent as. `carries`: also what is forwarded. Throws `.unsupported`.
  static func check(
    _ codec: UInt32, _ format: StreamFormat, carries: Bool = false
  ) throws(MediaError) -> (kind: Transceiver.Kind, encoding: RTPEncoding) {
    let kind: Transceiver.Kind = if case .video = format { .video } else { .audio }
    guard let encoding = (carries ? forwarded(codec) : nil) ?? RTPEncoding(codec: codec), encoding.isVideo == (kind == .video) else {
      throw MediaError(
        .unsupported, "the stream's codec is \(FourCC.text(codec)); accepted over WebRTC: MSDK_CODEC_VP8 and MSDK_CODEC_OPUS")
    }
    return (kind, encoding)
  }

  func unpublish(_ stream: StreamID) { unpublish(stream, endsSection: false) }

  /// `endsSection`: its section ends with the next negotiation, else another stream may have it.
  func unpublish(_ stream: StreamID, endsSection: Bool) {
    let publication: Publication? = state.withLock { state in
      guard let publication = state.publications.removeValue(forKey: stream) else { return nil }
      state.numbers[publication.transceiver] = publication.offset &+ publication.last
      return publication
    }
    guard let publication else { return }
    try? driver().change { (peer, _) throws(MediaError) in
      guard let transceiver = peer.signalling.transceiver(publication.transceiver) else { return }
      if endsSection {
        try peer.stop(publication.transceiver)
      } else {
        try peer.setDirection(RTPMedia.Direction(sends: false, receives: transceiver.direction.receives), of: publication.transceiver)
      }
      // Goodbye is said at once, whenever that is agreed on.
      for layer in publication.sources.indices {
        if let index = peer.stream(publication.transceiver, layer: layer) { peer.rtp.endStream(index) }
      }
    }
  }

  func setFormat(_ stream: StreamID, _ format: StreamFormat) {}
  func setMuted(_ stream: StreamID, _ isMuted: Bool) {}

  /// The other end is notified by the level of each packet (RFC 6464).
  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) {
    state.withLock { $0.publications[stream]?.isSpeaking = isSpeaking }
  }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult { send(frame, id, on: stream, layer: 0) }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID, layer: Int) -> SendResult {
    send(frame, id, on: stream, layer: layer, isSpeaking: nil)
  }

  /// `isSpeaking`: in place of what was set.
  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID, layer: Int, isSpeaking: Bool?) -> SendResult {
    let (driver, publication): (PeerDriver?, Publication?) = state.withLock { state in
      let last = state.publications[stream]?.last ?? 0
      state.publications[stream]?.last = max(id, last)
      return (state.driver, state.publications[stream])
    }
    guard let driver, let publication else { return .notConnected }
    guard publication.isTaken, publication.places.indices.contains(layer), let place = publication.places[layer] else { return .noReceiver }
    let trailed = publication.appendsTrailers ? frame.withTrailer() : nil
    defer { trailed?.release() }
    do throws(PacketError) {
      try driver.send(
        trailed ?? frame, number: UInt16(truncatingIfNeeded: publication.offset &+ id), on: publication.transceiver, layer: place,
        isVoice: isSpeaking ?? publication.isSpeaking)
    } catch {
      return .queueFull
    }
    state.withLock { state in
      state.stats.bytesSent &+= UInt64(frame.bytes.count)
      state.stats.packetsSent &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
    }
    return .sent
  }

  /// Looks at what a publication, or one of its layers, is sent as; nil: nothing is agreed on.
  private func look<Result>(at stream: StreamID, layer: Int? = nil, _ body: (PeerConnection, _ index: Int) -> Result?) -> Result? {
    let (driver, publication) = state.withLock { ($0.driver, $0.publications[stream]) }
    guard let driver, let publication else { return nil }
    let place = layer.map { publication.places.indices.contains($0) ? publication.places[$0] : nil } ?? 0
    guard let place else { return nil }
    return driver.look { peer in peer.stream(publication.transceiver, layer: place).flatMap { body(peer, $0) } }
  }

  func backlog(of stream: StreamID) -> Int64 {
    let now = loop.clock.now()
    return look(at: stream) { peer, _ in peer.rtp.backlog(at: now) } ?? 0
  }

  func carriage(of stream: StreamID) -> Carriage {
    look(at: stream) { peer, _ in
      Carriage(color: peer.rtp.extensions.colorSpace != 0, orientation: peer.rtp.extensions.orientation != 0)
    } ?? Carriage()
  }

  func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64) {
    _ = look(at: stream, layer: layer) { peer, index in peer.rtp.setTargetBitrate(Int(clamping: bitrate), sending: index) }
  }

  func setDemand(_ bitrate: UInt64) { setDemand(bitrate, isShort: false) }

  /// As `RTPSession.setDemand`.
  func setDemand(_ bitrate: UInt64, isShort: Bool) {
    let driver: PeerDriver? = state.withLock { state in
      guard let driver = state.driver, state.demand != (bitrate, isShort) else { return nil }
      state.demand = (bitrate, isShort)
      return driver
    }
    try? driver?.change { (peer, now) throws(MediaError) in peer.rtp.setDemand(Int(clamping: bitrate), isShort: isShort, now: now) }
  }

  // MARK: Streams in

  func subscribe(to stream: StreamID, _ sink: StreamSink) {
    let driver = state.withLock { $0.driver }
    let isKeyNeeded = incoming.subscribe(to: stream, sink.encoded) { _ in driver?.wake() }
    if isKeyNeeded { requestKeyFrame(of: stream) }
  }

  func unsubscribe(from stream: StreamID) { incoming.unsubscribe(from: stream) }

  func requestKeyFrame(of stream: StreamID) {
    guard let source = incoming.source(of: stream) else { return }
    try? driver().change { (peer, _) throws(MediaError) in peer.rtp.requestKeyFrame(of: source.ssrc) }
  }

  /// The name of the section in which a stream is sent; nil: it is in no description yet.
  func section(of stream: StreamID) -> String? {
    let (driver, publication) = state.withLock { ($0.driver, $0.publications[stream]) }
    guard let driver, let publication else { return nil }
    return driver.look { $0.signalling.transceiver(publication.transceiver)?.mid }
  }

  // MARK: Moderation

  func remove(_ userID: String, reason: String) throws(MediaError) { throw WebRTCTransport.noRoom }
  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) { throw WebRTCTransport.noRoom }
  private static let noRoom = MediaError(.unsupported, "a session over WebRTC has a peer and no room: it has no moderation")

  // MARK: Figures

  var networkFigures: NetworkFigures? { state.withLock { $0.driver }?.look { $0.rtp.networkFigures } }

  /// Of all layers together.
  func look(sending stream: StreamID) -> OutboundSnapshot? {
    let layers = state.withLock { $0.publications[stream]?.places.indices } ?? 0..<0
    let looks = layers.compactMap { layer in
      look(at: stream, layer: layer) { peer, index in
        peer.rtp.stats(sending: index).map { OutboundSnapshot(stream: $0, path: peer.rtp.pathStats) }
      }
    }
    guard var sum = looks.first else { return nil }
    for look in looks.dropFirst() { sum.stream.add(look.stream) }
    return sum
  }

  func look(receiving stream: StreamID) -> InboundSnapshot? {
    guard let source = incoming.source(of: stream), let driver = state.withLock({ $0.driver }) else { return nil }
    return driver.look { peer in
      peer.rtp.stats(receiving: source.ssrc).map { InboundSnapshot(stream: $0, path: peer.rtp.pathStats) }
    }
  }

  var stats: TransportStats {
    var (stats, driver) = state.withLock { ($0.stats, $0.driver) }
    let received = incoming.stats
    (stats.bytesReceived, stats.packetsReceived, stats.packetsLost) = (
      received.bytesReceived, received.packetsReceived, received.packetsLost
    )
    driver?.look { RTPStatsSnapshot($0.rtp, remote: $0.stats.remote, dropped: $0.stats.dropped).add(to: &stats) }
    stats.packetsForeign &+= driver?.look { $0.stats.refused } ?? 0
    return stats
  }

  func statsEntries(at time: Double) -> [JSON] {
    guard let driver = state.withLock({ $0.driver }) else { return [] }
    let local = driver.localAddress
    return driver.look { peer in
      let figures = peer.stats
      return RTPStatsSnapshot(peer.rtp, remote: figures.remote, dropped: figures.dropped).entries(of: 0, cipher: figures.cipher, at: time)
        + figures.candidateEntries(local: local, at: time)
    }
  }
}
