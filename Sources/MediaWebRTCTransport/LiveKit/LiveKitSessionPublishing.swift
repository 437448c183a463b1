import MediaCore
import MediaSDP
import MediaSignalling
import MediaTransport

/// What the session sends, in a connection of its own: announced to the server first, then offered.
extension LiveKitSession {
  func publish(_ one: RoomPublication) throws(MediaError) {
    let isJoined = try state.withLock { state throws(MediaError) in
      if let mask = state.client.mask, !Permissions(rawValue: mask).isSuperset(of: one.format.needed) {
        throw MediaError(.permission, "the room does not permit \"\(own.userID.prefix(64))\" to \(one.format.publishing)")
      }
      state.publications.append(one)
      return state.isJoined
    }
    if isJoined { announce(one) }
  }

  func announce(_ one: RoomPublication) {
    var sizes: [(width: UInt32, height: UInt32)] = []
    if case .video(let format, _) = one.format {
      sizes = one.layers.layers.indices.map { one.layers.size(of: $0, width: format.width, height: format.height) }
    }
    change { state, now in
      state.nextCID += 1
      let cid = "\(label)-\(state.nextCID)"
      state.cids[one.id] = cid
      state.client.announce(
        cid, isScreen: one.isScreen, layers: sizes, isMuted: one.isMuted, isEncrypted: own.encrypts,
        carriesMetadata: one.carriesMetadata, format: one.format.announced, now: now)
    }
  }

