import MediaCore
import MediaRuntime
import Synchronization

/// A session's membership of a loopback room. Without a script a frame is handed over on the thread that sends it; under one it takes the
/// member's scripted path (`Scripted`).
public final class LoopbackTransport: Transport {
  enum Phase {
    case idle
    case connecting
    case connected
    /// The script has cut the network; the generation tells this time from the next.
    case cut(UInt64)
    /// Refused or put out, of which the delegate was notified.
    case out
    case left
  }

  struct State {
    /// Changed by `set` alone.
    fileprivate(set) var phase = Phase.idle
    /// Counts the times the script was looked at, so that only the latest plans the next; and the cuts.
    var scriptGeneration: UInt64 = 0
    var cutGeneration: UInt64 = 0
    var delegate: (any TransportDelegate)?
    /// The request to be let in, or for more time, and who has it.
    var asked: (request: AccessRequest, verifier: any AccessVerifier)?
    var lifetime = AccessLifetime()
    var estimate: UInt64 = 0
    /// Frames under way to this member.
    var inFlight = 0
    /// Under way from this member.
    var data = DataFlow()
    var delivery: DataDelivery?
    /// Beside `traffic`.
    var stats = TransportStats()
  }

  private static let reconnectTimeout: Int64 = 30_000_000_000
  /// Frames that may be under way to one member; more are lost.
  static let inFlightLimit = 512

  let member: Member
  private let name: String
  private let token: AccessToken
  /// Asked when the room's answer is to let it in, and before anybody there learns of it.
  private let admission: (@Sendable (LoopbackTransport) throws(MediaError) -> Void)?
  let loop: EventLoop
  let room = Monitor<LoopbackRoom?>(nil)
  let state = Monitor(State())
  let way = Monitor(LinkEmulator())
  let traffic = LoopbackTraffic()
  /// Whether the phase is `.connected`: what is handed over here arrives.
  private let isHere = Atomic<Bool>(false)
  /// In the room, changed under its lock.
  let attributes: Monitor<ParticipantAttributes>

  /// A member who has not joined yet. Events come on `loop`, whose clock times everything.
  public convenience init(room name: String, member: Member, token: AccessToken = AccessToken(""), loop: EventLoop) {
    self.init(room: name, member: member, token: token, loop: loop, admission: nil)
  }

  /// `admission` is asked last, before anybody in the room learns of the member; what it throws is the room's answer.
  package init(
    room name: String, member: Member, token: AccessToken, loop: EventLoop,
    admission: (@Sendable (LoopbackTransport) throws(MediaError) -> Void)?
  ) {
    self.name = name
    self.admission = admission
    self.member = member
    attributes = Monitor(member.attributes)
    self.token = token
    self.loop = loop
  }

  /// Sets what the network of a room does, `nil` for nothing, to all that is sent or to what one user sends.
  public static func setScript(_ script: NetworkScript?, room name: String, userID: String?, clock: any MediaClock) throws(MediaError) {
    let followers = try LoopbackRooms.with(name, clock: clock) { room throws(MediaError) in
      room.setScript(script, userID: userID, owner: clock)
    }
    for follower in followers { follower.followScript() }
  }

  /// Sets who may enter a room; `nil` opens it. When it returns, the former verifier has ended, and those who waited for it ask anew.
  public static func setAccess(_ access: RoomAccess?, room name: String, clock: any MediaClock) throws(MediaError) {
    try access?.check()
    let (former, waiting) = try LoopbackRooms.with(name, clock: clock) { room throws(MediaError) in room.setAccess(access, owner: clock) }
    former?.close()
    for newcomer in waiting { newcomer.askAnew() }
  }

  /// To be called when the engine of that clock goes: its verifiers end now, and what it set is forgotten once a room is empty.
  public static func forgetSettings(of clock: any MediaClock) {
    for (verifier, waiting) in LoopbackRooms.forgetSettings(of: clock) {
      verifier.close()
      for newcomer in waiting { newcomer.askAnew() }
    }
  }

  /// What this member sent and received; the round trip time is 0 except under a script that sends in packets.
  public var stats: TransportStats {
    var stats = counters
    stats.roundTripTime = way.withLock { $0.pair?.roundTrip } ?? 0
    return stats
  }

  var counters: TransportStats {
    var stats = state.withLock { $0.stats }
    traffic.add(to: &stats)
    return stats
  }

  private func set(_ phase: Phase, _ state: inout State) {
    state.phase = phase
    if case .connected = phase { isHere.store(true, ordering: .releasing) } else { isHere.store(false, ordering: .releasing) }
  }

  /// Under the room's lock: events reach the delegate on the member's own loop, in order.
  func post(_ event: TransportEvent) {
    loop.post { self.tell(event) }
  }

