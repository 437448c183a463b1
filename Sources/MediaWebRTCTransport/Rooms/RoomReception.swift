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

/// What happened to the connection by which a session of a room receives.
enum RoomReceptionEvent<Source: Hashable & Sendable>: Sendable {
  case candidate(String, mid: String, user: String)
  case candidatesComplete
  case restartWanted
  /// The path is there, or is lost.
  case path(Bool)
  /// It cannot go on.
  case failed(MediaError)
  /// By the level of its packets (RFC 6464); nil: not any longer.
  case spoke(Source, level: UInt32?)
  /// The last key frame of a stream has another size than the one before.
  case size(Source, width: UInt32, height: UInt32)
  /// A message has come in a data channel (`takeMessage`), and none was there before.
  case readable
}

/// The one connection of WebRTC by which a session of a room receives streams of all participants, each in a section of its own. The server
/// offers. `Source`: what its signalling calls a stream.
/// Frames are handed over on the network thread; the other functions may be called from any. Nothing is locked while a sink is called.
final class RoomReception<Source: Hashable & Sendable>: PeerDriverDelegate {
  private struct Subscription {
    let sink: any EncodedSink
    var number: FrameID = 0
    /// Of the last key frame.
    var width: UInt32 = 0
    var height: UInt32 = 0
  }

  private struct State {
    var isClosed = false
    var driver: PeerDriver?
    /// Which stream comes in which section.
    var sources: [String: Source] = [:]
    /// In which section a source of RTP comes.
    var sections: [SSRC: String] = [:]
    var subscriptions: [Source: Subscription] = [:]
    var stats = TransportStats()
    var channels = ChannelInbox()
    /// Of those that the server has opened.
    var labels: [MessageChannelID: String] = [:]
    /// Of these, those in which there is something.
    var readable: [MessageChannelID] = []
  }

  private let options: WebRTCOptions
  private let servers: [ICEServer]
  private let network: any Network
  private let thread: any DriverLoop
  private let tap: (any PacketTap)?
  private let handle: @Sendable (RoomReceptionEvent<Source>) -> Void
  private let state = Monitor(State())

  /// `handle`: on the network thread.
  init(
    _ options: WebRTCOptions, servers: [ICEServer] = [], network: any Network, thread: any DriverLoop, tap: (any PacketTap)?,
    handle: @escaping @Sendable (RoomReceptionEvent<Source>) -> Void
  ) {
    var options = options
    options.expectsMedia = true
    (self.options, self.servers, self.network, self.thread, self.tap, self.handle) = (options, servers, network, thread, tap, handle)
  }

  func close() {
    let former: State = state.withLock { state in
      defer {
        state = State()
        state.isClosed = true
      }
      return state
    }
    former.driver?.close()
  }

  private var driver: PeerDriver? { state.withLock { $0.driver } }

  // MARK: Signalling

  /// The answer to an offer of the server. With the candidates that are known by now.
  func answer(_ offer: String, _ sources: [String: Source]) throws(MediaError) -> String {
    let driver = try begin()
    try driver.signal { (peer, now) throws(MediaError) in
      _ = try peer.setRemote(.offer, offer, now: now)
      _ = try peer.setLocal(.answer, now: now)
    }
    state.withLock { $0.sources = sources }
    guard let text = driver.look({ $0.signalling.localDescription }) else { throw MediaError(.fail, "WebRTC: an answer without a text") }
    return text
  }

  private func begin() throws(MediaError) -> PeerDriver {
    if let driver { return driver }
    let label = (0..<3).map { _ in String(network.random(), radix: 36) }.joined()
    let driver = try PeerDriver(
      options.driverSettings(label: label, id: network.random(), servers: servers), certificate: try TLSCertificate.make(),
      network: network, thread: thread, tap: tap, delegate: self)
    state.withLock { if !$0.isClosed { $0.driver = driver } }
    try driver.start()
    // It was closed meanwhile, by somebody who saw no driver, or one that had not begun.
    guard !state.withLock({ $0.isClosed }) else {
      driver.close()
      throw MediaError(.closed, "the session has left")
    }
    return driver
  }

  func addRemote(candidate text: String, mid: String?) {
    // Of so many, one that cannot be used does not matter.
    try? driver?.change { (peer, now) throws(MediaError) in try peer.addRemote(candidate: text, mid: mid, now: now) }
  }

  // MARK: Streams

  func subscribe(to source: Source, _ sink: any EncodedSink) {
    exchange(Subscription(sink: sink), of: source)
    requestKeyFrame(of: source)
  }

  func unsubscribe(from source: Source) { exchange(nil, of: source) }

  /// From all.
  func unsubscribe() {
    let former = state.withLock { state in
      defer { state.subscriptions = [:] }
      return state.subscriptions
    }
    // They may end here, where nothing is locked.
    _ = former
  }

  private func exchange(_ subscription: Subscription?, of source: Source) {
    let former: Subscription? = state.withLock { state in
      defer { state.subscriptions[source] = subscription }
      return state.subscriptions[source]
    }
    // It may end here, where nothing is locked.
    _ = former
  }

  private func ssrc(of source: Source) -> SSRC? {
    state.withLock { state in state.sections.first { state.sources[$0.value] == source }?.key }
  }

  /// By PLI (RFC 4585), which the server passes on to the publisher.
  func requestKeyFrame(of source: Source) {
    guard let driver, let ssrc = ssrc(of: source) else { return }
    try? driver.change { (peer, _) throws(MediaError) in peer.rtp.requestKeyFrame(of: ssrc) }
  }