  func setFormat(_ stream: StreamID, _ format: StreamFormat) {
    change { state, _ in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return }
      state.publications[place].format = format
      if let cid = state.cids[stream] { state.client.setFormat(cid, format.announced) }
    }
  }

  /// The server knows what is about to come.
  func publish(_ cid: String, carriesMetadata: Bool) throws(MediaError) {
    // It may have ended meanwhile.
    guard let one = state.withLock({ state in state.publications.first { state.cids[$0.id] == cid } }) else { return }
    guard let publisher = connectPublisher() else { return }
    // Of a session before this one others may be known.
    if one.isVideo {
      tell([.layers(one.id, active: one.layers.layers.map { _ in true }, bitrates: []), .wanted(one.id, .any)])
    }
    do throws(MediaError) {
      let layers = one.layers.layers.count > 1 ? LiveKitClient.layerNames.prefix(one.layers.layers.count) : []
      try publisher.publish(
        one.id, one.codec, one.format, layers: Array(layers), as: RTPMedia.Track(label, cid), appendsTrailers: carriesMetadata)
    } catch {
      return refused(cid, error)
    }
    loop.post { [self] in offer() }
  }

  /// The connection that sends, which begins with the first thing to be sent. nil: the session has left.
  func connectPublisher() -> WebRTCTransport? {
    state.withLock { state in
      guard !state.isLeft, state.publisher == nil else { return state.publisher }
      let made = WebRTCTransport(
        options, servers: state.servers, own: own.userID, thread: thread, network: network, loop: loop, capture: capture,
        keepsCapture: true)
      // Whoever else sends first, on another thread, finds it connecting.
      made.connect(self)
      state.publisher = made
      return made
    }
  }

  func refused(_ cid: String, _ error: MediaError) {
    let (stream, publisher): (StreamID?, WebRTCTransport?) = state.withLock { state in
      state.client.withdraw(cid)
      guard let stream = state.stream(cid) else { return (nil, nil) }
      state.forget(stream)
      return (stream, state.publisher)
    }
    guard let stream else { return }
    publisher?.unpublish(stream, endsSection: true)
    tell([.publishFailed(stream, error)])
  }

  func unpublish(_ stream: StreamID) {
    let publisher: WebRTCTransport? = state.withLock { state in
      if let cid = state.cids[stream] { state.client.withdraw(cid) }
      state.forget(stream)
      return state.publisher
    }
    publisher?.unpublish(stream, endsSection: true)
    loop.post { [self] in advance() }
  }

  func setMuted(_ stream: StreamID, _ isMuted: Bool) {
    change { state, _ in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return }
      state.publications[place].isMuted = isMuted
      if let cid = state.cids[stream] { state.client.setMuted(cid, isMuted) }
    }
  }

  /// What is wanted, and in no description yet; when the one before was answered.
  func offer() {
    let publisher: WebRTCTransport? = state.withLock { state in
      guard !state.isOffering, !state.isLeaving, !state.hasFailed, let publisher = state.publisher else { return nil }
      state.isOffering = true
      return publisher
    }
    guard let publisher else { return }
    do throws(MediaError) {
      guard publisher.needsNegotiation else { return state.withLock { $0.isOffering = false } }
      _ = try publisher.describe()
      let text = try publisher.localDescription()
      change { state, now in
        state.offer = text
        state.client.offer(text, now: now)
      }
    } catch {
      fail(error)
    }
  }

  func take(answer sdp: String) throws(MediaError) {
    guard let publisher = state.withLock({ $0.isOffering ? $0.publisher : nil }) else { return }
    _ = try publisher.setRemote(.answer, sdp)
    state.withLock { $0.isOffering = false }
    offer()
  }

  /// Of the publisher's connection.
  func transport(_ transport: any Transport, _ event: TransportEvent) {
    guard let publisher = state.withLock({ $0.isLeft ? nil : $0.publisher }), publisher === transport else { return }
    switch event {
    case .signal(.negotiationNeeded): offer()
    case .signal(.localCandidate(let text, let mid, let user)):
      change { state, _ in
        if LiveKitSession.isNew(text, user, in: state.offer) { state.client.add(candidate: text, mid: mid, isSubscribing: false) }
      }
    case .signal(.restartWanted): renew()
    case .signal: return
    case .connected, .reconnected: found(.sending)
    case .reconnecting: lost(.sending)
    case .disconnected(let error): ended(.sending, error ?? MediaError(.closed, "LiveKit: the server ended the connection that publishes"))
    case .receivers(let stream, let count):
      countReceivers(of: stream) { state, place in state.publications[place].isTaken = count > 0 }
    case .layers(let stream, let active, _): follow(stream) { $0.taken = active }
    case .publishFailed(let stream, let error): if let cid = state.withLock({ $0.cids[stream] }) { refused(cid, error) }
    case .keyFrameRequested, .estimate, .network: tell([event])
    case .channel(let channel, let event): follow(event, of: channel)
    default: return
    }
  }

  /// Others receive a stream, or want something else of it than before.
  func demanded(_ cid: String, _ receivers: Int, _ wish: VideoPreference) {
    guard let stream = state.withLock({ $0.stream(cid) }) else { return }
    countReceivers(of: stream) { state, _ in state.receivers[stream] = receivers }
    // What no program could say is nobody's wish.
    guard (try? wish.check(argument: cid)) != nil else { return }
    let isNews = state.withLock { $0.wishes.updateValue(wish, forKey: stream) ?? .any } != wish
    if isNews { tell([.wanted(stream, wish)]) }
  }

  /// How many receive a stream: those in the room, where the server says, once it takes the stream; else the server itself.
  private func countReceivers(of stream: StreamID, after change: (inout State, _ place: Int) -> Void) {
    let news: Int? = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return nil }
      let former = state.receiverCount(of: place)
      change(&state, place)
      let now = state.receiverCount(of: place)
      return now == former ? nil : now
    }
    if let news { tell([.receivers(stream, news)]) }
  }

  /// The server takes other layers of a stream than before, or others want some.
  func follow(_ stream: StreamID, _ change: (inout PublishedLayers) -> Void) {
    let news: [Bool]? = state.withLock { state in
      guard let one = state.publications.first(where: { $0.id == stream }) else { return nil }
      var layers = state.layers[stream] ?? PublishedLayers(count: one.layers.layers.count)
      let former = layers.active
      change(&layers)
      state.layers[stream] = layers
      return layers.active == former ? nil : layers.active
    }
    if let news { tell([.layers(stream, active: news, bitrates: [])]) }
  }
}

extension StreamFormat {
  /// As it is said to a server of this library.
  fileprivate var announced: LiveKitClient.Format {
    switch self {
    case .video(let format, _): .video(format)
    case .audio(let format, _): .audio(format)
    }
  }
}