  func tell(_ event: TransportEvent) {
    state.withLock { $0.delegate }?.transport(self, event)
  }

  // MARK: Connecting

  /// Asks to enter the room, which is made if need be; under a script that takes a round trip. Only the first call does anything.
  public func connect(_ delegate: any TransportDelegate) {
    let isNew = state.withLock { state in
      guard case .idle = state.phase else { return false }
      set(.connecting, &state)
      state.delegate = delegate
      return true
    }
    // Left before it was joined.
    guard isNew else { return }
    do throws(MediaError) {
      let room = try LoopbackRooms.with(name, clock: loop.clock) { room throws(MediaError) in
        self.room.withLock { $0 = room }
        room.wait(self)
        return room
      }
      if hasLeft { return room.leave(self) }
      let step = currentScript()?.step(at: loop.clock.now())
      if step?.isDisconnected == true {
        beginCut(announcing: false)
        followScript()
        return
      }
      // The time it takes to ask and be answered.
      let delay = 2 * (step?.delay ?? 0)
      if delay == 0 {
        enter(room)
      } else {
        loop.schedule(at: loop.clock.now() + delay) { self.enter(room) }
      }
    } catch {
      fail(error)
    }
  }

  /// Asks to be let in, if somebody looks at tokens, and goes in.
  private func enter(_ room: LoopbackRoom) {
    let access = room.access
    guard let verifier = access.verifier else { return enter(room, AccessGrant(access.permissions)) }
    let request = AccessRequest(room: name, member: member, token: token, permissions: access.permissions) { request, answer in
      self.loop.post { self.answered(request, answer) }
    }
    let isAsking = state.withLock { state in
      guard case .connecting = state.phase, state.asked == nil else { return false }
      state.asked = (request, verifier)
      return true
    }
    guard isAsking else { return }
    verifier.verify(request)
    // It was replaced before it could be known that somebody asks it.
    if room.access.verifier !== verifier { askAnew() }
  }

  /// The room has another verifier: the former's answer would be nobody's.
  func askAnew() {
    guard let former = forgetRequest() else { return }
    loop.post {
      if former.isRenewal { self.renewAnew(former.token) } else { self.room.withLock { $0 }.map { self.enter($0) } }
    }
  }

  /// nil: there was none.
  func forgetRequest() -> AccessRequest? {
    let asked = state.withLock { state in
      defer { state.asked = nil }
      return state.asked
    }
    guard let asked else { return nil }
    asked.request.cancel()
    asked.verifier.cancel(asked.request)
    return asked.request
  }

  /// Whether its answer is still awaited; it is not any more.
  func takeRequest(_ request: AccessRequest) -> Bool {
    state.withLock { state in
      guard state.asked?.request === request else { return false }
      state.asked = nil
      return true
    }
  }

  private func answered(_ request: AccessRequest, _ answer: AccessRequest.Answer) {
    guard takeRequest(request), let room = room.withLock({ $0 }) else { return }
    switch answer {
    case .success(let grant): enter(room, grant)
    case .failure(let error):
      room.leave(self)
      fail(error)
    }
  }

  private func enter(_ room: LoopbackRoom, _ grant: AccessGrant) {
    let mayEnter = state.withLock { state in
      guard case .connecting = state.phase else { return false }
      set(.connected, &state)
      state.lifetime.begin(grant.lifetime, now: loop.clock.now())
      return true
    }
    // Left meanwhile, or cut off: then it comes again.
    guard mayEnter else { return }
    do throws(MediaError) {
      try admission?(self)
      try room.join(self, grant.permissions)
      // Whoever left meanwhile looked for a member that was not there yet.
      if hasLeft { return room.leave(self) }
      followLifetime()
      followScript()
    } catch {
      room.leave(self)
      fail(error)
    }
  }

  var hasLeft: Bool {
    state.withLock { state in
      switch state.phase {
      case .left, .out: true
      case .idle, .connecting, .connected, .cut: false
      }
    }
  }

  private func fail(_ error: MediaError) {
    putOut(because: error)
  }

  /// Under the room's lock, or out of it.
  func putOut(because error: MediaError) {
    state.withLock { state in
      if case .left = state.phase { return }
      set(.out, &state)
      state.scriptGeneration += 1
    }
    way.withLock { $0.end() }
    post(.disconnected(error))
  }

  /// Leaves the room and cancels a request that is not answered yet. A room without members and without settings ends.
  public func disconnect() {
    state.withLock { state in
      set(.left, &state)
      state.scriptGeneration += 1
      state.delegate = nil
    }
    way.withLock { $0.end() }
    _ = forgetRequest()
    room.withLock { $0 }?.leave(self)
    LoopbackRooms.removeIfEmpty(name)
  }

