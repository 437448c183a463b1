import CMediaSDK
import MediaCore
import MediaPlugins
import MediaRTP
import MediaTransport

/// Which room a session joins, and as whom (session.h).
public struct SessionOptions: Sendable {
  /// The scheme selects the transport, for example "loopback:NAME" or "rtp://HOST:PORT".
  public var url: String
  /// 1 to 255 bytes, unique in the room.
  public var userID: String
  /// For people, 1 to 255 bytes.
  public var displayName: String
  /// Events that may be queued, 16 to 65,536; if the queue is full, the oldest is dropped.
  public var eventCapacity = 1024
  /// A file of what passes over a network: pcap. With `seesPlain` of what protection protects.
  public var capture: (path: String, seesPlain: Bool)?
  /// What the room's verifier is shown.
  public var accessToken = AccessToken("")
  /// What the session sends is encrypted from end to end, and it takes nothing else (encryption.h).
  public var encrypts = false
  /// So is the data that it sends, and it takes no other.
  public var encryptsData = false

  /// `displayName` nil: the user id. `Engine.makeSession` checks the values.
  public init(url: String, userID: String, displayName: String? = nil) {
    self.url = url
    self.userID = userID
    self.displayName = displayName ?? userID
  }
}

/// A member of the room, or the session's own user, at the moment of the call.
public struct Participant: Sendable {
  /// Names, permissions and attributes.
  public let member: Member
  /// Whether this is the session's own user.
  public let isLocal: Bool
  /// Published at present.
  public let videoStreamCount: Int
  /// Published at present.
  public let audioStreamCount: Int
  /// The level (RFC 6464) of an active speaker.
  public let speakingLevel: UInt32?
  /// Whether they publish a video stream of kind `.screenShare`.
  public let isSharingScreen: Bool
}

/// One user's membership of a room. Every function may be called from any thread.
public final class Session: TransportDelegate {
  struct Guarded {
    var state = SessionState.idle
    var transport: (any Transport)?
    var members: [Member] = []
    var permissions = Permissions.ordinary
    /// Attached streams have become permitted, and are to be started.
    var awaitsPermitted = false
    /// Shown when it connects.
    var token: AccessToken
    /// Of its own participant.
    var attributes = ParticipantAttributes()
    var incoming: [StreamID: IncomingVideo] = [:]
    var outgoing: [StreamID: OutgoingVideo] = [:]
    /// Started whenever the session connects.
    var attached: [OutgoingVideo] = []
    /// Streams that were withdrawn, for as long as they are remembered.
    var retired = BoundedQueue<IncomingVideo>(capacity: 64)
    var sound = SessionAudio()
    var screenViews: [ScreenView] = []
    var estimate: UInt64 = 0
    var shares = BitrateAllocator()
    var periodic = PeriodicEvents()
    /// While it is connected to a network.
    var quality: QualityWatch?
    var isClosed = false
    /// Closed, and its streams were ended.
    var isDone = false

    var isInRoom: Bool { state == .connected || state == .reconnecting }

    init(_ token: AccessToken) { self.token = token }
  }

  /// What the session was made with; an access token that was set later is not in it.
  public let options: SessionOptions
  /// The handle of the C ABI, made when that first asks for it; it ends with the session.
  public let handle = HandleSlot(.session)
  /// The engine that made the session, whose end closes it.
  public let engine: Engine
  let factory: TransportFactory
  let target: any TransportTarget
  private let events: EventQueue
  let guarded: Monitor<Guarded>
  /// By what the times of a program's own clock are shifted, in all streams.
  let captureLine = Monitor<Int64?>(nil)
  let renderers = Monitor(SessionRenderers())
  let inbox = Monitor(DataInbox())
  let calls = Monitor(RemoteCalls())
  let dataStreams = Monitor(DataStreams())
  let ingest = Monitor(SessionIngest())
  let encryption: FrameEncryption
  let dataEncryption: DataEncryption

