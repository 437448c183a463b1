import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// The connections of WebRTC to a client of LiveKit, and what passes between them and the room. In version 1 of the signalling there is one, and
/// the client alone offers: where it has no section for a stream, it is asked for one. In version 0 this end offers another one, by which the
/// client subscribes. Events come on the server's event loop, and what is not said to may be called from any
/// thread is called there.
final class LiveKitMedia: WebPathSeeker, TransportDelegate {
  /// A stream of another member.
  struct Remote {
    let stream: StreamDescription
    /// The section, and what is sent in it; nil: it is not sent.
    var mid: String?
    var lane: PlayerLane?
    var isPaused = false
    /// The client does not receive its codec.
    var isRefused = false
    /// Its path has no room for it.
    var isHeld = false
    /// Of a video in one layer, what it takes in bits a second, over some seconds.
    var rate: Double?
    /// The same without its droppable frames.
    var baseRate: Double?
    /// The best of its layers that is of use to the client.
    var most = StreamLayers.most - 1
    /// It shows few frames.
    var wantsBase = false
    var rank = LayerAllocator.usualRank
    var sid: String { LiveKitRegistry.sid(of: stream.id) }
  }

  struct State {
    /// Who is told and asked; nil: it is over.
    var owner: LiveKitMember?
    /// By which the client publishes; in version 1 of the signalling it subscribes by it, too.
    var peer: ServedPeer?
    /// By which it subscribes, in version 0.
    var subscriber: ServedPeer?
    /// An offer of that waits for its answer.
    var isOffering = false
    var lastOffer = ""
    var data: LiveKitData?
    /// In the order of their publishing.
    var remotes: [Remote] = []
    /// Sections in which something was sent that ended after the last answer. A client does not notice that a track is another, or was away
    /// for a while, where there was no answer without it.
    var vacated: Set<String> = []
    /// Of this client, by the sids of its tracks.
    var forwardings: [String: TrackForwarding] = [:]
    /// The sids of those that an offer had, and of those whose media has come: without a section that sends them they have ended.
    var offered: Set<String> = []
    /// Of layers that the client is sent, by what its path takes; 0: no bound is known.
    var allocator = LayerAllocator()
    var estimate: UInt64 = 0
    var isAllocating = false
    /// When what the streams take was measured, and what audio takes, in bits a second.
    var measured: Int64
    var audioRate = 0.0
    var quality = ClientQuality()
    /// The client was asked for an offer, which has not come.
    var isAsked = false
    var requests: WorkAllowance
    /// What the client is asked for or offered as others publish and end. Less than its `requests`: others must not use those up.
    var turns: WorkAllowance
    var isResting = false
    var wasConnected = false
    var isConnected = false
    var absences = 0

    var laneCount: Int { remotes.count { $0.lane != nil } }

    /// What has been sent since the last time.
    mutating func measure(_ now: Int64) {
      let elapsed = Double(now &- measured)
      func average(_ bytes: Int, after known: Double?) -> Double {
        let rate = Double(bytes) * 8 * 1_000_000_000 / elapsed
        return known.map { $0 + (rate - $0) * min(1, elapsed / LiveKitMedia.averaging) } ?? rate
      }
      (measured, audioRate) = (now, 0)
      for index in remotes.indices {
        guard let lane = remotes[index].lane, !remotes[index].isPaused else { continue }
        let bytes = lane.takeByteCounts()
        if lane.isVideo {
          remotes[index].rate = average(bytes.all, after: remotes[index].rate)
          remotes[index].baseRate = average(bytes.base, after: remotes[index].baseRate)
        } else {
          audioRate += average(bytes.all, after: nil)
        }
      }
    }

    /// Sections in which something may be sent.
    func free(_ sections: [LiveKitOffer.Section], isVideo: Bool) -> [LiveKitOffer.Section] {
      sections.filter { section in
        section.isVideo == isVideo && section.isReceived && !section.isSent && !vacated.contains(section.mid)
          && !remotes.contains { $0.mid == section.mid }
      }
    }
  }

