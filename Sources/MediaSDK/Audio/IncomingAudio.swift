import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Somebody else's sound, or all of it mixed. Every function may be called from any thread.
public final class IncomingAudio: AudioSink, IncomingCore {
  /// The states are those of incoming video.
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
    var subscription = Subscription()
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

  /// The handle of the C ABI, made when that first asks for it; it ends with the stream.
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

  /// At the moment of the call. `.notAvailable` once the sender withdrew the stream, or the session ended.
  public var state: State { guarded.withLock { $0.life.state } }
  /// Whether this is the mix of a session, not one participant's stream.
  public var isMix: Bool { remote == nil }
  /// Whose; empty for the mix.
  public var userID: String { remote?.description.userID ?? "" }
  /// The fourcc of the codec that its sender uses, MSDK_CODEC_*; that of raw audio for the mix.
  public var codec: UInt32 { remote?.description.codec ?? FourCC.raw }
  /// MSDK_AUDIO_* of outgoing_audio.h; 0 for the mix.
  public var kind: UInt32 { remote?.kind ?? 0 }
  /// As its sender makes it.
  public var format: AudioFormat { remote?.format ?? IncomingAudioOptions().mixFormat }
  /// Whether its sender has muted it at present; false for the mix.
  public var isMuted: Bool { remote.map { session.isMuted($0.description.id) } ?? false }
  /// Whether its sender encrypts it from end to end, as far as that is known; false for the mix.
  public var isEncrypted: Bool { remote.map { session.encryption.isEncrypted($0.description) } ?? false }
  /// Whether it was muted when it was announced.
  public var isMutedAtFirst: Bool { remote?.description.isMuted ?? false }

  // MARK: Starting and stopping

  /// Starts to receive. Throws `.state` unless the stream is available or stopped, `.closed` once it is not available any more,
  /// `.permission` if the room does not let the session receive, `.unsupported` if `options.output` does not go with the codec, and
  /// `.range` or `.unsupported` for a member of `options`.
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
      followSubscription()
    }
  }

  /// An Opus packet.
  private static let shortest: Int64 = 2_500_000
  private static let inboundCapacity = 60

  /// How many buffers or packets of any length there are in so many nanoseconds.
  static func mostQueued(in length: Int64) -> Int { Int(length / shortest) }

  /// Those that may wait, for the stream's thread and to be read, and 2,048 in the program's hands.
  private static func mostFrames(waiting: Int) -> Int { inboundCapacity + waiting + 2_048 }

  private func beginMixing(_ guarded: inout Guarded) {
    let mixer = AudioMixer(guarded.delivery.options.mixFormat, clock: clock)
    guarded.mixer = mixer
    guarded.worker = clock.makeWorker("msdk-mix") { mixer.mixDue { self.receive($0, from: mixer) } }
  }

  /// Stops receiving; a started mix still gets the stream. What is queued is released, and readers get `.closed`. Nothing happens if it is
  /// not started. When it returns, no callback is running, unless the call came from foreign code.
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
    followSubscription()
    guarded.waitForChange(of: \.subscription)
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
    followSubscription()
    if part == nil { guarded.waitForChange(of: \.subscription) }
  }

  /// Subscribed as long as somebody takes it; nothing arrives any more when it is not, unless another thread is about to see to that.
  @inline(never)
  private func followSubscription() {
    guard let remote else { return }
    while let isNeeded = guarded.withLock({ nextSubscription(&$0) }) {
      if isNeeded { subscribe(to: remote) } else { unsubscribe(from: remote) }
      guarded.withLock { $0.subscription.done() }
      guarded.notify()
    }
  }

  private func nextSubscription(_ guarded: inout Guarded) -> Bool? {
    let isTaken = guarded.life.state == .started || guarded.part != nil
    let next = guarded.subscription.next(isNeeded: isTaken && (guarded.subscription.isOn || !guarded.life.hasEnded))
    if next == true {
      guarded.decodesAnew = true
      guarded.latest = 0
      guarded.worker = clock.makeWorker("msdk-receive") { self.process() }
    }
    return next
  }

  private func subscribe(to remote: Remote) {
    let sink = session.encryption.sink(.audio(self), of: remote.description) { [self] state, index in
      session.push(.encryption(.incomingAudio(self), state, keyIndex: index))
    }
    remote.transport.subscribe(to: remote.description.id, sink)
  }

  private func unsubscribe(from remote: Remote) {
    let (worker, left): ((any Worker)?, [Arrival]) = guarded.withLock { guarded in
      defer { guarded.worker = nil }
      return (guarded.worker, guarded.inbound.takeAll())
    }
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

  /// The oldest packet that is queued, with a reference for the caller. Waits until `deadline`, in nanoseconds of the monotonic clock; 0
  /// does not wait, `.max` has no limit. Throws `.timeout`, `.state` if the stream was never started, and `.closed` once it is stopped, or
  /// has ended and all was read.
  public func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try takeEncoded(deadline: deadline)
  }

  /// Readable for poll() while buffers or packets are queued, and after a stop or the end. The stream owns it. Throws `.noMemory` when the
  /// process has no descriptor left.
  public func descriptor() throws(MediaError) -> Int32 {
    try output.descriptor()
  }

  /// Called with each buffer, which is borrowed, one call at a time, on the stream's thread or, with direct delivery, on the one that
  /// delivers the buffer. While it is set, buffers are not queued to be read. nil removes it. When the call returns, the former one is not
  /// running, unless the call came from foreign code.
  public func setFrameCallback(_ function: (@Sendable (AudioFrame) -> Void)?) {
    replaceCallback(by: function)
  }

  /// By what samples are multiplied, in the stream and in its part of the mix: 0 to 8, else `.range` is thrown; 1 at first. A change is
  /// smooth, within one buffer. Packets that are delivered encoded are not changed.
  public func setGain(_ gain: Double) throws(MediaError) {
    try AudioLimits.checkGain(gain)
    guarded.withLock { $0.gain = gain }
  }

  /// Feeds the renderer while the stream is started; may be called in any state. Throws `.full` when there are 8 renderers, and `.state` if
  /// the instance is attached already.
  public func attachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try renderers.add(renderer, to: isMix ? "the mix" : "an incoming stream", codec: codec, events: pass)
  }

  /// When it returns, the renderer gets no more buffers. Throws `.notFound` if it is not attached to this stream.
  public func detachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try renderers.remove(renderer)
  }
}