  init(_ engine: Engine, _ options: SessionOptions) throws(MediaError) {
    guard (16...65_536).contains(options.eventCapacity) else {
      throw MediaError(.range, "options.event_capacity is \(options.eventCapacity); accepted: 16..65536, or 0 for 1024")
    }
    try Session.checkName(options.userID, argument: "options.user_id")
    try Session.checkName(options.displayName, argument: "options.display_name")
    self.engine = engine
    self.options = options
    try Session.check(options.accessToken, argument: "options.access_token")
    guarded = Monitor(Guarded(options.accessToken))
    factory = try Transports.factory(of: options.url, argument: "options.url")
    target = try factory.target(options.url, "options.url")
    let isRemote = factory.features.contains(.network)
    if isRemote, engine.clock.isVirtual {
      let accepted = "accepted on an engine with the virtual clock: \(Transports.forms(without: .network))"
      throw MediaError(.unsupported, "options.url is of a network, which needs the system clock; \(accepted)")
    }
    if options.capture != nil, !isRemote {
      let accepted = "accepted with capture_path: a url that begins with \(Transports.schemes(with: .network, joinedBy: "or"))"
      throw MediaError(.unsupported, "options.capture_path is given, but the session is not over a network; \(accepted)")
    }
    events = EventQueue(capacity: options.eventCapacity, clock: engine.clock)
    encryption = FrameEncryption(options, factory.features, clock: engine.clock)
    dataEncryption = DataEncryption(options, encryption.keys, loop: encryption.loop)
  }

  static func checkName(_ name: String, argument: String) throws(MediaError) {
    guard (1...255).contains(name.utf8.count) else {
      throw MediaError(.invalid, "\(argument) has \(name.utf8.count) bytes; accepted: 1..255")
    }
  }

  /// At the moment of the call; an event reports each change.
  public var state: SessionState { guarded.withLock { $0.state } }

  // MARK: Connecting

  /// Starts to connect, and returns at once; events report the result. Throws `.state` unless the session is idle or disconnected,
  /// `.closed` once it is closed, and the error of a transport that cannot be made, for example without its keys.
  public func connect() throws(MediaError) {
    let transport: any Transport = try changeState { guarded throws(MediaError) in
      guard !guarded.isClosed else { throw MediaError(.closed, "the session is destroyed") }
      guard guarded.state == .idle || guarded.state == .disconnected else {
        throw MediaError(.state, "the session is \(guarded.state); accepted: idle, disconnected")
      }
      let transport = try makeTransport(guarded.token, guarded.attributes)
      guarded.state = .connecting
      guarded.transport = transport
      return transport
    }
    transport.connect(self)
    if transport.publishesBeforeConnected {
      startAttached()
      transport.attachedArePublished()
    }
  }

  private func makeTransport(_ token: AccessToken, _ attributes: ParticipantAttributes) throws(MediaError) -> any Transport {
    var member = Member(userID: options.userID, displayName: options.displayName)
    member.decodes = engine.codecs.decodedVideo
    member.attributes = attributes
    member.encrypts = encryption.encrypts
    var context = TransportContext(member: member, token: token, loop: engine.loop, thread: engine.networkThread, capture: makeCapture)
    context.ignoresEnvironment = engine.ignoresEnvironment
    return try target.makeTransport(context)
  }

  /// Leaves the room: outgoing streams stop, incoming ones end; attached streams stay attached. Nothing happens if the session is not
  /// connected. Waits for running callbacks.
  public func disconnect() {
    leave(because: nil)
  }

  /// Leaves that transport alone, if one is given: the session may have connected anew meanwhile.
  private func leave(_ ended: (any Transport)? = nil, because error: MediaError?) {
    let transport: (any Transport)? = changeState(isAnnounced: error == nil) { guarded in
      guard let transport = guarded.transport, ended == nil || ended === transport else { return nil }
      guarded.transport = nil
      guarded.state = .disconnecting
      return transport
    }
    guard let transport else { return }
    endQuality()
    let (outgoing, incoming, sound): ([OutgoingVideo], [IncomingVideo], SessionAudio) = guarded.withLock { guarded in
      defer {
        guarded.outgoing = [:]
        guarded.incoming = [:]
        guarded.members = []
        (guarded.permissions, guarded.awaitsPermitted) = (.ordinary, false)
        guarded.estimate = 0
        guarded.shares = BitrateAllocator()
      }
      return (Array(guarded.outgoing.values), Array(guarded.incoming.values), guarded.sound.leave())
    }
    captureLine.withLock { $0 = nil }
    transport.prepareToDisconnect()
    for stream in outgoing { stream.stop() }
    for stream in sound.outgoing.values { stream.stop() }
    transport.disconnect()
    for stream in incoming { retire(stream) }
    for stream in sound.incoming.values { retire(stream) }
    endCalls()
    endDataStreams()
    dataEncryption.leave()
    changeState(because: error) { $0.state = .disconnected }
    guarded.notify()
  }