  /// Nanoseconds for the first path, and for another one after it was lost.
  static let connecting: Int64 = 20_000_000_000
  static let absence: Int64 = 30_000_000_000
  /// Streams that are sent to one client.
  static let mostLanes = 64
  /// Sections of an offer: as many as may be sent, and as many as may be announced.
  static let mostSections = 160
  /// Nanoseconds after which layers are allocated anew.
  static let allocation: Int64 = 500_000_000
  /// Of a client that shows at most so many frames a second: without the droppable ones, of the usual 30, there are as many.
  static let baseRate = 15.0
  /// Nanoseconds over which rates are measured at least: estimates come more often than frames.
  static let measuring: Int64 = 50_000_000
  /// Over which the rate of a video in one layer is averaged: a page of a screen comes at once, and little after it.
  static let averaging = 5e9

  let place: LoopbackTransport
  let grants: LiveKitGrants
  let table: WebTable
  let state: Monitor<State>

  init(of place: LoopbackTransport, _ grants: LiveKitGrants, _ table: WebTable) {
    (self.place, self.grants, self.table) = (place, grants, table)
    let now = table.clock.now()
    let (burst, perSecond) = (WebMember.requests, WebMember.requestsPerSecond)
    state = Monitor(
      State(
        measured: now, requests: WorkAllowance(burst: burst, perSecond: perSecond, now: now),
        turns: WorkAllowance(burst: burst / 2, perSecond: perSecond / 2, now: now)))
  }

  func begin(_ owner: LiveKitMember) {
    let data = LiveKitData(table, hasRoom: { [place] in place.hasRoomForData }) { [weak owner] result, isReliable in
      switch result {
      case .success(let packet): owner?.send(packet, isReliable: isReliable)
      case .failure(let error): owner?.leave(error)
      }
    }
    state.withLock { ($0.owner, $0.data) = (owner, data) }
  }

  var owner: LiveKitMember? { state.withLock { $0.owner } }
  var peer: ServedPeer? { state.withLock { $0.peer } }
  var subscriber: ServedPeer? { state.withLock { $0.subscriber } }
  /// nil: it is over.
  var data: LiveKitData? { state.withLock { $0.data } }

  /// Nanoseconds for a goodbye, once a connection of WebRTC has ended.
  static let goodbye: Int64 = 1_000_000_000

  private func connect() -> ServedPeer {
    let made = ServedPeer(
      offersLoopback: table.offersLoopback, bitrates: table.options.bitrates, hasChannels: true, forwards: true, ports: table.ports,
      thread: table.thread, network: table.network, loop: table.loop)
    made.transport.connect(self)
    return made
  }

  func makePeer(_ owner: LiveKitMember) -> ServedPeer {
    if let peer { return peer }
    let made = connect()
    let (isHere, isOnly): (Bool, Bool) = state.withLock { state in
      // It was closed meanwhile.
      guard state.owner != nil else { return (false, false) }
      state.peer = made
      return (true, state.subscriber == nil)
    }
    if !isHere { made.transport.disconnect() }
    if isOnly { expect(owner) }
    return made
  }

  /// The connection by which the client subscribes: without a path it is not there.
  private func expect(_ owner: LiveKitMember) {
    table.begins(self, of: owner)
    table.loop.schedule(at: table.clock.now() &+ LiveKitMedia.connecting) { [weak self] in
      guard let self, !state.withLock({ $0.wasConnected }) else { return }
      end(MediaError(.timeout, "no path to the client was found within \(LiveKitMedia.connecting / 1_000_000_000) s"))
    }
  }

  /// The client knows who is there.
  func welcome() {
    guard let owner, owner.look({ $0.version }) == .zero else { return }
    let subscriber = connect()
    let isHere = state.withLock { state in
      if state.owner != nil { state.subscriber = subscriber }
      return state.owner != nil
    }
    // It was closed meanwhile.
    guard isHere else { return subscriber.transport.disconnect() }
    expect(owner)
    // With these there is something to be offered, though nobody sends.
    data?.open(over: subscriber.transport)
    arrange()
  }

