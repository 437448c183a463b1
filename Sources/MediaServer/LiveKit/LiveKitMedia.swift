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
  private struct Remote {
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

  private struct State {
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
  private static let measuring: Int64 = 50_000_000
  /// Over which the rate of a video in one layer is averaged: a page of a screen comes at once, and little after it.
  static let averaging = 5e9

  private let place: LoopbackTransport
  private let grants: LiveKitGrants
  private let table: WebTable
  private let state: Monitor<State>

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

  private var owner: LiveKitMember? { state.withLock { $0.owner } }
  private var peer: ServedPeer? { state.withLock { $0.peer } }
  private var subscriber: ServedPeer? { state.withLock { $0.subscriber } }
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

  private func makePeer(_ owner: LiveKitMember) -> ServedPeer {
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

  private func withdraw(_ one: TrackForwarding) {
    place.unpublish(one.stream)
    table.liveKit.setTrack(nil, of: one.stream)
  }

  func end(_ error: MediaError) { owner?.leave(error) }

  /// A client that leaves says so by its WebSocket, too, which may be slower than the ends of its connections. Until it comes, nothing can be
  /// negotiated over them (`.state`).
  private func fail(_ error: MediaError, _ owner: LiveKitMember) {
    guard error.status == .closed || error.status == .state else { return owner.leave(error) }
    table.loop.schedule(at: table.clock.now() &+ LiveKitMedia.goodbye) { [weak owner] in owner?.leave(error) }
  }

  // MARK: Negotiation

  func take(offer sdp: String) {
    guard let owner else { return }
    let (now, sections) = (table.clock.now(), owner.look { $0.sections })
    do throws(MediaError) {
      guard state.withLock({ $0.requests.take(at: now) }) else { throw MediaError(.limit, "the client makes too many offers") }
      guard sections.count <= LiveKitMedia.mostSections else {
        throw MediaError(.format, "the offer has \(sections.count) sections; accepted: at most \(LiveKitMedia.mostSections)")
      }
      let peer = makePeer(owner)
      _ = try peer.take(offer: sdp)
      state.withLock { $0.isAsked = false }
      endPublishing(sections, owner)
      if subscriber == nil { fill(sections, peer, owner) }
      try peer.describe()
      let text = try peer.answer()
      let sent: [(String, String)] = state.withLock { state in
        guard state.subscriber == nil else { return [] }
        state.vacated = []
        return state.remotes.compactMap { one in one.mid.map { ($0, one.sid) } }
      }
      owner.change { $0.answer(text, tracks: Dictionary(sent) { first, _ in first }) }
      arrange()
    } catch {
      fail(error, owner)
    }
  }

  func addRemote(candidate: String, mid: String?, isSubscribing: Bool) {
    (isSubscribing ? subscriber : peer)?.add(candidate: candidate, mid: mid)
  }

  /// Tracks that the client sends no longer.
  private func endPublishing(_ sections: [LiveKitOffer.Section], _ owner: LiveKitMember) {
    let live = owner.look { signalling in Set(sections.filter(\.isSent).compactMap { signalling.track(of: $0)?.sid }) }
    let gone: [(sid: String, forwarding: TrackForwarding)] = state.withLock { state in
      for sid in live { state.forwardings[sid]?.isOffered = true }
      let gone = state.forwardings.filter { $0.value.isOffered && !live.contains($0.key) }
      for sid in gone.keys { state.forwardings[sid] = nil }
      return gone.map { ($0.key, $0.value) }
    }
    for one in gone {
      withdraw(one.forwarding)
      owner.change { $0.unpublish(one.sid) }
    }
  }

  /// The same of one, which may not have been offered yet.
  func withdraw(_ sid: String) {
    if let gone = state.withLock({ $0.forwardings.removeValue(forKey: sid) }) { withdraw(gone) }
    owner?.change { $0.unpublish(sid) }
  }

  /// Streams that the client takes and is not sent, in their order.
  private func waiting(_ owner: LiveKitMember) -> [StreamDescription] {
    guard grants.subscribes else { return [] }
    let remotes = state.withLock { $0.remotes.filter { $0.lane == nil && !$0.isRefused } }
    return owner.look { signalling in remotes.filter { signalling.wants($0.sid) }.map(\.stream) }
  }

  /// Puts streams into sections that have none, audio first.
  private func fill(_ sections: [LiveKitOffer.Section], _ peer: ServedPeer, _ owner: LiveKitMember) {
    let waiting = waiting(owner)
    for isVideo in [false, true] {
      var free = state.withLock { $0.free(sections, isVideo: isVideo) }
      for stream in waiting where isVideo == stream.isVideo {
        guard state.withLock({ $0.laneCount < LiveKitMedia.mostLanes }) else { break }
        guard let codec = ForwardedCodec(stream.codec), let place = free.firstIndex(where: { $0.codecs.contains(codec.name) }) else {
          continue
        }
        send(stream, in: free.remove(at: place).mid, peer, owner)
      }
      let taken = Set(sections.filter { $0.isVideo == isVideo && $0.isReceived }.flatMap(\.codecs))
      for stream in waiting where isVideo == stream.isVideo && !taken.isEmpty {
        guard let codec = ForwardedCodec(stream.codec), !taken.contains(codec.name) else { continue }
        cannotReceive(stream.id, because: MediaError(.unsupported, "the stream is of \(codec.name), which the client does not receive"))
      }
    }
  }

  /// Whoever publishes it is notified once.
  private func cannotReceive(_ stream: StreamID, because error: MediaError) {
    let isNews = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }), !state.remotes[index].isRefused else { return false }
      state.remotes[index].isRefused = true
      return true
    }
    if isNews { place.cannotReceive(stream, because: error) }
  }

  /// Of version 0: what waits is offered, once the answer to the offer before has come.
  private func offer(_ subscriber: ServedPeer, _ owner: LiveKitMember) {
    guard state.withLock({ !$0.isOffering }) else { return }
    do throws(MediaError) {
      for stream in waiting(owner) where state.withLock({ $0.laneCount < LiveKitMedia.mostLanes }) {
        send(stream, in: nil, subscriber, owner)
      }
      guard subscriber.needsNegotiation, takeTurn() else { return }
      let text = try subscriber.offer()
      state.withLock { ($0.isOffering, $0.lastOffer) = (true, text) }
      owner.change { $0.offer(text) }
    } catch {
      fail(error, owner)
    }
  }

  /// To an offer of this end.
  func take(answer sdp: String) {
    guard let subscriber, let owner, state.withLock({ $0.isOffering }) else { return }
    do throws(MediaError) {
      try subscriber.take(answer: sdp)
      state.withLock { $0.isOffering = false }
      offer(subscriber, owner)
    } catch {
      fail(error, owner)
    }
  }

  /// `mid`: the section of the client's offer; nil: one that this end offers.
  private func send(_ stream: StreamDescription, in mid: String?, _ peer: ServedPeer, _ owner: LiveKitMember) {
    let (sid, group) = (LiveKitRegistry.sid(of: stream.id), owner.look { $0.sid(of: stream.userID) } ?? "")
    let place = place
    let lane = PlayerLane(isVideo: stream.isVideo, over: peer.transport, clock: table.clock) { place.requestKeyFrame(of: $0) }
    do throws(MediaError) {
      try peer.publish(
        lane.stream, codec: stream.codec, format: stream.format, in: mid, as: (group: "\(group)|\(sid)", id: sid),
        appendsTrailers: stream.carriesMetadata && owner.look { $0.takesTrailers })
    } catch {
      // This section cannot take it; another offer may have one that can.
      return
    }
    lane.follow(stream.id)
    let isPaused: Bool = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream.id }) else { return true }
      (state.remotes[index].mid, state.remotes[index].lane) = (mid, lane)
      return state.remotes[index].isPaused
    }
    if !isPaused { subscribe(to: stream.id, lane) }
  }

  /// Asks the client for an offer, if a stream waits for a section.
  func arrange() {
    guard let owner else { return }
    if let subscriber { return offer(subscriber, owner) }
    let (waiting, sections, now) = (waiting(owner), owner.look { $0.sections }, table.clock.now())
    let missing: [Int]? = state.withLock { state in
      guard !state.isAsked, state.peer != nil, !waiting.isEmpty, state.laneCount < LiveKitMedia.mostLanes else { return nil }
      let missing = [false, true].map { isVideo in
        max(0, waiting.count { $0.isVideo == isVideo } - state.free(sections, isVideo: isVideo).count)
      }
      guard sections.count + missing[0] + missing[1] <= LiveKitMedia.mostSections else { return nil }
      guard state.turns.take(at: now) else {
        rest(&state, now)
        return nil
      }
      state.isAsked = true
      return missing
    }
    if let missing { owner.change { $0.require(audio: missing[0], video: missing[1]) } }
  }

  /// False: it is tried again when there may be another.
  private func takeTurn() -> Bool {
    let now = table.clock.now()
    return state.withLock { state in
      if state.turns.take(at: now) { return true }
      rest(&state, now)
      return false
    }
  }

  private func rest(_ state: inout State, _ now: Int64) {
    guard !state.isResting else { return }
    state.isResting = true
    table.loop.schedule(at: state.turns.time(at: now)) { [weak self] in
      guard let self else { return }
      self.state.withLock { $0.isResting = false }
      arrange()
    }
  }

  // MARK: Streams of others

  func add(_ stream: StreamDescription) { state.withLock { $0.remotes.append(Remote(stream: stream)) } }

  /// Whose it is; nil: it is not known.
  func publisher(of stream: StreamID) -> String? { state.withLock { $0.remotes.first { $0.stream.id == stream }?.stream.userID } }

  /// Whose it was; nil: it is not known.
  func remove(_ stream: StreamID) -> String? {
    stop(stream)
    defer { arrange() }
    return state.withLock { state in
      state.remotes.firstIndex { $0.stream.id == stream }.map { state.remotes.remove(at: $0).stream.userID }
    }
  }

  private func stop(_ stream: StreamID) {
    let lane: PlayerLane? = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }) else { return nil }
      if let mid = state.remotes[index].mid.take() { state.vacated.insert(mid) }
      return state.remotes[index].lane.take()
    }
    guard let lane else { return }
    place.unsubscribe(from: stream)
    if let subscriber { subscriber.endSection(of: lane.stream) } else { peer?.transport.unpublish(lane.stream) }
  }

  /// The client takes a track, or does not any more.
  func setWanted(_ sid: String, _ isWanted: Bool) {
    if !isWanted, let stream = LiveKitRegistry.stream(of: sid) { stop(stream) }
    arrange()
  }

  /// The client is not to be sent a track for the moment, or is again.
  func setPaused(_ sid: String, _ isPaused: Bool) {
    guard let stream = LiveKitRegistry.stream(of: sid) else { return }
    let lane: PlayerLane? = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }), state.remotes[index].isPaused != isPaused else {
        return nil
      }
      state.remotes[index].isPaused = isPaused
      return state.remotes[index].lane
    }
    guard let lane else { return }
    if isPaused { return place.unsubscribe(from: stream) }
    lane.follow(stream)
    subscribe(to: stream, lane)
  }

  private func subscribe(to stream: StreamID, _ lane: PlayerLane) {
    place.subscribe(to: stream, .encoded(lane))
    guard lane.isVideo, let most = state.withLock({ $0.remotes.first { $0.stream.id == stream }?.most }) else { return }
    place.choose(most, of: stream)
    allocate()
  }

  /// What is of use to the client of a track, the best of its layers, and how much it matters beside others.
  func setPreference(_ sid: String, _ preference: VideoPreference, layer: Int, rank: UInt8) {
    guard let stream = LiveKitRegistry.stream(of: sid) else { return }
    guard (try? preference.check(argument: sid)) != nil else { return }
    state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }) else { return }
      (state.remotes[index].most, state.remotes[index].rank) = (layer, rank)
      state.remotes[index].wantsBase = preference.frameRate.map { $0.perSecond <= LiveKitMedia.baseRate } ?? false
    }
    place.prefer(preference, of: stream)
    place.choose(layer, of: stream)
    allocate()
  }

  /// How well the client is connected; nil: it is not known yet.
  func sampleQuality(now: Int64) -> LiveKitConnectionQuality? {
    let figures = [peer, subscriber].map { $0?.transport.networkFigures ?? NetworkFigures() }
    return state.withLock { $0.quality.sample(figures, isLost: $0.wasConnected && !$0.isConnected, now: now) }
  }

  // MARK: Layers

  /// Gives the streams that the client is sent layers for which its path has room, now and as these change.
  private func allocate() {
    let now = table.clock.now()
    let sent = state.withLock { $0.remotes.filter { $0.lane != nil && !$0.isPaused } }
    guard sent.contains(where: \.stream.isVideo) else { return }
    let layers = Dictionary(uniqueKeysWithValues: sent.map { ($0.stream.id, place.layers(of: $0.stream.id)) })
    let (allowed, changes, demand, isFollowed): ([StreamID: Int], [Remote], LayerAllocator.Demand, Bool) = state.withLock { state in
      if now &- state.measured >= LiveKitMedia.measuring { state.measure(now) }
      var lanes: [LayerAllocator.Lane] = []
      for one in state.remotes where one.lane?.isVideo == true {
        guard let layers = layers[one.stream.id] else { continue }
        let isLayered = layers.count > 1
        func single(_ rate: Double?) -> [UInt64] { [rate.map { UInt64(max(1, $0)) } ?? 0] }
        lanes.append(
          LayerAllocator.Lane(
            stream: one.stream.id, rates: isLayered ? layers.map(\.bitrate) : single(one.rate), most: one.most,
            isScreen: one.stream.isScreen, rank: one.rank,
            baseRates: isLayered ? layers.map(\.baseBitrate) : single(one.baseRate), wantsBase: one.wantsBase))
      }
      defer { state.isAllocating = true }
      let allowed = state.allocator.allocate(lanes, besides: UInt64(state.audioRate), estimate: state.estimate, now: now)
      var changes: [Remote] = []
      for one in state.remotes { one.lane?.thin(state.allocator.isThinned(one.stream.id)) }
      for index in state.remotes.indices {
        guard let layer = allowed[state.remotes[index].stream.id], state.remotes[index].isHeld != (layer < 0) else { continue }
        state.remotes[index].isHeld = layer < 0
        changes.append(state.remotes[index])
      }
      return (allowed, changes, state.allocator.demand, state.isAllocating)
    }
    for (stream, layer) in allowed where (layers[stream]?.count ?? 0) > 1 { place.allow(max(0, layer), of: stream) }
    (subscriber ?? peer)?.setDemand(demand.bits, isShort: demand.isShort)
    for one in changes {
      one.lane?.hold(one.isHeld)
      owner?.change { $0.setPaused(one.sid, one.isHeld) }
    }
    guard !isFollowed else { return }
    table.loop.schedule(at: now &+ LiveKitMedia.allocation) { [weak self] in
      self?.state.withLock { $0.isAllocating = false }
      self?.allocate()
    }
  }

  private func lane(_ stream: StreamID) -> PlayerLane? { state.withLock { $0.remotes.first { $0.lane?.stream == stream }?.lane } }

  // MARK: Streams of the client

  var publishedAudio: [String] { state.withLock { $0.forwardings.filter { !$0.value.isVideo }.map(\.key).sorted() } }

  /// Of audio the room is told, and it is not passed on.
  func setMuted(_ sid: String, _ isMuted: Bool) {
    guard let one = state.withLock({ $0.forwardings[sid] }), !one.isVideo else { return }
    one.setMuted(isMuted)
    place.setMuted(one.stream, isMuted)
  }

  func requestKeyFrame(of stream: StreamID) {
    let now = table.clock.now()
    guard let one = state.withLock({ $0.forwardings.values.first { $0.stream == stream } }) else { return }
    for source in one.toBeAsked(now: now) { peer?.transport.requestKeyFrame(of: source) }
  }

  /// A session of this library publishes it, and says in which format: others know of it before its media comes.
  func announced(_ sid: String) {
    guard let owner, let track = owner.look({ $0.announced(sid) }), let format = LiveKitMedia.format(of: track) else { return }
    if let known = state.withLock({ $0.forwardings[sid] }) { return place.setFormat(known.stream, format) }
    let codec = ForwardedCodec(named: track.codec)?.fourcc ?? WebMember.codec(isVideo: track.isVideo)
    let error = publish(track, codec, format, layers: track.layers, owner)
    if let error { owner.change { $0.unpublish(sid, because: error) } }
  }

  private static func format(of track: LiveKitTrack) -> StreamFormat? {
    if let format = track.videoFormat { return .video(format, kind: kind(of: track)) }
    return track.audioFormat.map { .audio($0, kind: kind(of: track)) }
  }

  private static func kind(of track: LiveKitTrack) -> UInt32 {
    guard track.isVideo else { return track.isScreen ? UInt32(MSDK_AUDIO_SCREEN_SHARE) : UInt32(MSDK_AUDIO_MICROPHONE) }
    return track.isScreen ? VideoKind.screenShare.rawValue : VideoKind.virtual.rawValue
  }

  /// Hands it to the room, if it is not there yet. The error with which it is not permitted.
  private func publish(
    _ track: LiveKitTrack, _ codec: UInt32, _ format: StreamFormat, layers: Int, _ owner: LiveKitMember
  ) -> MediaError? {
    guard let stream = LiveKitRegistry.stream(of: track.sid) else { return nil }
    guard grants.publishes, grants.sources.isEmpty || track.source.map({ grants.sources.contains($0) }) == true else {
      return MediaError(.permission, "the access token does not grant the client to publish \(track.source ?? "the track")")
    }
    guard state.withLock({ $0.forwardings[track.sid] == nil }) else { return nil }
    // Others ask for it as soon as the room has the stream.
    table.liveKit.setTrack(track, of: stream)
    do throws(MediaError) {
      try place.publish(
        stream, codec: codec, format: format, layers: StreamLayers(count: layers), isEncrypted: track.isEncrypted,
        carriesMetadata: track.carriesMetadata)
    } catch {
      table.liveKit.setTrack(nil, of: stream)
      return error
    }
    state.withLock { $0.forwardings[track.sid] = TrackForwarding(stream, isVideo: track.isVideo) }
    if !track.isVideo, track.isMuted || owner.isSilenced { place.setMuted(stream, true) }
    return nil
  }

  /// Media has come of a track that the client announced.
  private func publish(_ source: StreamDescription, _ peer: ServedPeer, _ owner: LiveKitMember) {
    guard let mid = peer.section(of: source.id) else { return }
    let (announced, names): (LiveKitTrack?, [String]) = owner.look { signalling in
      guard let section = signalling.sections.first(where: { $0.mid == mid }) else { return (nil, []) }
      return (signalling.track(of: section), section.isVideo ? section.layers : [])
    }
    guard var track = announced, track.isVideo == source.isVideo, let stream = LiveKitRegistry.stream(of: track.sid) else { return }
    // Clients announce it for tracks in layers only.
    if let codec = ForwardedCodec(source.codec) { track.codec = codec.name }
    let format: StreamFormat =
      switch source.format {
      case .video(let format, _): .video(format, kind: LiveKitMedia.kind(of: track))
      case .audio(let format, _): .audio(format, kind: LiveKitMedia.kind(of: track))
      }
    // What is not permitted does not keep the rest from going on.
    guard publish(track, source.codec, format, layers: names.count, owner) == nil else { return }
    let layer = peer.rid(of: source.id).flatMap { names.firstIndex(of: $0) } ?? 0
    let outlet = place.outlet(of: stream, layer: layer)
    let one = PublisherForwarding(
      source.id, as: stream, isVideo: track.isVideo, layer: layer, isMuted: track.isMuted || owner.isSilenced, to: outlet)
    state.withLock { $0.forwardings[track.sid]?.add(one) }
    peer.transport.subscribe(to: source.id, .encoded(track.carriesMetadata ? MetadataSink(one) : one))
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
      let isFirst = state.withLock { state in
        defer { (state.wasConnected, state.isConnected) = (true, true) }
        return !state.wasConnected
      }
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
    let absence = state.withLock { state in
      (state.isConnected, state.absences) = (false, state.absences + 1)
      return state.absences
    }
    table.loop.schedule(at: table.clock.now() &+ LiveKitMedia.absence) { [weak self] in
      guard let self, state.withLock({ !$0.isConnected && $0.absences == absence }) else { return }
      end(MediaError(.timeout, "the path to the client was lost for \(LiveKitMedia.absence / 1_000_000_000) s"))
    }
  }
}