  /// Whether nobody uses the transport any more. Another thread may be leaving: it is waited for, unless it may be waiting for this one.
  private func hasLeft() -> Bool {
    guard !ForeignCode.isRunning else { return state != .disconnecting }
    guarded.wait(until: .max) { $0.state == .disconnecting ? nil : () }
    return true
  }

  /// Leaves and ends: afterwards no callback comes.
  public func close() {
    let isFirst = guarded.withLock { guarded in
      defer { guarded.isClosed = true }
      return !guarded.isClosed
    }
    guard isFirst else { return }
    handle.end()
    closeRenderers()
    closeIngest(forGood: true)
    leave(because: nil)
    if hasLeft() { target.close() }
    encryption.close()
    events.close()
    let retired = guarded.withLock { guarded in
      var all: [IncomingVideo] = []
      while let stream = guarded.retired.pop() { all.append(stream) }
      guarded.isDone = true
      return all
    }
    for stream in retired { stream.close() }
    let attached = guarded.withLock { guarded in
      defer { guarded.attached = [] }
      return guarded.attached
    }
    for stream in attached { _ = stream.detach(from: self) }
    closeSound()
    engine.forget(self)
  }

  // MARK: People

  /// Oneself first; nobody while not connected.
  public var participants: [Participant] {
    guarded.withLock { guarded in
      guard guarded.state == .connected || guarded.state == .reconnecting else { return [] }
      var oneself = Member(userID: options.userID, displayName: options.displayName)
      oneself.permissions = guarded.permissions
      oneself.attributes = guarded.attributes
      let local = Participant(
        member: oneself, isLocal: true, videoStreamCount: guarded.outgoing.count,
        audioStreamCount: guarded.sound.outgoing.count, speakingLevel: guarded.sound.speakingLevel(of: options.userID),
        isSharingScreen: guarded.outgoing.values.contains(where: \.isScreen))
      return [local]
        + guarded.members.map { member in
          Participant(
            member: member, isLocal: false, videoStreamCount: guarded.incoming.values.count { $0.userID == member.userID },
            audioStreamCount: guarded.sound.incoming.values.count { $0.userID == member.userID },
            speakingLevel: guarded.sound.speakingLevel(of: member.userID),
            isSharingScreen: guarded.incoming.values.contains { $0.userID == member.userID && $0.isScreen })
        }
    }
  }

  /// The others' streams that are announced at present, in a stable order.
  public var incomingVideos: [IncomingVideo] {
    guarded.withLock { guarded in guarded.incoming.inKeyOrder.map(\.value) }
  }

  /// Started or attached.
  public var outgoingVideos: [OutgoingVideo] {
    guarded.withLock { guarded in
      let started = guarded.outgoing.inKeyOrder.map(\.value)
      return started + guarded.attached.filter { attached in !started.contains { $0 === attached } }
    }
  }

  var incomingCount: Int { guarded.withLock { $0.incoming.count + $0.retired.count } }

  // MARK: Streams

  /// On a session that is not connected the stream is attached, and starts when it is.
  public func start(_ stream: OutgoingVideo) throws(MediaError) {
    guard stream.engine === engine else { throw MediaError(.invalid, "the stream belongs to another engine than the session") }
    let transport: (any Transport)? = try guarded.withLock { guarded throws(MediaError) in
      let all = guarded.attached + guarded.outgoing.values
      guard !all.contains(where: { $0 === stream }) else {
        throw MediaError(.state, "the stream is already started on the session or attached to it; stop it first")
      }
      guard !stream.isScreen || !all.contains(where: \.isScreen) else {
        throw MediaError(.state, "the session already shares a screen; stop that stream first")
      }
      return try guarded.transportToStart()
    }
    if let transport { return try stream.start(on: self, transport) }
    try stream.attach(to: self)
    guarded.withLock { $0.attached.append(stream) }
    // It may have connected meanwhile.
    startAttached()
  }

  /// Remembers a stream that is about to be published, and gives its part of the estimate of that moment. The session may have left its room
  /// meanwhile.
  func remember(
    _ stream: OutgoingVideo, as id: StreamID, on transport: any Transport, wishing wish: BitrateAllocator.Wish
  ) throws(MediaError) -> UInt64 {
    try guarded.withLock { guarded throws(MediaError) in
      guard guarded.transport === transport else { throw MediaError(.state, "the session is not connected") }
      guard !stream.isScreen || !guarded.outgoing.values.contains(where: \.isScreen) else {
        throw MediaError(.state, "the session already shares a screen; stop that stream first")
      }
      guarded.outgoing[id] = stream
      guarded.shares.set(stream, wish: wish)
      return guarded.shares.share(of: stream, in: guarded.estimate)
    }
  }