  // MARK: Data channels

  /// The next one that the server sent, and the label of its channel; nil: there is none. Who does not take them makes the server wait.
  func takeMessage() -> (label: String, bytes: [UInt8])? {
    let (message, driver): ((String, [UInt8])?, PeerDriver?) = state.withLock { state in
      while let channel = state.readable.first {
        let reading = try? state.channels.read(channel, upTo: .max)
        if case .message(let message) = reading {
          return ((state.labels[channel] ?? "", message.bytes), state.channels.hasRoom ? state.driver : nil)
        }
        state.readable.removeFirst()
        // It is closed.
        if reading == nil { state.labels[channel] = nil }
      }
      return (nil, nil)
    }
    driver?.takeChannels(true)
    return message
  }

  // MARK: Figures

  var stats: TransportStats {
    var (stats, driver) = state.withLock { ($0.stats, $0.driver) }
    driver?.look { RTPStatsSnapshot($0.rtp, remote: $0.stats.remote, dropped: $0.stats.dropped).add(to: &stats) }
    return stats
  }

  func look(receiving source: Source) -> InboundSnapshot? {
    guard let driver, let ssrc = ssrc(of: source) else { return nil }
    return driver.look { peer in peer.rtp.stats(receiving: ssrc).map { InboundSnapshot(stream: $0, path: peer.rtp.pathStats) } }
  }

  func statsEntries(at time: Double) -> [JSON] {
    driver?.look { peer in
      let figures = peer.stats
      return RTPStatsSnapshot(peer.rtp, remote: figures.remote, dropped: figures.dropped).entries(of: 1, cipher: figures.cipher, at: time)
    } ?? []
  }

  // MARK: The network thread

  func driver(_ driver: PeerDriver, received arrivals: [PeerArrival]) {
    for arrival in arrivals {
      switch arrival {
      case .frame(let ssrc, let frame, _, let isAfterGap):
        let subscription: Subscription? = advance(ssrc, by: isAfterGap ? 2 : 1) { stats in
          stats.bytesReceived &+= UInt64(frame.bytes.count)
          stats.packetsReceived &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
        }
        subscription?.sink.receive(frame, subscription?.number ?? 0)
        if frame.isKeyFrame { note(ssrc, width: frame.native.pointee.width, height: frame.native.pointee.height) }
        frame.release()
      case .lost(let ssrc, let count):
        _ = advance(ssrc, by: FrameID(clamping: count)) { $0.packetsLost &+= UInt64(clamping: count) }
      case .dropped(let ssrc): advance(ssrc, by: 1) { _ in }?.sink.droppedOnArrival()
      case .event(.streamBegan(let ssrc, _, let mid, _)): state.withLock { $0.sections[ssrc] = mid }
      case .event(.streamEnded(let ssrc)): state.withLock { $0.sections[ssrc] = nil }
      case .event(.spoke(let ssrc, let level)):
        let source = state.withLock { state in state.sections[ssrc].flatMap { state.sources[$0] } }
        if let source { handle(.spoke(source, level: level.map { UInt32($0) })) }
      case .event: break
      }
    }
  }

  private func note(_ ssrc: SSRC, width: UInt32, height: UInt32) {
    let changed: Source? = state.withLock { state -> Source? in
      guard width > 0, height > 0, let source = state.sections[ssrc].flatMap({ state.sources[$0] }),
        var known = state.subscriptions[source], (known.width, known.height) != (width, height)
      else { return nil }
      (known.width, known.height) = (width, height)
      state.subscriptions[source] = known
      return source
    }
    if let changed { handle(.size(changed, width: width, height: height)) }
  }

  private func advance(_ ssrc: SSRC, by count: FrameID, _ note: (inout TransportStats) -> Void) -> Subscription? {
    state.withLock { state in
      note(&state.stats)
      guard let source = state.sections[ssrc].flatMap({ state.sources[$0] }) else { return nil }
      state.subscriptions[source]?.number += count
      return state.subscriptions[source]
    }
  }

  func driver(_ driver: PeerDriver, did events: [DataChannelEvent]) {
    let isNews = state.withLock { state in
      let wasEmpty = state.readable.isEmpty
      for event in events {
        switch state.channels.take(event) {
        case (let channel, .opened(let options, _))?: state.labels[channel] = options.label
        case (let channel, .readable)?: state.readable.append(channel)
        case (let channel, .closed)?: if !state.readable.contains(channel) { state.labels[channel] = nil }
        default: break
        }
      }
      // Room that is made meanwhile is not forgotten: it is looked at under the lock that says so.
      if !state.channels.hasRoom { driver.takeChannels(false) }
      return wasEmpty && !state.readable.isEmpty
    }
    if isNews { handle(.readable) }
  }

  func driver(_ driver: PeerDriver, did event: PeerDriverEvent) {
    switch event {
    case .restartWanted: handle(.restartWanted)
    case .peer(.candidate(let candidate, let mid, let user)): handle(.candidate("candidate:\(candidate.text)", mid: mid, user: user))
    case .peer(.candidatesComplete): handle(.candidatesComplete)
    case .peer(.state(.connected)): handle(.path(true))
    case .peer(.state(.disconnected)): handle(.path(false))
    case .peer(.state(.failed(let error))): handle(error.status == .timeout ? .path(false) : .failed(error))
    default: break
    }
  }
}
