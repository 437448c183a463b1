import MediaCore
import MediaTransport

/// What a session knows of its sound.
struct SessionAudio {
  struct Speaker {
    let userID: String
    let level: UInt32
  }

  static let mostStreams = 8

  var incoming: [StreamID: IncomingAudio] = [:]
  var outgoing: [StreamID: OutgoingAudio] = [:]
  /// Started whenever the session connects.
  var attached: [OutgoingAudio] = []
  /// Streams that were withdrawn, for as long as they are remembered.
  var retired = BoundedQueue<IncomingAudio>(capacity: 64)
  var mix: IncomingAudio?
  var speakers: [StreamID: Speaker] = [:]
  /// Of the incoming ones.
  var muted: Set<StreamID> = []

  /// The loudest, of those of his streams in which he speaks.
  func speakingLevel(of userID: String) -> UInt32? {
    speakers.values.filter { $0.userID == userID }.map(\.level).min()
  }

  /// The room was left; what it held until now.
  mutating func leave() -> SessionAudio {
    defer {
      incoming = [:]
      outgoing = [:]
      speakers = [:]
      muted = []
    }
    return self
  }

  mutating func note(_ id: StreamID, isMuted: Bool) {
    guard incoming[id] != nil else { return }
    if isMuted { muted.insert(id) } else { muted.remove(id) }
  }

  /// Whether somebody sends sound and all of it is muted.
  func isMuted(_ userID: String) -> Bool {
    SessionAudio.areAllMuted(incoming.filter { $0.value.userID == userID }.map { muted.contains($0.key) })
  }

  static func areAllMuted(_ streams: [Bool]) -> Bool { !streams.isEmpty && !streams.contains(false) }
}

extension Session {
  // MARK: Outgoing

  /// On a session that is not connected the stream is attached, and starts when it is.
  public func start(_ stream: OutgoingAudio) throws(MediaError) {
    guard stream.engine === engine else { throw MediaError(.invalid, "the stream belongs to another engine than the session") }
    let transport: (any Transport)? = try guarded.withLock { guarded throws(MediaError) in
      guard !guarded.sound.isAttached(stream), !guarded.sound.outgoing.values.contains(where: { $0 === stream }) else {
        throw MediaError(.state, "the stream is already started on the session or attached to it; stop it first")
      }
      guard
        guarded.sound.attached.count + guarded.sound.outgoing.values.count(where: { !guarded.sound.isAttached($0) })
          < SessionAudio.mostStreams
      else {
        throw MediaError(.full, "the session already has \(SessionAudio.mostStreams) outgoing audio streams, the maximum")
      }
      return try guarded.transportToStart()
    }
    if let transport { return try stream.start(on: self, transport) }
    try stream.attach(to: self)
    guarded.withLock { $0.sound.attached.append(stream) }
    // It may have connected meanwhile.
    startAttached()
  }

  /// Withdraws and detaches the stream. Throws `.state` if it is neither started on this session nor attached to it.
  public func stop(_ stream: OutgoingAudio) throws(MediaError) {
    let wasAttached = detach(stream)
    let wasStarted = stream.session === self && stream.stop()
    guard wasAttached || wasStarted else { throw MediaError(.state, "the stream is neither started on this session nor attached to it") }
  }

  @discardableResult
  func detach(_ stream: OutgoingAudio) -> Bool {
    guarded.withLock { $0.sound.attached.removeAll { $0 === stream } }
    return stream.detach(from: self)
  }

  /// Remembers a stream that is about to be published; false when the session has left its room meanwhile.
  func remember(_ stream: OutgoingAudio, as id: StreamID, on transport: any Transport, taking bits: UInt64) -> Bool {
    guarded.withLock { guarded in
      guard guarded.transport === transport else { return false }
      guarded.sound.outgoing[id] = stream
      guarded.shares.set(stream, bits: bits)
      return true
    }
  }

  func forget(audio id: StreamID) {
    guarded.withLock { guarded in
      if let stream = guarded.sound.outgoing.removeValue(forKey: id) { guarded.shares.set(stream, bits: nil) }
    }
  }

  // MARK: Incoming

  /// The others' streams that are announced at present, in a stable order; without the mix.
  public var incomingAudios: [IncomingAudio] {
    guarded.withLock { guarded in guarded.sound.incoming.inKeyOrder.map(\.value) }
  }

