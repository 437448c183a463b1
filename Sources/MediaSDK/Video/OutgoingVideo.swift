import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport
import Synchronization

/// A stream of pictures that this program makes. Every function may be called from any thread.
public final class OutgoingVideo: Sendable {
  public enum State: UInt32, Sendable {
    case none = 0x200
    case started = 0x201
    case stopped = 0x202
    case failed = 0x203
  }

  /// A frame that was accepted, with a reference of ours, on its way to the encoder or the transport.
  struct Pending: Sendable {
    var frame: StreamFrame<VideoFrame>
    let sequence: UInt64
    let timestamp: Int64
    let acceptedAt: Int64
    let completion: Completion
    /// Of a standing picture: its report has been told.
    var isRepeat = false
  }

  struct Guarded {
    var state = State.none
    var publication: Publication? {
      didSet { if oldValue !== publication { oldValue?.end() } }
    }
    /// The session that starts the stream whenever it connects, and the producer's own formats for that, where none are declared.
    var attachedTo: Session?
    var attachedFormats: [VideoFormat]?
    var sender: FrameSender?
    /// Senders that were replaced, which say so for as long as they are remembered.
    var retired = BoundedQueue<FrameSender>(capacity: 8)
    var negotiator: any Negotiator
    var estimate: UInt64 = 0
    /// By the receivers; since the stream was published as it is.
    var wanted = VideoPreference.any
    var receivers = 0
    /// What the transport lets them take, since the stream was published as it is. The encoder makes one.
    var layers = StreamLayers.one
    var bitrate: BitrateRange
    var frameRate: FrameRate?
    var nextPacedTime = Int64.min
    /// For the format's rate, of a stream that is held to it.
    var bucket = TokenBucket()
    let isPaced: Bool
    /// Of a shared screen: the newest frame that came ahead of its time, and what is shown now.
    var held: Pending?
    var standing = StandingPicture()
    var pushed = PushedFrames()
    var times = CaptureTimes()
    var sequence: UInt64 = 0
    var foreign = ForeignFrames()
    var pending = BoundedQueue<Pending>(capacity: 16)
    /// How many of them may wait for an encoder.
    let encodedCapacity: Int
    /// Of what is in `pending`.
    var draining = SerialDrain()
    var wantsKeyFrame = true
    var encodedCallback: FrameCallback<EncodedFrame>?
    /// Encodes, or repeats raw pictures. Of one start: what pokes the worker late, after a stop, finds one that is stopped.
    var worker: (any Worker)?
    var encoding: EncodingStage?
    /// Of what is published.
    var codec: UInt32 = 0
    var counters = OutgoingVideoCounters()
    /// What its transport was told of the encoder.
    var target = TargetNotifier()
    var rate = RateMeter()
    var isClosed = false
  }

  public let options: OutgoingVideoOptions
  public let handle = HandleSlot(.outgoingVideo)
  let engine: Engine
  let clock: any MediaClock
  let guarded: Monitor<Guarded>
  let reports: ReportQueue
  let completionGate = CallbackGate()
  let encodedInputPool = BufferPool(limit: 256)
  /// Of the frames that were handed to the transport, whoever did.
  let numbering = Atomic<FrameID>(0)
  let previews: Previews
  let tap = StreamTap<VideoFrame>(inHand: 32) { $0.release() }
  let filters = VideoFilterChain(keepsFormat: true)
  /// What can encode, the preferred one first; none when frames pass raw wherever they go, or come encoded.
  let encoders: [VideoCodecEntry]
  /// What frames that come encoded are looked into with.
  let pushedCodec: VideoCodecEntry?
  let pump = Monitor<ProducerPump?>(nil)