  /// Withdraws and detaches the stream. Throws `.state` if it is neither started on this session nor attached to it.
  public func stop(_ stream: OutgoingVideo) throws(MediaError) {
    let wasAttached = detach(stream)
    let wasStarted = stream.session === self && stream.stop()
    guard wasAttached || wasStarted else { throw MediaError(.state, "the stream is neither started on this session nor attached to it") }
  }

  @discardableResult
  func detach(_ stream: OutgoingVideo) -> Bool {
    guarded.withLock { $0.attached.removeAll { $0 === stream } }
    return stream.detach(from: self)
  }

  /// What waited for the connection.
  func startAttached() {
    let (transport, videos, sounds): ((any Transport)?, [OutgoingVideo], [OutgoingAudio]) = guarded.withLock { guarded in
      (guarded.transportOfAttached, guarded.attached, guarded.sound.attached)
    }
    guard let transport else { return }
    for stream in videos where stream.state != .started {
      do throws(MediaError) {
        try stream.start(on: self, transport)
      } catch {
        let isAttached = guarded.withLock { guarded in guarded.attached.contains { $0 === stream } }
        if isAttached, isToBeTold(error, of: stream.state, on: transport) { push(.outgoingVideoState(stream, .failed, error)) }
      }
    }
    for stream in sounds where stream.state != .started {
      do throws(MediaError) {
        try stream.start(on: self, transport)
      } catch {
        let isAttached = guarded.withLock { $0.sound.isAttached(stream) }
        if isAttached, isToBeTold(error, of: stream.state, on: transport) { push(.outgoingAudioState(stream, .failed, error)) }
      }
    }
  }

  /// Left, destroyed or started meanwhile is nobody's fault.
  private func isToBeTold(_ error: MediaError, of state: OutgoingVideo.State, on transport: any Transport) -> Bool {
    error.status != .closed && state != .started && guarded.withLock { $0.transport === transport }
  }

  /// The stream is withdrawn, and free to be started again. One that is attached starts when the session connects next.
  private func publishFailed(_ id: StreamID, _ error: MediaError) {
    let (video, audio) = guarded.withLock { ($0.outgoing[id], $0.sound.outgoing[id]) }
    // It may go on as another publication already.
    video?.stop(as: .failed, because: error, of: id)
    audio?.stop(as: .failed, because: error, of: id)
  }

  func forget(video id: StreamID) {
    guarded.withLock { guarded in
      if let stream = guarded.outgoing.removeValue(forKey: id) { guarded.shares.set(stream, wish: nil) }
    }
  }

  private func retire(_ stream: IncomingVideo) {
    stream.becomeNotAvailable()
    // The session may have been closed meanwhile, and have looked for streams to end before this one came.
    let forgotten = guarded.withLock { $0.isDone ? stream : $0.retired.push(stream) }
    if stream.isScreen { push(.screenShareState(userID: stream.userID, isSharing: false, stream)) }
    push(.incomingVideoRemoved(stream))
    forgotten?.close()
  }

  // MARK: Events

  func push(_ event: SessionEvent) {
    events.push(event)
    refreshRenderers()
  }

  /// Queues the event about the state that `body` sets before another thread can set the next: they are read in that order.
  private func changeState<Value, Failure>(
    isAnnounced: Bool = true, because error: MediaError? = nil, _ body: (inout Guarded) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // What is displaced from the queue is let go outside the lock, as things may end with it.
    let (value, change, displaced): (Value, SessionState?, StampedEvent?) = try guarded.withLock { guarded throws(Failure) in
      let former = guarded.state
      let value = try body(&guarded)
      guard isAnnounced, guarded.state != former else { return (value, nil, nil) }
      return (value, guarded.state, events.push(.state(guarded.state, error)))
    }
    _ = displaced
    guard let change else { return value }
    let reason = error.map { ": \($0.text)" } ?? ""
    engine.logger.log(MSDK_LOG_INFO.level32, .session, "session \"\(options.userID)\" at \(options.url) is \(change)\(reason)")
    refreshRenderers()
    return value
  }

  /// For those that come again, and that others must not be lost for.
  func pushUnlessCrowded(_ event: SessionEvent) {
    if !events.isCrowded { events.push(event) }
  }

