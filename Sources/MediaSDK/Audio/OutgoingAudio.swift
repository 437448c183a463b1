import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport
import Synchronization

/// A stream of sound that this program makes. Every function may be called from any thread.
public final class OutgoingAudio: OutgoingCore {
  /// The states are those of outgoing video.
  public typealias State = OutgoingVideo.State

  typealias Raw = AudioFrame

  struct Guarded: OutgoingState {
    var life: OutgoingLife
    var pending: BoundedQueue<Pending>
    /// Nanoseconds of sound in `pending`.
    var queued: Int64 = 0
    var pacer: AudioPacer
    /// Of what is in `pending`.
    var draining = SerialDrain()
    /// Of those who wait for room, or for sound to have been played.
    var waiters = 0
    var sequence: UInt64 = 0
    var picture: FrameID = 0
    /// When what the encoder gathers goes though nothing follows.
    var flushTime: Int64?
    /// The sequence of the last buffer that was told of, and when what left is over.
    var settled: UInt64 = 0
    var playedAt = Int64.min
    /// When the buffer that was accepted last was.
    var times = CaptureTimes()
    var acceptedAt = Int64.min
    /// Where the sound that was accepted ended: samples since a time, so that no rounding adds up; nil before the first.
    var position: (anchor: Int64, samples: Int64)?
    /// Of sound without times: while it is not known whether its source paused or was held up.
    var hold: AudioHold?
    /// Buffers in a row that were written as they were captured, as far as that shows.
    var live = 0
    var isMuted = false
    /// By a moderator, and left so by the program.
    var isMutedByModerator = false
    var gain = 1.0
    var encoderSettings: AudioEncoderSettings
    var encoding: AudioEncodingStage?
    var speech = SpeechDetector()
    var counters = OutgoingAudioCounters()
    /// Since the last periodic event.
    var loudest = AudioFrame.silentLevel
  }

  /// What the stream was made with; later changes of bitrate, expected loss and gain are not in it.
  public let options: OutgoingAudioOptions
  /// What `send` accepts. `samplesPerBuffer` is the number of samples per channel in each buffer.
  public let format: AudioFormat
  /// The handle of the C ABI, made when that first asks for it; it ends with the stream.
  public let handle = HandleSlot(.outgoingAudio)
  let engine: Engine
  let clock: any MediaClock
  let guarded: Monitor<Guarded>
  let reports: ReportQueue
  let completionGate = CallbackGate()
  let topic = LogRecord.Category.audio
  static let frameName = "buffer"
  let pool = BufferPool(limit: 4096)
  /// Whether it has an encoder, or may get one.
  let canEncode: Bool
  /// What packets are looked into with, and what encodes.
  let codec: AudioCodecEntry?
  /// The gain at the end of the last buffer; of whoever drains.
  let currentGain = Monitor<Float>(1)
  /// Buffers whose sound has not all left in packets yet; of whoever drains.
  let awaiting = Monitor(BoundedQueue<Pending>(capacity: 64))
  let tap = StreamTap<AudioFrame>(inHand: 2_048, measure: { $0.native.pointee.duration_ns }) { $0.release() }
  let filters = AudioFilterChain()
  /// By which what came out of the filters last is older than what went in; of whoever drains.
  let filterDelay = Atomic<Int64>(0)
  let writing = Monitor(Writing())
  private let pump = Monitor<AudioProducerPump?>(nil)

  init(_ engine: Engine, _ options: OutgoingAudioOptions) throws(MediaError) {
    let codecs = engine.codecs
    try options.check(codecs)
    self.engine = engine
    clock = engine.clock
    self.options = options
    format = options.format
    codec = options.codec == FourCC.raw ? nil : try codecs.audio(options.encodedCodec)
    canEncode = options.codec != FourCC.raw && !options.isEncodedInput
    let duration = format.duration(ofSamples: Int(format.samplesPerBuffer))
    let least = options.isEncodedInput ? 2_500_000 : duration
    guarded = Monitor(
      Guarded(
        life: OutgoingLife(codec: options.codec),
        pending: BoundedQueue(capacity: Int(Int64(options.queueMilliseconds) * 1_000_000 / least) + 1),
        pacer: AudioPacer(bufferDuration: duration), encoderSettings: options.encoderSettings(codecs)))
    reports = ReportQueue(capacity: options.reportCapacity)
  }

  /// At the moment of the call: `.none` before the first start, `.failed` after an end with an error.
  public var state: State { guarded.withLock { $0.life.state } }
  /// The fourcc of the codec with which it is sent, or was last; 0 before the first start of a stream whose codec the SDK chooses.
  public var currentCodec: UInt32 { guarded.withLock { $0.life.codec } }
  /// Bytes of each buffer that `send` accepts.
  public var expectedBufferSize: Int { Int(format.samplesPerBuffer) * format.stride }

  // MARK: Starting and stopping, called by the session