  // MARK: The script

  func currentScript() -> NetworkScript? {
    room.withLock { $0 }?.state.withLock { $0.script(for: member.userID) }
  }

  /// For somebody in the room, whose path out is a path in for the others.
  var isScripted: Bool { room.withLock { $0 }?.isScripted == true }

  /// Applies the step in force, and comes back when the next one begins.
  func followScript() {
    let now = loop.clock.now()
    let script = currentScript()
    let step = script?.step(at: now)
    let generation: UInt64 = state.withLock { state in
      state.scriptGeneration += 1
      return state.scriptGeneration
    }
    if isScripted { post(.network) }
    // What is sent in packets is measured.
    let isMeasured = way.withLock { way in
      way.follow(script, user: member.userID)
      return way.pair != nil
    }
    if step?.isDisconnected == true {
      beginCut(announcing: true)
    } else {
      endCut()
    }
    if !isMeasured { setEstimate(step?.bandwidth ?? 0) }
    if let next = script?.nextChange(after: now) {
      loop.schedule(at: next) {
        guard self.state.withLock({ $0.scriptGeneration == generation }) else { return }
        self.followScript()
      }
    }
  }

  func setEstimate(_ bandwidth: UInt64) {
    let changed = state.withLock { state in
      defer { state.estimate = bandwidth }
      return state.estimate != bandwidth
    }
    if changed { post(.estimate(bandwidth)) }
  }

  private func beginCut(announcing: Bool) {
    let cut: UInt64? = state.withLock { state in
      switch state.phase {
      case .connected, .connecting:
        state.cutGeneration += 1
        set(.cut(state.cutGeneration), &state)
        return state.cutGeneration
      default: return nil
      }
    }
    guard let cut else { return }
    if announcing { post(.reconnecting) }
    loop.schedule(at: loop.clock.now() + LoopbackTransport.reconnectTimeout) { self.giveUp(cut) }
  }

  private func giveUp(_ cut: UInt64) {
    let isStillCut = state.withLock { state in
      if case .cut(let current) = state.phase { return current == cut }
      return false
    }
    guard isStillCut else { return }
    way.withLock { $0.end() }
    room.withLock { $0 }?.leave(self)
    post(.disconnected(MediaError(.timeout, "the network of room \"\(name.prefix(64))\" was down for 30 s")))
  }

  private func endCut() {
    guard let room = room.withLock({ $0 }) else { return }
    let isMember = room.state.withLock { $0.permissions[ObjectIdentifier(self)] != nil }
    let wasCut = state.withLock { state in
      guard case .cut = state.phase else { return false }
      set(isMember ? .connected : .connecting, &state)
      return true
    }
    guard wasCut else { return }
    if isMember {
      post(.reconnected)
      resumeData()
    } else {
      enter(room)
    }
  }

  // MARK: Streams

  /// Unique in this process.
  public func makeStreamID() -> StreamID {
    StreamID.next()
  }

  /// Always: both ends are in one process.
  public var carriesRaw: Bool { true }

  /// `.state` before the room is entered, `.permission` without the permission that the format needs. Of several layers, each is sent by an
  /// outlet of its own (`outlet(of:layer:)`).
  public func publish(
    _ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers, carriesMetadata: Bool
  ) throws(MediaError) {
    try publish(stream, codec: codec, format: format, layers: layers, isEncrypted: member.encrypts, carriesMetadata: carriesMetadata)
  }

  /// For a member of whose streams some are encrypted.
  package func publish(
    _ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers, isEncrypted: Bool, carriesMetadata: Bool
  ) throws(MediaError) {
    var description = StreamDescription(id: stream, userID: member.userID, codec: codec, format: format)
    (description.isEncrypted, description.carriesMetadata) = (isEncrypted, carriesMetadata)
    try joinedRoom().publish(description, layers, by: self)
  }

  /// Withdraws the stream; one that is not in the room, or is another participant's, is ignored.
  public func unpublish(_ stream: StreamID) {
    let now = loop.clock.now()
    if way.withLock({ $0.pair?.end(stream, now: now) }) == true { ring(at: now) }
    room.withLock { $0 }?.unpublish(stream, by: self)
  }

  /// Known to those who enter from then on; the others are not notified.
  public func setFormat(_ stream: StreamID, _ format: StreamFormat) {
    room.withLock { $0 }?.setFormat(stream, format, by: self)
  }

  /// Notifies the others in the room.
  public func setMuted(_ stream: StreamID, _ isMuted: Bool) {
    room.withLock { $0 }?.setMuted(stream, isMuted, by: self)
  }

