import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport
import Synchronization

/// A stream of pictures that this program makes. Every function may be called from any thread.
public final class OutgoingVideo: OutgoingCore {
  /// The raw values are MSDK_OUTGOING_* of handles.h.
  public enum State: UInt32, Sendable {
    case none = 0x200
    case started = 0x201
    case stopped = 0x202
    case failed = 0x203
  }

  typealias Raw = VideoFrame

  struct Guarded: OutgoingState {
    var life = OutgoingLife()
    /// The producer's own formats for the session that the stream is attached to, where none are declared.
    var attachedFormats: [VideoFormat]?
    var senders = SenderSlot()
    var negotiation: Negotiation
    var pacing: FramePacing
    /// Of a shared screen.
    var screen = ScreenFrames()
    /// What the program sent so far, in order.
    var sequence: UInt64 = 0
    var times = CaptureTimes()
    var pushed = PushedFrames()
    var foreign = ForeignFrames()
    var pending: PendingFrames
    /// Of what is in `pending`.
    var draining = SerialDrain()
    /// nil: frames are handed on raw, or come encoded.
    var encoding: LayerEncoding?
    var wantsKeyFrame = true
    var counters = OutgoingVideoCounters()
    var rate = RateMeter()
  }

  /// What the stream was made with; later changes of bitrate and frame rate are not in it.
  public let options: OutgoingVideoOptions
  /// The handle of the C ABI, made when that first asks for it; it ends with the stream.
  public let handle = HandleSlot(.outgoingVideo)
  let engine: Engine
  let clock: any MediaClock
  let guarded: Monitor<Guarded>
  let reports: ReportQueue
  let completionGate = CallbackGate()
  let topic = LogRecord.Category.video
  static let frameName = "frame"
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
        negotiation: Negotiation(options.makeNegotiator(options.formats), options.bitrate),
        pacing: FramePacing(isHeldToFormat: options.isPaced), pending: PendingFrames(encodedCapacity: max(1, options.queueCapacity))))
    reports = ReportQueue(capacity: options.reportCapacity)
    previews = Previews(clock: engine.clock)
    // A renderer that fails, or is destroyed, leaves by itself.
    previews.list.whenRemoved { [weak self] in
      guard let self else { return }
      self.engine.loop.post { [weak self] in self?.followPreviews() }
    }
  }

  /// At the moment of the call: `.none` before the first start, `.failed` after an end with an error.
  public var state: State { guarded.withLock { $0.life.state } }
  /// Where it is, the codec with which it is sent or was last, and what its sender takes.
  public var progress: (state: State, codec: UInt32, format: VideoFormat?) {
    guarded.withLock { ($0.life.state, $0.life.codec, $0.senders.current?.format) }
  }
  /// Whether frames are encoded here, or may be when a member needs it.
  public var canEncode: Bool { !encoders.isEmpty }
  var isEncoding: Bool { guarded.withLock { $0.encoding != nil } }
  /// Whether all its codecs take it as it is.
  func takes(_ pixelFormat: PixelFormat) -> Bool { options.choosesCodec || encoders.allSatisfy { $0.inputFormats.contains(pixelFormat) } }
  var isScreen: Bool { options.kind == .screenShare }

  /// What the program gives its frames to at present. Throws `.state` if the stream is neither started nor previewed.
  public func currentSender() throws(MediaError) -> FrameSender {
    guard let sender = guarded.withLock({ $0.senders.current }) else {
      throw MediaError(.state, "the stream is neither started nor previewed")
    }
    return sender
  }

  // MARK: Starting and stopping, called by the session

  /// Is started whenever the session connects, from now on. A producer is asked for its format here, and not by the session's events.
  func attach(to session: Session) throws(MediaError) {
    try guarded.withLock { guarded throws(MediaError) in try guarded.life.checkMayAttach() }
    let formats = try declaredFormats()
    try guarded.withLock { guarded throws(MediaError) in
      try guarded.life.attach(to: session)
      guarded.attachedFormats = formats
    }
  }

  func detach(from session: Session) -> Bool {
    let isDetached = guarded.withLock { guarded in
      guard guarded.life.detach(from: session) else { return false }
      guarded.attachedFormats = nil
      return true
    }
    // A producer may have been initialised to be asked.
    if isDetached, options.formats.isEmpty, state != .started { followSender() }
    return isDetached
  }

  func start(on session: Session, _ transport: any Transport) throws(MediaError) {
    try guarded.withLock { guarded throws(MediaError) in try guarded.life.checkMayStart(on: session) }
    let formats = try declaredFormats()
    let (sender, forgotten): (FrameSender, FrameSender?) = try guarded.withLock { guarded throws(MediaError) in
      try guarded.life.checkMayStart(on: session)
      // All under the lock: whoever stops the stream at the same time finds it started whole or not at all, and what the room tells of it waits.
      let id = transport.makeStreamID()
      var negotiator = options.makeNegotiator(formats)
      let encoder = session.preferred(for: self, on: transport)
      if options.choosesCodec { negotiator.isEncoded = encoder != nil }
      let layers = options.layers(of: formats, encoder, over: session.factory.features)
      let wish = options.wish(guarded.negotiation.bitrate, formats, isEncoded: negotiator.isEncoded, in: layers)
      let estimate = try session.remember(self, as: id, on: transport, wishing: wish)
      _ = negotiator.update(estimate: estimate, now: clock.now())
      do throws(MediaError) {
        guard let format = negotiator.current else { throw MediaError(.fail, "no format could be chosen") }
        let codec = options.codec(of: encoder)
        try session.encryption.check(codec)
        try transport.publish(
          id, codec: codec, format: options.announced(format, encoder), layers: layers, carriesMetadata: options.carriesMetadata)
        let publication = Publication(session, transport, id, codec: codec, layers: layers.layers.count)
        return guarded.begin(self, format, publication, negotiator, encoder, layers, estimate: estimate)
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
      let encoding: LayerEncoding?
    }
    let ending: Ending? = guarded.withLock { guarded in
      guard let (publication, worker) = guarded.life.end(as: final, of: id) else { return nil }
      defer {
        guarded.encoding = nil
        guarded.negotiation.restart(options.makeNegotiator(options.formats))
      }
      // Renderers go on with the sender if that is what a preview would have.
      let isPreviewed = final == .stopped && !guarded.life.isClosed && !previews.list.isEmpty
      let keepsSender = isPreviewed && (options.formats.isEmpty || options.best(of: options.formats) == guarded.senders.current?.format)
      return Ending(
        publication: publication, worker: worker, forgotten: keepsSender ? nil : guarded.senders.retire(),
        dropped: guarded.takePending(), standing: guarded.screen.repetition.keep(nil), encoding: guarded.encoding)
    }
    guarded.notify()
    guard let ending else { return false }
    let publication = ending.publication
    ending.forgotten?.handle.end()
    if final == .stopped { followPreviews() }
    followSender()
    for pending in ending.dropped { drop(pending, .stopped) }
    ending.standing?.release()
    publication.transport.unpublish(publication.id)
    ending.worker?.stop()
    guarded.waitForEnd(of: \.draining)
    // A report may be on its way on a sender's thread.
    completionGate.waitUntilEmpty()
    // Before the event, so that whoever gets it may start another.
    publication.session.forget(video: publication.id)
    publication.session.divideEstimate()
    if isScreen { publication.session.push(.screenShareState(userID: publication.session.options.userID, isSharing: false, nil)) }
    publication.session.push(.outgoingVideoState(self, final, error))
    return true
  }

  /// Ends the stream: afterwards no callback comes.
  public func close() {
    let (isFirst, session) = guarded.withLock { $0.life.close() }
    guard isFirst else { return }
    handle.end()
    session?.detach(self)
    stop()
    guarded.withLock { $0.senders.retire() }?.handle.end()
    detachProducer()
    filters.removeAll()
    previews.close()
    tap.end()
    setEncodedCallback(nil)
    reports.close()
    completionGate.close()
    for sender in guarded.withLock({ $0.senders.takeRetired() }) { sender.handle.end() }
    engine.forget(self)
  }

  // MARK: Steering

  /// In bits a second, in any state; 0 leaves a value unchanged. Throws `.range` unless 1,000 <= least <= target <= most <= 100,000,000.
  public func setBitrate(target: UInt64, least: UInt64, most: UInt64) throws(MediaError) {
    let (session, wish): (Session?, BitrateAllocator.Wish) = try guarded.withLock { guarded throws(MediaError) in
      var wanted = guarded.negotiation.bitrate
      if target != 0 { wanted.target = target }
      if least != 0 { wanted.least = least }
      if most != 0 { wanted.most = most }
      try wanted.check()
      guarded.negotiation.bitrate = wanted
      return (guarded.life.publication?.session, guarded.negotiation.share(options))
    }
    session?.wishes(self, wish)
  }

  /// nil: the format's own.
  public func setFrameRate(_ rate: FrameRate?) throws(MediaError) {
    guard !options.isEncodedInput else {
      throw MediaError(.unsupported, "the stream takes encoded frames (encoded_input), which cannot be dropped to reach a rate")
    }
    if let rate {
      let most = guarded.withLock { $0.senders.current?.format.frameRate } ?? options.fastest
      guard rate.isKnown, rate.perSecond <= most.perSecond else {
        throw MediaError(.range, "the frame rate is \(rate); accepted: above 0, at most the format's \(most)")
      }
    }
    guarded.withLock { $0.pacing.asked = rate }
    repace()
  }

  func repace() {
    pump.withLock { $0 }?.repace()
    pokeStanding()
  }

  /// Makes the next encoded frame a key frame. A screen share sends its last frame again as one; a producer of encoded frames is asked for
  /// one.
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
      let isOther = guarded.life.setReceivers(count)
      guarded.negotiation.isReceived = count > 0
      if isOther, count > 0 { guarded.screen.repetition.receiversCame(clock.now()) }
      return (isOther, guarded.screen.repetition.time != .max)
    }
    if isOther, isDue { pokeStanding() }
    return isOther
  }

  /// The rate at which frames go out, and the format, while it is started.
  func pacedRate() -> FrameRate? {
    guarded.withLock { guarded in guarded.slowerRate ?? guarded.senders.current?.format.frameRate }
  }

  // MARK: Attachments

  /// Attaches the instance that makes the frames, and runs while the stream is started or previewed; nil stops, releases and detaches it.
  /// Throws `.state` if the stream has a producer already or the instance is attached, and `.unsupported` if it does not make what the
  /// stream takes.
  public func attachProducer(_ producer: PluginInstance?) throws(MediaError) {
    guard let producer else { return detachProducer() }
    try check(producer)
    let added = try ProducerPump(producer, for: self)
    do throws(MediaError) {
      try pump.withLock { pump throws(MediaError) in
        guard pump == nil else {
          throw MediaError(.state, "the stream already has a producer; call msdk_outgoing_video_detach_producer first")
        }
        try guarded.withLock { guarded throws(MediaError) in try guarded.life.checkAlive() }
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

  /// When it returns, the renderer is not being called, unless the call was made inside it. Throws `.notFound` if it is not attached to
  /// this stream.
  public func detachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try previews.list.remove(renderer)
    if state != .started { followPreviews() }
  }

  /// From the producer.
  func hear(_ event: PluginEvent) {
    pass(event)
    if event.event == UInt32(MSDK_PLUGIN_EVENT_FORMAT_CHANGED) { pump.withLock { $0 }?.formatChanged() }
  }
}

extension OutgoingVideo.Guarded {
  /// Is started, with everything that belongs to one start.
  fileprivate mutating func begin(
    _ stream: OutgoingVideo, _ format: VideoFormat, _ publication: Publication, _ negotiator: any Negotiator,
    _ encoder: VideoCodecEntry?, _ layers: StreamLayers, estimate: UInt64
  ) -> (sender: FrameSender, forgotten: FrameSender?) {
    // A preview's goes on.
    let previewed = senders.current.flatMap { $0.format == format ? $0 : nil }
    let forgotten = previewed == nil ? senders.retire() : nil
    let sender = previewed ?? FrameSender(stream, format: format)
    life.begin(publication)
    senders.current = sender
    negotiation.begin(negotiator, layers: layers, estimate: estimate)
    times = CaptureTimes()
    pacing.forgetBurst()
    wantsKeyFrame = true
    life.codec = stream.options.codec(of: encoder)
    if let encoder {
      begin(stream, encoder)
    } else if stream.keepsPicture {
      life.worker = stream.clock.makeWorker("msdk-repeat") { stream.passDue() }
    }
    return (sender, forgotten)
  }

  /// Another format from now on; nil when the stream is neither started nor previewed.
  mutating func change(to format: VideoFormat, of stream: OutgoingVideo) -> OutgoingVideo.Change? {
    guard senders.current != nil else { return nil }
    let forgotten = senders.retire()
    let sender = FrameSender(stream, format: format)
    senders.current = sender
    wantsKeyFrame = true
    pacing.forgetRate()
    pacing.forgetBurst()
    counters.formatChanges += 1
    return OutgoingVideo.Change(
      sender: sender, publication: life.publication, forgotten: forgotten, dropped: takePending(), standing: screen.repetition.keep(nil))
  }

  mutating func takePending() -> [OutgoingVideo.Pending] { pending.takeAll() + screen.takeHeld() }

  /// Without an encoder only what callbacks send meanwhile waits.
  var isFull: Bool { pending.isFull(isEncoding: encoding != nil) }

  /// Adds to the queue; when that is full, the oldest makes room and is returned.
  mutating func push(_ added: OutgoingVideo.Pending) -> OutgoingVideo.Pending? { pending.push(added, isEncoding: encoding != nil) }
}