  init(_ engine: Engine, _ options: OutgoingVideoOptions) throws(MediaError) {
    let codecs = engine.codecs
    try options.check(codecs)
    encoders = try options.encoders(codecs)
    pushedCodec = options.isEncodedInput ? try codecs.video(options.codec, argument: "options.codec") : nil
    self.engine = engine
    clock = engine.clock
    self.options = options
    guarded = Monitor(
      Guarded(
        negotiator: options.makeNegotiator(options.formats), bitrate: options.bitrate, isPaced: options.isPaced,
        encodedCapacity: max(1, options.queueCapacity)))
    reports = ReportQueue(capacity: options.reportCapacity)
    previews = Previews(clock: engine.clock)
    // A renderer that fails, or is destroyed, leaves by itself.
    previews.list.whenRemoved { [weak self] in
      guard let self else { return }
      self.engine.loop.post { [weak self] in self?.followPreviews() }
    }
  }

  public var state: State { guarded.withLock { $0.state } }
  /// Where it is, the codec with which it is sent or was last, and what its sender takes.
  public var progress: (state: State, codec: UInt32, format: VideoFormat?) {
    guarded.withLock { ($0.state, $0.codec, $0.sender?.format) }
  }
  public var canEncode: Bool { !encoders.isEmpty }
  /// Whether all its codecs take it as it is.
  func takes(_ pixelFormat: PixelFormat) -> Bool { options.choosesCodec || encoders.allSatisfy { $0.inputFormats.contains(pixelFormat) } }
  var isScreen: Bool { options.kind == .screenShare }
  var session: Session? { guarded.withLock { $0.publication?.session } }

  public func currentSender() throws(MediaError) -> FrameSender {
    guard let sender = guarded.withLock({ $0.sender }) else { throw MediaError(.state, "the stream is neither started nor previewed") }
    return sender
  }

  // MARK: Starting and stopping, called by the session

  /// Is started whenever the session connects, from now on. A producer is asked for its format here, and not by the session's events.
  func attach(to session: Session) throws(MediaError) {
    try guarded.withLock { guarded throws(MediaError) in try guarded.checkMayAttach() }
    let formats = try declaredFormats()
    try guarded.withLock { guarded throws(MediaError) in
      try guarded.checkMayAttach()
      guarded.attachedTo = session
      guarded.attachedFormats = formats
    }
  }

  func detach(from session: Session) -> Bool {
    let isDetached = guarded.withLock { guarded in
      guard guarded.attachedTo === session else { return false }
      (guarded.attachedTo, guarded.attachedFormats) = (nil, nil)
      return true
    }
    // A producer may have been initialised to be asked.
    if isDetached, options.formats.isEmpty, state != .started { followSender() }
    return isDetached
  }

  func start(on session: Session, _ transport: any Transport) throws(MediaError) {
    try guarded.withLock { guarded throws(MediaError) in try guarded.checkMayStart(on: session) }
    let formats = try declaredFormats()
    let (sender, forgotten): (FrameSender, FrameSender?) = try guarded.withLock { guarded throws(MediaError) in
      try guarded.checkMayStart(on: session)
      // All under the lock: whoever stops the stream at the same time finds it started whole or not at all, and what the room tells of it waits.
      let id = transport.makeStreamID()
      var negotiator = options.makeNegotiator(formats)
      let encoder = session.preferred(for: self, on: transport)
      if options.choosesCodec { negotiator.isEncoded = encoder != nil }
      let wish = options.wish(guarded.bitrate, formats, isEncoded: negotiator.isEncoded)
      let estimate = try session.remember(self, as: id, on: transport, wishing: wish)
      _ = negotiator.update(estimate: estimate, now: clock.now())
      do throws(MediaError) {
        guard let format = negotiator.current else { throw MediaError(.fail, "no format could be chosen") }
        try transport.publish(
          id, codec: options.codec(of: encoder), format: options.announced(format, encoder), layers: .one)
        let publication = Publication(session: session, transport: transport, id: id)
        return guarded.begin(self, format, publication, negotiator, encoder, estimate: estimate)
      } catch {
        session.forget(video: id)
        throw error
      }
    }
    forgotten?.handle.end()
    session.push(.outgoingVideoState(self, .started, nil))
    if isScreen { session.push(.screenShareState(userID: session.options.userID, isSharing: true, nil)) }
    if !options.isFed { session.push(.frameSenderChanged(self, sender)) }
    filters.noteGap()
    followSender()
    scheduleNegotiation()
    session.divideEstimate()
    // Somebody may have joined while the stream was being started.
    session.fallBack(self)
  }