  /// Is started whenever the session connects, from now on.
  func attach(to session: Session) throws(MediaError) {
    try guarded.withLock { guarded throws(MediaError) in try guarded.life.attach(to: session) }
  }

  func detach(from session: Session) -> Bool {
    guarded.withLock { $0.life.detach(from: session) }
  }

  func start(on session: Session, _ transport: any Transport) throws(MediaError) {
    // An encoder's making is foreign code, and not for under the lock. What is set meanwhile it is told with the first buffer.
    let settings = guarded.withLock { $0.encoderSettings }
    let isEncoding = canEncode && !(options.choosesCodec && session.isRawForAll(on: transport))
    let encoding = isEncoding ? try AudioEncodingStage(options, settings, engine.codecs) { self.pass($0) } : nil
    let gain: Float = try guarded.withLock { guarded throws(MediaError) in
      try guarded.life.checkMayStart(on: session)
      // All under the lock: whoever stops the stream at the same time finds it started whole or not at all, and what the room tells of it waits.
      let id = transport.makeStreamID()
      guard
        session.remember(
          self, as: id, on: transport, taking: options.bits(isEncoding || options.isEncodedInput ? guarded.encoderSettings.bitrate : nil))
      else {
        throw MediaError(.state, "the session is not connected")
      }
      guarded.life.codec = isEncoding ? options.encodedCodec : options.isEncodedInput ? options.codec : FourCC.raw
      do throws(MediaError) {
        try session.encryption.check(guarded.life.codec)
        try transport.publish(id, codec: guarded.life.codec, format: .audio(format, kind: options.kind.rawValue))
        guarded.begin(encoding, Publication(session, transport, id, codec: guarded.life.codec))
        guarded.life.worker = clock.makeWorker("msdk-audio-out") { self.drainDue() }
        if guarded.isMuted { transport.setMuted(id, true) }
        return guarded.isMuted ? 0 : Float(guarded.gain)
      } catch {
        session.forget(audio: id)
        throw error
      }
    }
    currentGain.withLock { $0 = gain }
    filters.noteGap()
    session.push(.outgoingAudioState(self, .started, nil))
    pump.withLock { $0 }?.follow(true)
    session.divideEstimate()
    // Somebody may have joined while the stream was being started.
    session.fallBack(self)
  }

  /// Says whether it was started. With an id only if it is still what is published under that.
  @discardableResult
  func stop(as final: State = .stopped, because error: MediaError? = nil, of id: StreamID? = nil) -> Bool {
    struct Ending {
      let publication: Publication
      let worker: (any Worker)?
      let dropped: [Pending]
      let wasSpeaking: Bool
      /// Its encoder ends where nothing is locked.
      let encoding: AudioEncodingStage?
    }
    let ending: Ending? = guarded.withLock { guarded in
      guard let (publication, worker) = guarded.life.end(as: final, of: id) else { return nil }
      defer {
        guarded.encoding = nil
        guarded.life.receivers = 0
        guarded.speech = SpeechDetector()
      }
      return Ending(
        publication: publication, worker: worker, dropped: guarded.takePending(), wasSpeaking: guarded.speech.isSpeaking,
        encoding: guarded.encoding)
    }
    guarded.notify()
    guard let ending else { return false }
    let publication = ending.publication
    pump.withLock { $0 }?.follow(false)
    forgetWritten()
    for pending in ending.dropped { drop(pending, .stopped) }
    publication.transport.unpublish(publication.id)
    ending.worker?.stop()
    guarded.waitForEnd(of: \.draining)
    // A report may be on its way on a sender's thread.
    completionGate.waitUntilEmpty()
    dropAwaiting(.stopped)
    // Before the event, so that whoever gets it may start another.
    publication.session.forget(audio: publication.id)
    publication.session.divideEstimate()
    if ending.wasSpeaking { publication.session.spoke(publication.id, userID: publication.session.options.userID, nil) }
    publication.session.push(.outgoingAudioState(self, final, error))
    return true
  }

  /// Ends the stream: afterwards no callback comes.
  public func close() {
    let (isFirst, session) = guarded.withLock { $0.life.close() }
    guard isFirst else { return }
    handle.end()
    session?.detach(self)
    stop()
    detachProducer()
    filters.removeAll()
    tap.end()
    try? setEncodedCallback(nil)
    reports.close()
    completionGate.close()
    engine.forget(self)
  }

  // MARK: Steering

  /// By the program or by a moderator.
  public var isMuted: Bool { guarded.withLock { $0.isMuted } }

  /// In any state of the stream. The next buffer that leaves fades; what follows while it is muted is reported as dropped, `.muted`. The
  /// members are notified at once. Replaces what a moderator set.
  public func setMuted(_ isMuted: Bool) {
    let session: Session? = guarded.withLock { guarded in
      guarded.isMutedByModerator = false
      return guarded.mute(isMuted)
    }
    session?.refreshRenderers()
  }

