import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Somebody else's video. Every function may be called from any thread.
public final class IncomingVideo: VideoSink, IncomingCore {
  /// The raw values are MSDK_INCOMING_* of handles.h.
  public enum State: UInt32, Sendable {
    case available = 0x300
    case started = 0x301
    case stopping = 0x302
    case stopped = 0x303
    case notAvailable = 0x304
  }

  struct Arrival: Sendable {
    let frame: StreamFrame<VideoFrame>
    let picture: FrameID
    /// A raw one that was offered to nobody where it came from, as it is to be filtered first.
    var awaitsFilters = false
  }

  struct Guarded: IncomingState {
    var life = IncomingLife()
    var delivery = Delivery<IncomingVideoOptions, VideoFrame>(IncomingVideoOptions())
    /// The newest picture that arrived.
    var latest: FrameID = 0
    /// Of this start, for who takes encoded frames.
    var firstKeyFrame = FirstKeyFrame()
    /// What the stream's worker has yet to look at.
    var inbound = BoundedQueue<Arrival>(capacity: IncomingVideo.inboundCapacity)
    var worker: (any Worker)?
    /// Of how many starts the worker is that of the last: one that was stopped inside its own callback takes nothing more.
    var starts: UInt64 = 0
    var subscription = Subscription()
    var counters = IncomingVideoCounters()
    var rate = RateMeter()
  }

  static let inboundCapacity = 60

  /// As the transport announced it.
  public let description: StreamDescription
  /// As its sender makes it.
  public let format: VideoFormat
  /// MSDK_VIDEO_*
  public let kind: UInt32
  /// The handle of the C ABI, made when that first asks for it; it ends with the stream.
  public let handle = HandleSlot(.incomingVideo)
  let session: Session
  let clock: any MediaClock
  let transport: any Transport
  let guarded = Monitor(Guarded())
  let output = ReadQueues<VideoFrame>()
  /// The frames as they came that wait here, or that the program or a renderer has.
  let share = FrameShare(limit: 0)
  let renderers = RendererList()
  let taps = FrameTaps()
  let filters = VideoFilterChain(keepsFormat: false)
  /// nil: raw, or a codec that is not known here, which can still be received encoded.
  let codec: VideoCodecEntry?
  let shaper = FrameShaper()

  init(_ description: StreamDescription, _ format: VideoFormat, kind: UInt32, session: Session, transport: any Transport) {
    self.description = description
    self.format = format
    self.kind = kind
    self.session = session
    clock = session.engine.clock
    self.transport = transport
    codec = description.codec == FourCC.raw ? nil : session.engine.codecs.decoderOfVideo(description.codec)
  }

  /// At the moment of the call. `.notAvailable` once the sender withdrew the stream, or the session ended.
  public var state: State { guarded.withLock { $0.life.state } }
  /// Of its sender.
  public var userID: String { description.userID }
  /// Whether its sender encrypts it from end to end, as far as that is known.
  public var isEncrypted: Bool { session.encryption.isEncrypted(description) }
  /// Whether its pictures can be had here: those of a codec that is not known cannot.
  var showsPictures: Bool { description.codec == FourCC.raw || codec != nil }
  var isScreen: Bool { kind == VideoKind.screenShare.rawValue }

  // MARK: Starting and stopping

  /// Starts to receive. Throws `.state` unless the stream is available or stopped, `.closed` once it is not available any more,
  /// `.permission` if the room does not let the session receive, `.unsupported` if `options.output` does not go with the codec, and
  /// `.range` or `.unsupported` for a member of `options`.
  public func start(_ options: IncomingVideoOptions = IncomingVideoOptions()) throws(MediaError) {
    try options.check()
    guard options.output == .raw || description.codec != FourCC.raw else {
      throw MediaError(.unsupported, "options.output asks for encoded frames; this stream is sent raw")
    }
    guard options.output == .encoded || description.codec == FourCC.raw || codec != nil else {
      throw MediaError(
        .unsupported, "the stream's codec \(FourCC.text(description.codec)) cannot be decoded here; accepted: MSDK_OUTPUT_ENCODED")
    }
    try session.checkMayReceive()
    // One that runs for a renderer of the call only is the program's from now on, in the form that it wants.
    if session.handOver(self) { stop() }
    try guarded.withLock { guarded throws(MediaError) in
      try guarded.life.begin()
      guarded.delivery = Delivery(options, guarded.delivery.callback?.renewed)
      (guarded.latest, guarded.firstKeyFrame) = (0, FirstKeyFrame())
      guarded.starts += 1
      let start = guarded.starts
      let decoding = codec.map { DecodingStage($0, of: format, events: hearDecoder) }
      guarded.worker = clock.makeWorker("msdk-receive") { self.process(start, decoding) }
      filters.noteGap()
      share.setLimit(options.mostFrames(isRaw: description.codec == FourCC.raw))
      output.open(options)
    }
    session.push(.incomingVideoState(self, .started, nil))
    followSubscription()
  }