  /// Says whether it was started. With an id only if it is still what is published under that.
  @discardableResult
  func stop(as final: State = .stopped, because error: MediaError? = nil, of id: StreamID? = nil) -> Bool {
    // All of the start that ends is taken at once: another one may begin before the rest of this is done.
    struct Ending {
      let publication: Publication
      let worker: (any Worker)?
      let forgotten: FrameSender?
      let dropped: [Pending]
      let standing: VideoFrame?
      /// Its encoder ends where nothing is locked.
      let encoding: EncodingStage?
    }
    let ending: Ending? = guarded.withLock { guarded in
      guard guarded.state == .started, let publication = guarded.publication, id == nil || publication.id == id else { return nil }
      guarded.state = final
      defer {
        guarded.publication = nil
        guarded.worker = nil
        guarded.encoding = nil
        guarded.negotiator = options.makeNegotiator(options.formats)
        guarded.wanted = .any
      }
      // Renderers go on with the sender if that is what a preview would have.
      let isPreviewed = final == .stopped && !guarded.isClosed && !previews.list.isEmpty
      let keepsSender = isPreviewed && (options.formats.isEmpty || options.best(of: options.formats) == guarded.sender?.format)
      return Ending(
        publication: publication, worker: guarded.worker, forgotten: keepsSender ? nil : guarded.retireSender(),
        dropped: guarded.takePending(), standing: guarded.standing.keep(nil), encoding: guarded.encoding)
    }
    guarded.notify()
    guard let ending else { return false }
    let publication = ending.publication
    ending.forgotten?.handle.end()
    if final == .stopped { followPreviews() }
    followSender()
    report(ending.dropped, .dropped, .stopped)
    ending.standing?.release()
    publication.transport.unpublish(publication.id)
    ending.worker?.stop()
    guarded.waitForEnd(of: \.draining)
    // A report may be on its way on a sender's thread.
    completionGate.waitUntilEmpty()
    // Before it is told, so that whoever hears of it may start another.
    publication.session.forget(video: publication.id)
    publication.session.divideEstimate()
    if isScreen { publication.session.push(.screenShareState(userID: publication.session.options.userID, isSharing: false, nil)) }
    publication.session.push(.outgoingVideoState(self, final, error))
    return true
  }

  /// Ends the stream: afterwards no callback comes.
  public func close() {
    let (isFirst, session): (Bool, Session?) = guarded.withLock { guarded in
      defer { guarded.isClosed = true }
      return (!guarded.isClosed, guarded.attachedTo)
    }
    guard isFirst else { return }
    handle.end()
    session?.detach(self)
    stop()
    guarded.withLock { $0.retireSender() }?.handle.end()
    detachProducer()
    filters.removeAll()
    previews.close()
    tap.end()
    setEncodedCallback(nil)
    reports.close()
    completionGate.close()
    for sender in guarded.withLock({ $0.takeRetired() }) { sender.handle.end() }
    engine.forget(self)
  }

  // MARK: Steering

  public func setBitrate(target: UInt64, least: UInt64, most: UInt64) throws(MediaError) {
    let (session, wish): (Session?, BitrateAllocator.Wish) = try guarded.withLock { guarded throws(MediaError) in
      var wanted = guarded.bitrate
      if target != 0 { wanted.target = target }
      if least != 0 { wanted.least = least }
      if most != 0 { wanted.most = most }
      try wanted.check()
      guarded.bitrate = wanted
      return (guarded.publication?.session, guarded.share(options))
    }
    session?.wishes(self, wish)
  }