  /// The oldest event that is queued. Waits until `deadline`, in nanoseconds of the monotonic clock; 0 does not wait, `.max` has no limit.
  /// Throws `.timeout`, `.state` while a callback is set, and `.closed` once the session is closed.
  public func nextEvent(deadline: Int64) throws(MediaError) -> StampedEvent {
    try events.next(deadline: deadline)
  }

  /// Readable for poll() while events are queued, and once the session is closed. The session owns it. Throws `.noMemory` when the process
  /// has no descriptor left.
  public func eventDescriptor() throws(MediaError) -> Int32 {
    try events.descriptor()
  }

  /// Called with each event, the queued ones first, one at a time and in order, on a thread of its own. While it is set, events cannot be
  /// pulled. nil removes it. When the call returns, the former one is not running, unless the call came from foreign code.
  public func setEventCallback(_ callback: (@Sendable (StampedEvent) -> Void)?) {
    events.setCallback(callback)
  }

  /// Taken at the moment of the call.
  public var stats: SessionStats {
    let counts = events.counts
    let (state, estimate, transport): (SessionState, UInt64, (any Transport)?) = guarded.withLock {
      ($0.state, $0.estimate, $0.transport)
    }
    let grades = guarded.withLock { $0.quality }?.grades ?? (.unknown, .unknown)
    return SessionStats(
      state: state, availableOutgoingBitrate: estimate, transport: transport?.stats ?? TransportStats(), eventsQueued: counts.queued,
      eventsDropped: counts.dropped, participants: participants.count, outgoingQuality: grades.outgoing, incomingQuality: grades.incoming)
  }

  /// An array of objects, this session's own first.
  public var statsJSON: String {
    let (stats, transport) = (self.stats, guarded.withLock { $0.transport })
    // W3C's timestamps are in milliseconds.
    let time = Double(engine.clock.now()) / 1e6
    // Without a bound on what can be sent there is no estimate.
    let estimate: JSON = stats.availableOutgoingBitrate == 0 ? .null : .whole(stats.availableOutgoingBitrate)
    func grade(_ quality: NetworkQuality.Grade) -> JSON { quality == .unknown ? .null : .text("\(quality)") }
    let own: JSON = .object([
      ("id", .text("session")), ("type", .text("session")), ("timestamp", .number(time)), ("state", .text("\(stats.state)")),
      ("participants", .whole(stats.participants)), ("availableOutgoingBitrate", estimate),
      ("bytesSent", .whole(stats.transport.bytesSent)), ("bytesReceived", .whole(stats.transport.bytesReceived)),
      ("packetsSent", .whole(stats.transport.packetsSent)), ("packetsReceived", .whole(stats.transport.packetsReceived)),
      ("packetsLost", .whole(stats.transport.packetsLost)), ("outgoingQuality", grade(stats.outgoingQuality)),
      ("incomingQuality", grade(stats.incomingQuality))
    ])
    return JSON.array([own] + (transport?.statsEntries(at: time) ?? [])).rendered()
  }

  // MARK: From the transport