  /// The client has come back, perhaps from elsewhere. In version 1 it restarts ICE itself.
  func resume() {
    guard let subscriber, let owner else { return }
    do throws(MediaError) {
      try subscriber.restartICE()
      // What was offered may not have come, nor its answer: the client answers once more, and is offered the rest then.
      if let text = state.withLock({ $0.isOffering ? $0.lastOffer : nil }) {
        owner.change { $0.offer(text) }
      } else {
        offer(subscriber, owner)
      }
    } catch {
      fail(error, owner)
    }
  }

  // MARK: The end

  /// From any thread.
  func close() {
    let former: State = state.withLock { state in
      defer {
        (state.owner, state.peer, state.subscriber, state.data) = (nil, nil, nil, nil)
        (state.remotes, state.forwardings) = ([], [:])
      }
      return state
    }
    table.forget(self)
    for one in former.remotes where one.lane != nil { place.unsubscribe(from: one.stream.id) }
    for one in former.forwardings.values { withdraw(one) }
    former.peer?.transport.disconnect()
    former.subscriber?.transport.disconnect()
  }

  func withdraw(_ one: TrackForwarding) {
    place.unpublish(one.stream)
    table.liveKit.setTrack(nil, of: one.stream)
  }

  func end(_ error: MediaError) { owner?.leave(error) }

  /// A client that leaves says so by its WebSocket, too, which may be slower than the ends of its connections. Until it comes, nothing can be
  /// negotiated over them (`.state`).
  func fail(_ error: MediaError, _ owner: LiveKitMember) {
    guard error.status == .closed || error.status == .state else { return owner.leave(error) }
    table.loop.schedule(at: table.clock.now() &+ LiveKitMedia.goodbye) { [weak owner] in owner?.leave(error) }
  }

  // MARK: Events of the connection

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    guard let owner else { return }
    let (peer, subscriber) = (peer, subscriber)
    // The other one may come and go.
    let isAwaited = transport === (subscriber ?? peer)?.transport
    switch event {
    case .signal(.localCandidate(let text, let mid, _)):
      let isSubscribing = transport === subscriber?.transport
      owner.change { $0.trickle(text, mid: mid, isSubscribing: isSubscribing) }
    case .connected, .reconnected:
      guard isAwaited else { return }
      let (isFirst, lanes) = state.withLock { state in
        defer { (state.wasConnected, state.isConnected) = (true, true) }
        return (!state.wasConnected, state.remotes.compactMap(\.lane))
      }
      for lane in lanes { lane.setReachable(true) }
      guard isFirst else { return }
      table.connected(self, of: owner)
      if subscriber == nil { data?.open(over: transport) }
    case .reconnecting: if isAwaited { lost() }
    case .disconnected(let error):
      fail(error ?? MediaError(.closed, "the client ended the connection"), owner)
    case .streamAdded(let stream): if let peer { publish(stream, peer, owner) }
    case .speaking(let source, _, let isSpeaking, let level):
      let one = state.withLock { $0.forwardings.values.first { $0.has(source) } }
      if let one { place.setSpeaking(one.stream, isSpeaking, level: level) }
    case .channel(let channel, let event): data?.follow(event, of: channel, over: transport)
    case .receivers(let stream, let count): lane(stream)?.setTaken(count > 0)
    case .keyFrameRequested(let stream): lane(stream)?.keyFrameRequested()
    case .publishFailed(let stream, let error):
      if let remote = state.withLock({ $0.remotes.first { $0.lane?.stream == stream }?.stream.id }) {
        cannotReceive(remote, because: error)
      }
    case .estimate(let estimate):
      guard isAwaited else { return }
      state.withLock { $0.estimate = estimate }
      allocate()
    default: break
    }
  }

  private func lost() {
    let (absence, lanes) = state.withLock { state in
      (state.isConnected, state.absences) = (false, state.absences + 1)
      return (state.absences, state.remotes.compactMap(\.lane))
    }
    for lane in lanes { lane.setReachable(false) }
    table.loop.schedule(at: table.clock.now() &+ LiveKitMedia.absence) { [weak self] in
      guard let self, state.withLock({ !$0.isConnected && $0.absences == absence }) else { return }
      end(MediaError(.timeout, "the path to the client was lost for \(LiveKitMedia.absence / 1_000_000_000) s"))
    }
  }
}