  /// Notifies the others in the room; `level` as in RFC 6464.
  public func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) {
    room.withLock { $0 }?.setSpeaking(stream, isSpeaking, level: level, by: self)
  }

  /// The room hands the stream's frames to `sink` from then on.
  public func subscribe(to stream: StreamID, _ sink: StreamSink) {
    room.withLock { $0 }?.subscribe(self, sink, to: stream)
  }

  /// A frame that another thread is handing over may still arrive.
  public func unsubscribe(from stream: StreamID) {
    room.withLock { $0 }?.unsubscribe(self, from: stream)
  }

  /// What all receivers want together reaches the publisher of the stream.
  public func prefer(_ preference: VideoPreference, of stream: StreamID) {
    room.withLock { $0 }?.prefer(preference, of: stream, by: self)
  }

  /// Reports to the publisher that the member of this place is not sent it.
  package func cannotReceive(_ stream: StreamID, because error: MediaError) {
    room.withLock { $0 }?.publisher(of: stream)?.post(.unreachable(stream, userID: member.userID, error))
  }

  /// Reaches the publisher after the delay of this member's script, and is lost while that is disconnected.
  public func requestKeyFrame(of stream: StreamID) {
    guard let publisher = room.withLock({ $0 })?.publisher(of: stream) else { return }
    let step = currentScript()?.step(at: loop.clock.now())
    guard step?.isDisconnected != true else { return }
    publisher.loop.schedule(at: loop.clock.now() + (step?.delay ?? 0)) { publisher.wantKeyFrame(of: stream) }
  }

  // MARK: Moderation

  /// `.state` before the room is entered, `.permission` without `moderate`, `.invalid` for oneself, `.notFound` for nobody.
  public func remove(_ userID: String, reason: String) throws(MediaError) {
    try joinedRoom().remove(userID, reason: reason, by: .member(self))
  }

  /// Notifies that member's session, which mutes its audio or ends that. Errors as of `remove`.
  public func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) {
    try joinedRoom().mute(userID, isMuted, by: .member(self))
  }

  func joinedRoom() throws(MediaError) -> LoopbackRoom {
    guard let room = room.withLock({ $0 }) else { throw MediaError(.state, "the session is not connected") }
    return room
  }

  // MARK: Media

  /// Handed to the receivers on the caller's thread; under a script, later on an event loop.
  public func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult { carry(frame, id, on: stream) }
  /// Handed to the receivers on the caller's thread; under a script, later on an event loop.
  public func send(_ frame: VideoFrame, _ id: FrameID, on stream: StreamID) -> SendResult { carry(frame, id, on: stream) }
  /// Handed to the receivers on the caller's thread; under a script, later on an event loop.
  public func send(_ frame: AudioFrame, _ id: FrameID, on stream: StreamID) -> SendResult { carry(frame, id, on: stream) }

  /// One that keeps the stream's route, so that frames need no look-up; of a stream that is not in the room, one that looks it up.
  public func outlet(of stream: StreamID) -> any MediaOutlet {
    guard let route = route(of: stream) else { return TransportOutlet(self, stream) }
    return LoopbackOutlet(self, stream, route)
  }

  private func carry(_ frame: some LoopbackFrame, _ id: FrameID, on stream: StreamID) -> SendResult {
    route(of: stream)?.read { carry(frame, id, on: stream, along: $0) } ?? .notConnected
  }

  func route(of stream: StreamID) -> Snapshot<LoopbackRoute>? {
    room.withLock { $0 }?.state.withLock { $0.streams[stream]?.route }
  }

  @inline(__always)
  func carry(_ frame: some LoopbackFrame, _ id: FrameID, on stream: StreamID, along route: LoopbackRoute) -> SendResult {
    guard !route.isOver else { return .notConnected }
    guard !route.receivers.isEmpty else { return .noReceiver }
    let bytes = frame.byteCount
    if let script = route.script { return send(frame, id, bytes: bytes, on: stream, to: route.receivers, under: script) }
    let packets = UInt64(NetworkLink.packets(bytes: bytes))
    traffic.countSent(bytes: bytes, packets: packets)
    for receiver in route.receivers { receiver.transport.deliver(frame, id, to: receiver.sink, bytes: bytes, packets: packets) }
    return .sent
  }

  func deliver(_ frame: some LoopbackFrame, _ id: FrameID, to sink: StreamSink, bytes: Int, packets: UInt64, lost: UInt64 = 0) {
    let isHere = isHere.load(ordering: .acquiring)
    let missing = lost &+ (isHere ? 0 : packets)
    if missing > 0 { state.withLock { $0.stats.packetsLost &+= missing } }
    guard isHere else { return }
    traffic.countReceived(bytes: bytes, packets: packets)
    frame.hand(to: sink, id)
  }
}
