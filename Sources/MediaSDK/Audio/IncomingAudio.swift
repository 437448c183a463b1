import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Somebody else's sound, or all of it mixed. Every function may be called from any thread.
public final class IncomingAudio: AudioSink, IncomingCore {
  public typealias State = IncomingVideo.State

  /// One participant's stream and the way to it.
  struct Remote: Sendable {
    let description: StreamDescription
    let format: AudioFormat
    let kind: UInt32
    let transport: any Transport
    let decoding: AudioDecodingStage?
  }

  struct Arrival: Sendable {
    let frame: StreamFrame<AudioFrame>
    let picture: FrameID
    /// Units before it are missing.
    let isAfterGap: Bool
  }

  struct Guarded: IncomingState {
    /// As the program asked for it; the mix takes a participant's sound beside that.
    var life = IncomingLife()
    var delivery = Delivery<IncomingAudioOptions, AudioFrame>(IncomingAudioOptions())
    /// This stream in the mix of its session, while there is one.
    var part: MixerSource?
    /// Of the mix itself, while it is started.
    var mixer: AudioMixer?
    var isSubscribed = false
    /// What was decoded last does not lead up to what comes: it is of an earlier subscription.
    var decodesAnew = false
    /// The newest unit that arrived.
    var latest: FrameID = 0
    /// What the stream's worker has yet to look at.
    var inbound = BoundedQueue<Arrival>(capacity: IncomingAudio.inboundCapacity)
    /// What arrived or was mixed, one after the other.
    var handing = SerialDrain()
    var worker: (any Worker)?
    /// One from each start to the next.
    var shaper = AudioShaper()
    var gain = 1.0
    var counters = IncomingAudioCounters()
    /// Since the last periodic event.
    var loudest = AudioFrame.silentLevel
    /// The last of what arrived was delivered.
    var hasFinished = false
  }

  public let handle = HandleSlot(.incomingAudio)
  let session: Session
  let clock: any MediaClock
  /// nil: the mix.
  let remote: Remote?
  let guarded = Monitor(Guarded())
  /// The buffers and packets as they came that wait here, or that the program or a renderer has.
  let share = FrameShare(limit: IncomingAudio.mostFrames(waiting: 0))
  let output = ReadQueues<AudioFrame>(measure: { $0.native.pointee.duration_ns }) { $0.release() }
  let renderers = AudioRendererList()
  let filters = AudioFilterChain()

  /// A participant's.
  init(_ description: StreamDescription, _ format: AudioFormat, kind: UInt32, session: Session, transport: any Transport) {
    self.session = session
    clock = session.engine.clock
    // A codec that is not known here can still be received encoded.
    let codec = description.codec == FourCC.raw ? nil : session.engine.codecs.decoderOfAudio(description.codec)
    remote = Remote(
      description: description, format: format, kind: kind, transport: transport,
      decoding: codec.map { AudioDecodingStage($0, channels: format.channels) { session.push(.plugin($0.instance, $0)) } })
  }

  /// The mix.
  init(mixOf session: Session) {
    self.session = session
    clock = session.engine.clock
    remote = nil
  }

  public var state: State { guarded.withLock { $0.life.state } }
  public var isMix: Bool { remote == nil }
  /// Whose; empty for the mix.
  public var userID: String { remote?.description.userID ?? "" }
  public var codec: UInt32 { remote?.description.codec ?? FourCC.raw }
  public var kind: UInt32 { remote?.kind ?? 0 }
  /// As its sender makes it.
  public var format: AudioFormat { remote?.format ?? IncomingAudioOptions().mixFormat }
  public var isMuted: Bool { remote.map { session.isMuted($0.description.id) } ?? false }
  public var isMutedAtFirst: Bool { remote?.description.isMuted ?? false }

  // MARK: Starting and stopping

  public func start(_ options: IncomingAudioOptions = IncomingAudioOptions()) throws(MediaError) {
    try options.check()
    guard options.output == .raw || codec != FourCC.raw else {
      throw MediaError(.unsupported, "options.output asks for encoded packets; this stream is \(isMix ? "mixed" : "sent raw")")
    }
    guard options.output == .encoded || codec == FourCC.raw || remote?.decoding != nil else {
      throw MediaError(.unsupported, "the stream's codec \(FourCC.text(codec)) cannot be decoded here; accepted: MSDK_OUTPUT_ENCODED")
    }
    try session.checkMayReceive()
    try guarded.withLock { guarded throws(MediaError) in
      try guarded.life.begin()
      guarded.delivery = Delivery(options, guarded.delivery.callback?.renewed)
      guarded.shaper = AudioShaper(gain: Float(guarded.gain))
      filters.noteGap()
      let longest = Int64(options.queueMilliseconds) * 1_000_000
      let most = IncomingAudio.mostQueued(in: longest)
      share.setLimit(IncomingAudio.mostFrames(waiting: most))
      output.open(capacity: most, encodedCapacity: most, longest: longest, policy: options.queuePolicy)
      if isMix { beginMixing(&guarded) }
    }
    session.push(.incomingAudioState(self, .started, nil))
    if isMix {
      session.joinMix(self)
      guarded.withLock { $0.worker }?.poke()
    } else {
      subscribeIfNeeded()
    }
  }