  /// nil: the format's own.
  public func setFrameRate(_ rate: FrameRate?) throws(MediaError) {
    guard !options.isEncodedInput else {
      throw MediaError(.unsupported, "the stream takes encoded frames (encoded_input), which cannot be dropped to reach a rate")
    }
    if let rate {
      let most = guarded.withLock { $0.sender?.format.frameRate } ?? options.fastest
      guard rate.isKnown, rate.perSecond <= most.perSecond else {
        throw MediaError(.range, "the frame rate is \(rate); accepted: above 0, at most the format's \(most)")
      }
    }
    guarded.withLock { guarded in
      guarded.frameRate = rate
      guarded.nextPacedTime = .min
    }
    repace()
  }

  func repace() {
    pump.withLock { $0 }?.repace()
    pokeStanding()
  }

  public func requestKeyFrame() {
    askForPicture()
  }

  /// From a receiver.
  func keyFrameRequested() {
    guarded.withLock { $0.counters.keyFrameRequests += 1 }
    askForPicture()
  }

  /// Whether that is another number than before.
  func receiversChanged(_ count: Int) -> Bool {
    let (isOther, isDue) = guarded.withLock { guarded in
      let isOther = guarded.receivers != count
      guarded.receivers = count
      if isOther, count > 0 { guarded.standing.receiversCame(clock.now()) }
      return (isOther, guarded.standing.time != .max)
    }
    if isOther, isDue { pokeStanding() }
    return isOther
  }

  /// The rate at which frames go out, and the format, while it is started.
  func pacedRate() -> FrameRate? {
    guarded.withLock { guarded in guarded.slowerRate ?? guarded.sender?.format.frameRate }
  }

  // MARK: Attachments

  public func attachProducer(_ producer: PluginInstance?) throws(MediaError) {
    guard let producer else { return detachProducer() }
    try check(producer)
    let added = try ProducerPump(producer, for: self)
    do throws(MediaError) {
      try pump.withLock { pump throws(MediaError) in
        guard pump == nil else {
          throw MediaError(.state, "the stream already has a producer; call msdk_outgoing_video_detach_producer first")
        }
        guard !guarded.withLock({ $0.isClosed }) else { throw MediaError(.closed, "the stream is destroyed") }
        pump = added
      }
    } catch {
      added.close()
      throw error
    }
    if state == .started { followSender() } else { followPreviews() }
  }

  /// Whether it makes what the stream takes.
  private func check(_ producer: PluginInstance) throws(MediaError) {
    guard producer.isEncodedProducer || options.isEncodedInput else { return }
    let id = producer.descriptor.id
    let taken =
      options.isEncodedInput
      ? "the stream takes frames of codec \(FourCC.text(options.codec)) (encoded_input)" : "the stream takes raw frames"
    guard producer.isEncodedProducer else {
      guard producer.descriptor.producer != nil else { return }
      throw MediaError(
        .unsupported, "class \(id) makes raw frames; \(taken), accepted: a producer with MSDK_PRODUCER_ENCODED and that codec")
    }
    guard options.isEncodedInput else {
      throw MediaError(
        .unsupported,
        "class \(id) makes frames of codec \(FourCC.text(producer.producedCodec)); \(taken), accepted: a stream with encoded_input and that codec"
      )
    }
    guard producer.producedCodec == options.codec else {
      throw MediaError(.unsupported, "class \(id) makes frames of codec \(FourCC.text(producer.producedCodec)); \(taken)")
    }
  }

  func detachProducer() {
    let former = pump.withLock { pump in
      defer { pump = nil }
      return pump
    }
    former?.close()
    if options.formats.isEmpty, state != .started { followPreviews() }
  }

  /// Feeds it, or changes the view that it is fed through.
  public func attachRenderer(_ renderer: PluginInstance, through view: View? = nil) throws(MediaError) {
    let isNew = try previews.list.add(renderer, through: view, to: "an outgoing stream", codec: FourCC.raw) { self.pass($0) }
    if isNew, state != .started { followPreviews() }
  }