  /// Subscribed while it is started.
  @inline(never)
  private func followSubscription() {
    while let isNeeded = guarded.withLock({ $0.subscription.next(isNeeded: $0.life.state == .started) }) {
      if isNeeded { subscribe() } else { transport.unsubscribe(from: description.id) }
      guarded.withLock { $0.subscription.done() }
      guarded.notify()
    }
  }

  private func subscribe() {
    let sink = session.encryption.sink(.video(self), of: description) { [self] state, index in
      session.push(.encryption(.incomingVideo(self), state, keyIndex: index))
    }
    transport.subscribe(to: description.id, sink)
  }

  /// Stops receiving. What is queued is released, and readers get `.closed`. Nothing happens if the stream is not started. When it returns,
  /// no callback is running, unless the call came from foreign code.
  public func stop() {
    stop(because: nil)
  }

  func event(_ state: State, _ error: MediaError?) -> SessionEvent { .incomingVideoState(self, state, error) }

  func endDelivery() {
    followSubscription()
    guarded.waitForChange(of: \.subscription)
    let (worker, callback, left): ((any Worker)?, FrameCallback<VideoFrame>?, [Arrival]) = guarded.withLock { guarded in
      defer { guarded.worker = nil }
      return (guarded.worker, guarded.delivery.callback, guarded.inbound.takeAll())
    }
    output.close()
    worker?.stop()
    callback?.close()
    for arrival in left { arrival.frame.release() }
  }

  /// The sender withdrew it: what arrived is still delivered.
  func becomeNotAvailable() {
    guard guarded.withLock({ $0.life.withdraw() }) else { return }
    session.push(.incomingVideoState(self, .notAvailable, nil))
    guard let worker = guarded.withLock({ $0.worker }) else { return end() }
    worker.poke()
  }

  /// The last frame was delivered.
  func end() {
    output.end()
    session.endScreenViews(of: self)
  }

  /// Ends it together with its session, or when it is forgotten.
  func close() {
    guard guarded.withLock({ $0.life.close() }) else { return }
    handle.end()
    endDelivery()
    session.endScreenViews(of: self)
    setFrameCallback(nil)
    filters.removeAll()
    renderers.removeAll()
    taps.removeAll()
  }

  // MARK: Taking

  /// The oldest picture that waits, with a reference for the caller.
  public func read(deadline: Int64) throws(MediaError) -> VideoFrame {
    let frame = try takeRaw(deadline: deadline)
    defer { frame.release() }
    return try shaper.shape(frame, guarded.withLock { $0.delivery.options })
  }

  /// The oldest encoded frame that is queued, with a reference for the caller. Waits until `deadline`, in nanoseconds of the monotonic
  /// clock; 0 does not wait, `.max` has no limit. Throws `.timeout`, `.state` if the stream was never started, and `.closed` once it is
  /// stopped, or has ended and all was read.
  public func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try takeEncoded(deadline: deadline)
  }

  /// Readable for poll() while raw or encoded frames are queued, and after a stop or the end. The stream owns it. Throws `.noMemory` when
  /// the process has no descriptor left.
  public func descriptor() throws(MediaError) -> Int32 {
    try output.descriptor()
  }

  /// Called with each frame, which is borrowed, one call at a time, on the stream's thread or, with direct delivery, on the one that
  /// delivers the frame. While it is set, raw frames are not queued to be read. nil removes it. When the call returns, the former one is
  /// not running, unless the call came from foreign code.
  public func setFrameCallback(_ function: (@Sendable (VideoFrame) -> Void)?) {
    replaceCallback(by: function)
  }

  /// Feeds it, or changes the view that it is fed through.
  public func attachRenderer(_ renderer: PluginInstance, through view: View? = nil) throws(MediaError) {
    let isNew = try renderers.add(renderer, through: view, to: "an incoming stream", codec: description.codec, events: pass)
    // A renderer of encoded frames begins with a key frame.
    if isNew, view == nil, description.codec != FourCC.raw { requestKeyFrame() }
  }

  /// A decoder whose process was started again knows nothing of the pictures before.
  private var hearDecoder: PluginInstance.EventHandler {
    { [self] event in
      pass(event)
      if event.event == UInt32(MSDK_PLUGIN_EVENT_RESTARTED) { requestKeyFrame() }
    }
  }

  /// When it returns, the renderer is not being called, unless the call was made inside it. Throws `.notFound` if it is not attached to
  /// this stream.
  public func detachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try renderers.remove(renderer)
  }

  /// In what size and rate it is of use here, whether it is started or not, until another preference replaces this one. Its sender makes no more
  /// than the most demanding receiver wants.
  public func setPreference(_ preference: VideoPreference) throws(MediaError) {
    try preference.check(argument: "the preference")
    guard state != .notAvailable else { throw MediaError(.closed, "the stream is no longer available") }
    try session.require(.preferences, "preferences of receivers")
    transport.prefer(preference, of: description.id)
  }

  /// Requests a key frame from the sender. Nothing happens unless the stream is started.
  public func requestKeyFrame() {
    guard state == .started else { return }
    guarded.withLock { $0.counters.keyFramesRequested += 1 }
    transport.requestKeyFrame(of: description.id)
  }
}