  /// An Opus packet.
  private static let shortest: Int64 = 2_500_000
  private static let inboundCapacity = 60

  /// Those that may wait, for the stream's thread and to be read, and 2,048 in the program's hands.
  /// How many buffers or packets of any length there are in so many nanoseconds.
  static func mostQueued(in length: Int64) -> Int { Int(length / shortest) }

  private static func mostFrames(waiting: Int) -> Int { inboundCapacity + waiting + 2_048 }

  private func beginMixing(_ guarded: inout Guarded) {
    let mixer = AudioMixer(guarded.delivery.options.mixFormat, clock: clock)
    guarded.mixer = mixer
    guarded.worker = clock.makeWorker("msdk-mix") { mixer.mixDue { self.receive($0, from: mixer) } }
  }

  public func stop() {
    stop(because: nil)
  }

  func event(_ state: State, _ error: MediaError?) -> SessionEvent { .incomingAudioState(self, state, error) }

  func endDelivery() {
    if isMix { session.leaveMix() }
    let (worker, callback): ((any Worker)?, FrameCallback<AudioFrame>?) = guarded.withLock { guarded in
      defer {
        guarded.mixer = nil
        if isMix { guarded.worker = nil }
      }
      return (isMix ? guarded.worker : nil, guarded.delivery.callback)
    }
    output.close()
    worker?.stop()
    unsubscribeIfIdle()
    guarded.waitForEnd(of: \.handing)
    callback?.close()
  }

  /// The sender withdrew it: what arrived is still delivered.
  func becomeNotAvailable() {
    let (wasAvailable, part) = guarded.withLock { ($0.life.withdraw(), $0.part) }
    guard wasAvailable else { return }
    session.push(.incomingAudioState(self, .notAvailable, nil))
    guard let worker = guarded.withLock({ $0.worker }) else {
      part?.end()
      return output.end()
    }
    worker.poke()
  }

  /// Ends it together with its session, or when it is forgotten.
  func close() {
    guard guarded.withLock({ $0.life.close() }) else { return }
    handle.end()
    setPart(nil)
    endDelivery()
    setFrameCallback(nil)
    filters.removeAll()
    renderers.removeAll()
  }

  // MARK: Subscribing

  /// Takes part in the mix, or (nil) no more.
  func setPart(_ part: MixerSource?) {
    let former = guarded.withLock { guarded in
      defer { guarded.part = guarded.life.hasEnded && part != nil ? nil : part }
      return guarded.part
    }
    if former !== part { former?.end() }
    if part == nil { unsubscribeIfIdle() } else { subscribeIfNeeded() }
  }

  private func subscribeIfNeeded() {
    guard let remote else { return }
    let isNew = guarded.withLock { guarded in
      guard !guarded.isSubscribed, !guarded.life.hasEnded, guarded.life.state == .started || guarded.part != nil else { return false }
      guarded.isSubscribed = true
      guarded.decodesAnew = true
      guarded.latest = 0
      guarded.worker = clock.makeWorker("msdk-receive") { self.process() }
      return true
    }
    if isNew { remote.transport.subscribe(to: remote.description.id, .audio(self)) }
  }

  /// When it returns, nothing arrives any more, unless somebody still takes it.
  private func unsubscribeIfIdle() {
    guard let remote else { return }
    let (isIdle, worker, left): (Bool, (any Worker)?, [Arrival]) = guarded.withLock { guarded in
      guard guarded.isSubscribed, guarded.life.state != .started, guarded.part == nil else { return (false, nil, []) }
      guarded.isSubscribed = false
      defer { guarded.worker = nil }
      return (true, guarded.worker, guarded.inbound.takeAll())
    }
    guard isIdle else { return }
    remote.transport.unsubscribe(from: remote.description.id)
    worker?.stop()
    guarded.waitForEnd(of: \.handing)
    for arrival in left { arrival.frame.release() }
  }

  // MARK: Taking

  /// The oldest buffer that waits, with a reference for the caller.
  public func read(deadline: Int64) throws(MediaError) -> AudioFrame {
    try takeRaw(deadline: deadline)
  }

  public func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try takeEncoded(deadline: deadline)
  }

  public func descriptor() throws(MediaError) -> Int32 {
    try output.descriptor()
  }

  public func setFrameCallback(_ function: (@Sendable (AudioFrame) -> Void)?) {
    replaceCallback(by: function)
  }

  public func setGain(_ gain: Double) throws(MediaError) {
    try AudioLimits.checkGain(gain)
    guarded.withLock { $0.gain = gain }
  }

  public func attachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try renderers.add(renderer, to: isMix ? "the mix" : "an incoming stream", codec: codec, events: pass)
  }

  public func detachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try renderers.remove(renderer)
  }
}