  /// Of a transport that was left the session takes no notice.
  public func transport(_ transport: any Transport, _ event: TransportEvent) {
    guard guarded.withLock({ $0.transport === transport }) else { return }
    switch event {
    case .connected(let permissions):
      change(to: .connected, transport, permissions)
      watchQuality(of: transport)
      // What was started before anything was known of them.
      endWhatIsNotPermitted()
      startAttached()
    case .reconnecting: change(to: .reconnecting, transport)
    case .reconnected:
      change(to: .connected, transport)
      startWhatWasPermitted()
    case .disconnected(let error): leave(transport, because: error)
    case .joined(let member):
      let isHere = guarded.withLock { guarded in
        guard guarded.transport === transport else { return false }
        guarded.members.append(member)
        return true
      }
      guard isHere else { return }
      push(.participantJoined(member))
      fallBack()
    case .left(let userID):
      guarded.withLock { $0.members.removeAll { $0.userID == userID } }
      push(.participantLeft(userID: userID))
      endCalls(with: userID)
      endDataStreams(of: userID)
      dataEncryption.left(userID)
    case .streamAdded(let description): add(description, transport)
    case .streamRemoved(let id):
      if let stream = guarded.withLock({ $0.incoming.removeValue(forKey: id) }) { retire(stream) }
      removeSound(id)
    case .streamMuted(let id, let isMuted):
      let stream = guarded.withLock { guarded in
        guarded.sound.note(id, isMuted: isMuted)
        return guarded.sound.incoming[id]
      }
      if let stream { push(.incomingAudioMuted(stream, isMuted)) }
    case .speaking(let id, let userID, let isSpeaking, let level): spoke(id, userID: userID, isSpeaking ? level : nil)
    case .keyFrameRequested(let id):
      guard let stream = guarded.withLock({ $0.outgoing[id] }) else { return }
      stream.keyFrameRequested()
      keyFrameRequestedOfFeeder(stream)
      push(.keyFrameRequested(stream))
    case .moderated(let userID, let moderation, let reason): moderated(by: userID, moderation, reason: reason)
    case .attributeChanged(let userID, let key, let value, _): attributeChanged(of: userID, key, value, transport)
    case .permissionsChanged(let userID, let permissions): permissionsChanged(of: userID, permissions, transport)
    case .accessExpiring(let remaining): push(.accessExpiring(remaining))
    case .accessRenewed(let error): push(.accessRenewed(guarded.withLock { $0.permissions }, error))
    case .receivers(let id, let count):
      let (video, audio) = guarded.withLock { ($0.outgoing[id], $0.sound.outgoing[id]) }
      if let video, video.receiversChanged(count) { push(.receivers(.video(video), count)) }
      if let audio, audio.receiversChanged(count) { push(.receivers(.audio(audio), count)) }
    case .publishFailed(let id, let error): publishFailed(id, error)
    case .layers(let id, let active, let bitrates): guarded.withLock { $0.outgoing[id] }?.follow(active: active, bitrates: bitrates, of: id)
    case .wanted(let id, let preference): guarded.withLock { $0.outgoing[id] }?.follow(wanted: preference)
    case .unreachable(let id, let userID, let error): becameUnreachable(id, userID, error)
    case .moderationFailed(let userID, let error):
      engine.logger.log(MSDK_LOG_WARN.level32, .session, "\"\(userID.prefix(64))\" was not moderated: \(error.text)")
    case .retrying(let error, let delay):
      let text = "session \"\(options.userID)\" at \(options.url): \(error.text); the next attempt is in \(delay / 1_000_000) ms"
      engine.logger.log(MSDK_LOG_WARN.level32, .session, text)
    case .estimate(let bitrate):
      let outgoing: [OutgoingVideo]? = guarded.withLock { guarded in
        guard guarded.transport === transport else { return nil }
        guarded.estimate = bitrate
        return bitrate == 0 ? Array(guarded.outgoing.values) : []
      }
      guard let outgoing else { return }
      push(.estimate(bitrate))
      for stream in outgoing { stream.follow(estimate: 0) }
      divideEstimate()
    case .network: watchQuality(of: transport)
    case .signal(let event): push(.signal(event))
    case .channel(let channel, let event): push(.channel(channel, event))
    case .data(let userID, let message): dataEncryption.open(message, from: userID, of: self)
    case .dataWritable: push(.dataWritable)
    }
  }

  private func add(_ description: StreamDescription, _ transport: any Transport) {
    switch description.format {
    case .video(let format, let kind):
      let stream = IncomingVideo(description, format, kind: kind, session: self, transport: transport)
      let isHere = guarded.withLock { guarded in
        guard guarded.transport === transport else { return false }
        guarded.incoming[description.id] = stream
        return true
      }
      guard isHere else { return }
      push(.incomingVideoAdded(stream))
      if stream.isScreen { push(.screenShareState(userID: stream.userID, isSharing: true, stream)) }
    case .audio(let format, let kind): addSound(description, format, kind: kind, transport)
    }
  }

  /// Unless another thread has left that transport meanwhile.
  private func change(to state: SessionState, _ transport: any Transport, _ permissions: Permissions? = nil) {
    changeState { guarded in
      guard guarded.transport === transport else { return }
      guarded.state = state
      guarded.permissions = permissions ?? guarded.permissions
    }
  }
}

extension Session.Guarded {
  /// What attached streams are started on now; nil: none are.
  var transportOfAttached: (any Transport)? {
    state == .connected || state == .connecting && transport?.publishesBeforeConnected == true ? transport : nil
  }

  /// What a stream is started on now; nil: it is attached, until the session connects.
  func transportToStart() throws(MediaError) -> (any Transport)? {
    guard !isClosed else { throw MediaError(.closed, "the session is destroyed") }
    switch state {
    case .connected, .reconnecting: return transport
    case .connecting: return transportOfAttached
    case .idle, .disconnected: return nil
    case .disconnecting: throw MediaError(.state, "the session is disconnecting; accepted: every other state")
    }
  }
}