  public func detachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try previews.list.remove(renderer)
    if state != .started { followPreviews() }
  }

  func pass(_ event: PluginEvent) {
    session?.push(.plugin(event.instance, event))
  }

  /// From the producer.
  func hear(_ event: PluginEvent) {
    pass(event)
    if event.event == UInt32(MSDK_PLUGIN_EVENT_FORMAT_CHANGED) { pump.withLock { $0 }?.formatChanged() }
  }
}

extension OutgoingVideo.Guarded {
  fileprivate func checkMayAttach() throws(MediaError) {
    guard !isClosed else { throw MediaError(.closed, "the stream is destroyed") }
    guard state != .started, attachedTo == nil else {
      throw MediaError(.state, "the stream is already started or attached to a session; stop it first")
    }
  }

  fileprivate func checkMayStart(on session: Session) throws(MediaError) {
    guard !isClosed else { throw MediaError(.closed, "the stream is destroyed") }
    guard state != .started, attachedTo == nil || attachedTo === session else {
      throw MediaError(.state, "the stream is already started or attached to another session; stop it first")
    }
  }

  /// Is started, with everything that belongs to one start.
  fileprivate mutating func begin(
    _ stream: OutgoingVideo, _ format: VideoFormat, _ publication: Publication, _ negotiator: any Negotiator,
    _ encoder: VideoCodecEntry?, estimate: UInt64
  ) -> (sender: FrameSender, forgotten: FrameSender?) {
    // A preview's goes on.
    let previewed = self.sender.flatMap { $0.format == format ? $0 : nil }
    let forgotten = previewed == nil ? retireSender() : nil
    let sender = previewed ?? FrameSender(stream, format: format)
    state = .started
    self.publication = publication
    self.sender = sender
    self.negotiator = negotiator
    self.estimate = estimate
    wanted = .any
    receivers = 0
    layers = .one
    times = CaptureTimes()
    bucket = TokenBucket()
    wantsKeyFrame = true
    codec = stream.options.codec(of: encoder)
    if let encoder {
      begin(stream, encoder)
    } else if stream.keepsPicture {
      worker = stream.clock.makeWorker("msdk-repeat") { stream.passDue() }
    }
    return (sender, forgotten)
  }

  /// Another format from now on; nil when the stream is neither started nor previewed.
  mutating func change(to format: VideoFormat, of stream: OutgoingVideo) -> OutgoingVideo.Change? {
    guard sender != nil else { return nil }
    let forgotten = retireSender()
    let sender = FrameSender(stream, format: format)
    self.sender = sender
    wantsKeyFrame = true
    nextPacedTime = .min
    bucket = TokenBucket()
    counters.formatChanges += 1
    return OutgoingVideo.Change(
      sender: sender, publication: publication, forgotten: forgotten, dropped: takePending(), standing: standing.keep(nil))
  }

  /// Takes the sender away; the one that is forgotten for it, if any.
  mutating func retireSender() -> FrameSender? {
    defer { sender = nil }
    return sender.flatMap { retired.push($0) }
  }

  mutating func takeRetired() -> [FrameSender] {
    var taken: [FrameSender] = []
    while let next = retired.pop() { taken.append(next) }
    return taken
  }

  /// Without an encoder only what callbacks send meanwhile waits.
  var isFull: Bool { pending.count >= (encoding != nil ? encodedCapacity : pending.capacity) }

  /// Adds to the queue; when that is full, the oldest makes room and is returned.
  mutating func push(_ added: OutgoingVideo.Pending) -> OutgoingVideo.Pending? {
    let displaced = isFull ? pending.pop() : nil
    return pending.push(added) ?? displaced
  }

  mutating func takePending() -> [OutgoingVideo.Pending] {
    var taken: [OutgoingVideo.Pending] = []
    while let next = pending.pop() { taken.append(next) }
    if let held { taken.append(held) }
    held = nil
    return taken
  }
}