  /// Started or attached.
  public var outgoingAudios: [OutgoingAudio] {
    guarded.withLock { guarded in
      let started = guarded.sound.outgoing.inKeyOrder.map(\.value)
      return started + guarded.sound.attached.filter { attached in !started.contains { $0 === attached } }
    }
  }

  func isMuted(_ id: StreamID) -> Bool { guarded.withLock { $0.sound.muted.contains(id) } }

  var incomingAudioCount: Int {
    guarded.withLock { $0.sound.incoming.count + $0.sound.retired.count + ($0.sound.mix == nil ? 0 : 1) }
  }

  func addSound(_ description: StreamDescription, _ format: AudioFormat, kind: UInt32, _ transport: any Transport) {
    let stream = IncomingAudio(description, format, kind: kind, session: self, transport: transport)
    let (isHere, mix): (Bool, IncomingAudio?) = guarded.withLock { guarded in
      guard guarded.transport === transport else { return (false, nil) }
      guarded.sound.incoming[description.id] = stream
      guarded.sound.note(description.id, isMuted: description.isMuted)
      return (true, guarded.sound.mix)
    }
    guard isHere else { return }
    push(.incomingAudioAdded(stream))
    if let mix { joinMix(mix) }
  }

  func removeSound(_ id: StreamID) {
    let (stream, speaker) = guarded.withLock { guarded in
      guarded.sound.muted.remove(id)
      return (guarded.sound.incoming.removeValue(forKey: id), guarded.sound.speakers[id])
    }
    if let speaker { spoke(id, userID: speaker.userID, nil) }
    if let stream { retire(stream) }
  }

  func retire(_ stream: IncomingAudio) {
    stream.becomeNotAvailable()
    // The session may have been closed meanwhile, and have looked for streams to end before this one came.
    let forgotten = guarded.withLock { $0.isDone ? stream : $0.sound.retired.push(stream) }
    push(.incomingAudioRemoved(stream))
    forgotten?.close()
  }

  func closeSound() {
    let (retired, attached, mix): ([IncomingAudio], [OutgoingAudio], IncomingAudio?) = guarded.withLock { guarded in
      var retired: [IncomingAudio] = []
      while let stream = guarded.sound.retired.pop() { retired.append(stream) }
      defer {
        guarded.sound.attached = []
        guarded.sound.mix = nil
      }
      return (retired, guarded.sound.attached, guarded.sound.mix)
    }
    for stream in attached { _ = stream.detach(from: self) }
    mix?.close()
    for stream in retired { stream.close() }
  }

  // MARK: The mix

  /// Everybody else's sound: the same stream each time.
  public func mixedAudio() throws(MediaError) -> IncomingAudio {
    try guarded.withLock { guarded throws(MediaError) in
      guard !guarded.isClosed else { throw MediaError(.closed, "the session is destroyed") }
      let mix = guarded.sound.mix ?? IncomingAudio(mixOf: self)
      guarded.sound.mix = mix
      return mix
    }
  }

  /// All that is here takes part in the mix, if it is started.
  func joinMix(_ mix: IncomingAudio) {
    guard let mixer = mix.guarded.withLock({ $0.mixer }) else { return }
    for (id, stream) in guarded.withLock({ $0.sound.incoming }) { stream.setPart(mixer.source(for: id)) }
    // It was stopped meanwhile.
    if mix.guarded.withLock({ $0.mixer !== mixer }) { leaveMix() }
  }

  func leaveMix() {
    for stream in guarded.withLock({ Array($0.sound.incoming.values) }) { stream.setPart(nil) }
  }

  // MARK: Speaking

  /// Somebody began to speak in a stream, at that level, or (nil) ended.
  func spoke(_ id: StreamID, userID: String, _ level: UInt32?) {
    let change: (Bool, UInt32)? = guarded.withLock { guarded in
      let before = guarded.sound.speakingLevel(of: userID)
      guarded.sound.speakers[id] = level.map { SessionAudio.Speaker(userID: userID, level: $0) }
      let after = guarded.sound.speakingLevel(of: userID)
      guard (before == nil) != (after == nil) else { return nil }
      return (after != nil, after ?? AudioFrame.silentLevel)
    }
    if let (isSpeaking, level) = change { push(.activeSpeaker(userID: userID, isSpeaking, level: level)) }
  }
}

extension SessionAudio {
  func isAttached(_ stream: OutgoingAudio) -> Bool {
    attached.contains { $0 === stream }
  }
}