  /// A moderator mutes, or takes his own muting back; nobody but the program unmutes what it muted itself.
  func moderate(isMuted: Bool) {
    let session: Session? = guarded.withLock { guarded in
      guard guarded.isMuted != isMuted, isMuted || guarded.isMutedByModerator else { return nil }
      guarded.isMutedByModerator = isMuted
      return guarded.mute(isMuted)
    }
    session?.refreshRenderers()
  }

  /// By what samples are multiplied: 0 to 8, else `.range` is thrown; 1 at first. A change is smooth, within one buffer. Throws
  /// `.unsupported` for a stream that takes packets.
  public func setGain(_ gain: Double) throws(MediaError) {
    try AudioLimits.checkGain(gain)
    guard !options.isEncodedInput else {
      throw MediaError(.unsupported, "the stream takes packets (encoded_input), whose gain cannot be set")
    }
    guarded.withLock { $0.gain = gain }
  }

  /// Of the encoder, in bits a second: 6,000 to 510,000, else `.range` is thrown; 0 changes nothing. Throws `.unsupported` for a stream
  /// without an encoder.
  public func setBitrate(_ bitrate: Int) throws(MediaError) {
    try OutgoingAudioOptions.check(bitrate: bitrate)
    try checkEncoder()
    guard bitrate != 0 else { return }
    let publication = guarded.withLock { guarded in
      guarded.encoderSettings.bitrate = bitrate
      return guarded.life.codec == FourCC.raw ? nil : guarded.life.publication
    }
    publication.map { $0.session.takes(self, as: $0.id, bits: options.bits(bitrate)) }
  }

  /// Per cent of packets lost on the network path, for the encoder: 0 to 100, else `.range` is thrown. Throws `.unsupported` for a stream
  /// without an encoder.
  public func setExpectedLoss(_ percent: Int) throws(MediaError) {
    try OutgoingAudioOptions.check(expectedLoss: percent)
    try checkEncoder()
    guarded.withLock { $0.encoderSettings.expectedLoss = percent }
  }

  private func checkEncoder() throws(MediaError) {
    guard canEncode else {
      throw MediaError(.unsupported, "the stream has no encoder; accepted: streams with a codec and without encoded_input")
    }
  }

  /// Called with each packet of the encoder, which is borrowed, in order, on the thread that encodes. While it is set, audio is encoded
  /// even without receivers. nil removes it. When the call returns, the former one is not running, unless the call came from foreign code.
  /// Throws `.unsupported` for a stream without an encoder.
  public func setEncodedCallback(_ function: (@Sendable (EncodedFrame) -> Void)?) throws(MediaError) {
    if function != nil { try checkEncoder() }
    replaceEncodedCallback(by: function)?.close()
  }

  /// Whether that is another number than before.
  func receiversChanged(_ count: Int) -> Bool {
    guarded.withLock { $0.life.setReceivers(count) }
  }

  // MARK: The producer

  /// Attaches the instance that makes the stream's audio, and runs while the stream is started; nil stops, releases and detaches it. Throws
  /// `.state` if the stream has a producer already or the instance is attached, and `.unsupported` if the class makes no audio or the
  /// stream takes packets.
  public func attachProducer(_ producer: PluginInstance?) throws(MediaError) {
    guard let producer else { return detachProducer() }
    guard !options.isEncodedInput else {
      throw MediaError(.unsupported, "the stream takes packets (encoded_input), so it accepts no producer")
    }
    let added = try AudioProducerPump(producer, for: self)
    do throws(MediaError) {
      try pump.withLock { pump throws(MediaError) in
        guard pump == nil else {
          throw MediaError(.state, "the stream already has a producer; call msdk_outgoing_audio_detach_producer first")
        }
        try guarded.withLock { guarded throws(MediaError) in try guarded.life.checkAlive() }
        pump = added
      }
    } catch {
      added.close()
      throw error
    }
    if state == .started { added.follow(true) }
  }

  func detachProducer() {
    let former = pump.withLock { pump in
      defer { pump = nil }
      return pump
    }
    former?.close()
  }
}

extension OutgoingAudio.Guarded {
  fileprivate mutating func begin(_ encoding: AudioEncodingStage?, _ publication: Publication) {
    life.begin(publication)
    self.encoding = encoding
    pacer.reset()
    times = CaptureTimes()
    acceptedAt = .min
    position = nil
    (hold, live) = (nil, 0)
    flushTime = nil
    picture = 0
  }

  mutating func takePending() -> [OutgoingAudio.Pending] {
    queued = 0
    return pending.takeAll()
  }
}

extension OutgoingAudio.Guarded {
  /// Notifies the room under the lock, so that its last state is the stream's. Gives the session if it is a change there.
  fileprivate mutating func mute(_ isMuted: Bool) -> Session? {
    guard self.isMuted != isMuted else { return nil }
    self.isMuted = isMuted
    life.publication.map { $0.transport.setMuted($0.id, isMuted) }
    return life.publication?.session
  }
}
