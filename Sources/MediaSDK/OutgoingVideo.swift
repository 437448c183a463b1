import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport

/// A stream of pictures that this program makes. Every function may be called from any thread.
public final class OutgoingVideo: Sendable {
  public enum State: UInt32, Sendable {
    case none = 0
    case started = 1
    case stopped = 2
    case failed = 3
  }

  /// Where the stream goes while it is started.
  struct Publication: Sendable {
    let session: Session
    let transport: any Transport
    let id: StreamID
  }

  /// A frame that was accepted, with a reference of ours, on its way to the encoder or the transport.
  struct Pending: Sendable {
    let unit: MediaUnit
    let sequence: UInt64
    let timestamp: Int64
    let acceptedAt: Int64
    let completion: Completion
  }

  struct Guarded {
    var state = State.none
    var publication: Publication?
    var sender: FrameSender?
    /// Senders that were replaced, which say so for as long as they are remembered.
    var retired = BoundedQueue<FrameSender>(capacity: 8)
    var negotiator: FormatNegotiator
    var estimate: UInt64 = 0
    var receivers = 0
    var bitrate: BitrateRange
    var frameRate: FrameRate?
    var nextPacedTime = Int64.min
    var sequence: UInt64 = 0
    var picture: PictureID = 0
    var pending: BoundedQueue<Pending>
    /// Of what is in `pending`.
    var draining = Handover()
    var wantsKeyFrame = true
    var encodedCallback: FrameCallback<EncodedFrame>?
    /// Of one start: what pokes the worker late, after a stop, finds one that is stopped.
    var encoderWorker: (any Worker)?
    var encoding: EncodingStage?
    var counters = OutgoingVideoCounters()
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
  let previews: Previews
  /// What encodes, unless frames pass raw or come encoded.
  let codec: VideoCodec?
  private let pump = Monitor<ProducerPump?>(nil)

  init(_ engine: Engine, _ options: OutgoingVideoOptions) throws(MediaError) {
    try options.check()
    self.engine = engine
    clock = engine.clock
    self.options = options
    let isEncoded = options.codec != 0
    guarded = Monitor(
      Guarded(
        negotiator: FormatNegotiator(formats: options.formats, isEncoded: isEncoded), bitrate: options.bitrate,
        pending: BoundedQueue(capacity: isEncoded && !options.isEncodedInput ? max(1, options.queueCapacity) : 16)))
    reports = ReportQueue(capacity: options.reportCapacity)
    previews = Previews(clock: engine.clock)
    codec = isEncoded && !options.isEncodedInput ? try VideoCodec.named(options.codec) : nil
  }

  public var state: State { guarded.withLock { $0.state } }
  var session: Session? { guarded.withLock { $0.publication?.session } }

  public func currentSender() throws(MediaError) -> FrameSender {
    guard let sender = guarded.withLock({ $0.sender }) else { throw MediaError(.state, "the stream is not started") }
    return sender
  }

  // MARK: Starting and stopping, called by the session

  func start(on session: Session, _ transport: any Transport) throws(MediaError) {
    let sender: FrameSender = try guarded.withLock { guarded throws(MediaError) in
      guard !guarded.isClosed else { throw MediaError(.closed, "the stream is destroyed") }
      guard guarded.state != .started else { throw MediaError(.state, "the stream is started already; stop it first") }
      // All under the lock: whoever stops the stream at the same time finds it started whole or not at all, and what the room tells of it waits.
      let id = transport.makeStreamID()
      guard let estimate = session.remember(self, as: id, on: transport) else {
        throw MediaError(.state, "the session is not connected")
      }
      var negotiator = FormatNegotiator(formats: options.formats, isEncoded: options.codec != 0)
      _ = negotiator.update(estimate: estimate, now: clock.now())
      do throws(MediaError) {
        guard let format = negotiator.current else { throw MediaError(.fail, "no format could be chosen") }
        try transport.publish(id, codec: options.codec, format: .video(format))
        return guarded.begin(self, format, Publication(session: session, transport: transport, id: id), negotiator, estimate: estimate)
      } catch {
        session.forget(video: id)
        throw error
      }
    }
    session.push(.outgoingVideoState(self, .started, nil))
    session.push(.frameSenderChanged(self, sender))
    pump.withLock { $0 }?.follow(sender)
    scheduleNegotiation()
  }

  /// Says whether it was started.
  @discardableResult
  func stop(as final: State = .stopped, because error: MediaError? = nil) -> Bool {
    // All of the start that ends is taken at once: another one may begin before the rest of this is done.
    struct Ending {
      let publication: Publication
      let worker: (any Worker)?
      let forgotten: FrameSender?
      let dropped: [Pending]
    }
    let ending: Ending? = guarded.withLock { guarded in
      guard guarded.state == .started, let publication = guarded.publication else { return nil }
      guarded.state = final
      defer {
        guarded.publication = nil
        guarded.encoderWorker = nil
        guarded.encoding = nil
      }
      return Ending(
        publication: publication, worker: guarded.encoderWorker, forgotten: guarded.retireSender(), dropped: guarded.takePending())
    }
    guarded.notify()
    guard let ending else { return false }
    let publication = ending.publication
    ending.forgotten?.handle.end()
    pump.withLock { $0 }?.follow(nil)
    report(ending.dropped, .dropped, .stopped)
    publication.transport.unpublish(publication.id)
    ending.worker?.stop()
    guarded.waitForEnd(of: \.draining)
    // A report may be on its way on a sender's thread.
    completionGate.waitUntilEmpty()
    publication.session.push(.outgoingVideoState(self, final, error))
    publication.session.forget(video: publication.id)
    return true
  }

  /// Ends the stream: afterwards no callback comes.
  public func close() {
    let isFirst = guarded.withLock { guarded in
      defer { guarded.isClosed = true }
      return !guarded.isClosed
    }
    guard isFirst else { return }
    handle.end()
    stop()
    detachProducer()
    previews.close()
    setEncodedCallback(nil)
    reports.close()
    completionGate.close()
    for sender in guarded.withLock({ $0.takeRetired() }) { sender.handle.end() }
    engine.forget(self)
  }

  // MARK: Negotiation

  func follow(estimate: UInt64) {
    guarded.withLock { $0.estimate = estimate }
    negotiate()
  }

  private func negotiate() {
    let change: (FrameSender, FrameSender?, Publication, [Pending])? = guarded.withLock { guarded in
      guard guarded.state == .started, let publication = guarded.publication,
        guarded.negotiator.update(estimate: guarded.estimate, now: clock.now()), let format = guarded.negotiator.current
      else { return nil }
      let sender = FrameSender(self, format: format)
      let forgotten = guarded.retireSender()
      guarded.sender = sender
      guarded.wantsKeyFrame = true
      guarded.nextPacedTime = .min
      guarded.counters.formatChanges += 1
      return (sender, forgotten, publication, guarded.takePending())
    }
    if let (sender, forgotten, publication, dropped) = change {
      guarded.notify()
      forgotten?.handle.end()
      report(dropped, .dropped, .stopped)
      publication.session.push(.frameSenderChanged(self, sender))
      pump.withLock { $0 }?.follow(sender)
    }
    scheduleNegotiation()
  }

  private func scheduleNegotiation() {
    guard let time = guarded.withLock({ $0.state == .started ? $0.negotiator.nextCheck : nil }), time > clock.now() else { return }
    engine.loop.schedule(at: time) { self.negotiate() }
  }

  // MARK: Steering

  public func setBitrate(target: UInt64, least: UInt64, most: UInt64) throws(MediaError) {
    try guarded.withLock { guarded throws(MediaError) in
      var wanted = guarded.bitrate
      if target != 0 { wanted.target = target }
      if least != 0 { wanted.least = least }
      if most != 0 { wanted.most = most }
      try wanted.check()
      guarded.bitrate = wanted
    }
  }

  /// nil: the format's own.
  public func setFrameRate(_ rate: FrameRate?) throws(MediaError) {
    if let rate {
      let format = guarded.withLock { $0.sender?.format } ?? options.formats.max { $0.frameRate.perSecond < $1.frameRate.perSecond }
      guard rate.isKnown, rate.perSecond <= format?.frameRate.perSecond ?? 0 else {
        throw MediaError(.range, "the frame rate is \(rate); accepted: above 0, at most the format's \(format?.frameRate.description ?? "")")
      }
    }
    guarded.withLock { guarded in
      guarded.frameRate = rate
      guarded.nextPacedTime = .min
    }
    pump.withLock { $0 }?.repace()
  }

  public func requestKeyFrame() {
    guarded.withLock { $0.wantsKeyFrame = true }
  }

  /// From a receiver.
  func keyFrameRequested() {
    guarded.withLock { guarded in
      guarded.wantsKeyFrame = true
      guarded.counters.keyFrameRequests += 1
    }
  }

  func receiversChanged(_ count: Int) {
    guarded.withLock { $0.receivers = count }
  }

  /// The rate at which frames go out, and the format, while it is started.
  func pacedRate() -> FrameRate? {
    guarded.withLock { guarded in guarded.frameRate ?? guarded.sender?.format.frameRate }
  }

  // MARK: Attachments

  public func attachProducer(_ producer: PluginInstance?) throws(MediaError) {
    guard let producer else { return detachProducer() }
    let added = try ProducerPump(producer, for: self)
    do throws(MediaError) {
      try pump.withLock { pump throws(MediaError) in
        guard pump == nil else { throw MediaError(.state, "the stream has a producer already; detach it with NULL first") }
        guard !guarded.withLock({ $0.isClosed }) else { throw MediaError(.closed, "the stream is destroyed") }
        pump = added
      }
    } catch {
      added.close()
      throw error
    }
    if let sender = guarded.withLock({ $0.sender }) { added.follow(sender) }
  }

  func detachProducer() {
    let former = pump.withLock { pump in
      defer { pump = nil }
      return pump
    }
    former?.close()
  }

  public func attachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try previews.list.add(renderer, to: "an outgoing stream", codec: 0) { self.pass($0) }
  }

  public func detachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    try previews.list.remove(renderer)
  }

  func pass(_ event: PluginEvent) {
    session?.push(.plugin(event.instance, event))
  }
}

extension OutgoingVideo.Guarded {
  /// Is started, with everything that belongs to one start.
  fileprivate mutating func begin(
    _ stream: OutgoingVideo, _ format: VideoFormat, _ publication: OutgoingVideo.Publication, _ negotiator: FormatNegotiator,
    estimate: UInt64
  ) -> FrameSender {
    let sender = FrameSender(stream, format: format)
    state = .started
    self.publication = publication
    self.sender = sender
    self.negotiator = negotiator
    self.estimate = estimate
    receivers = 0
    wantsKeyFrame = true
    if let codec = stream.codec {
      encoding = EncodingStage(codec, stream.options)
      encoderWorker = stream.engine.clock.makeWorker("msdk-encode") { stream.encodePending() }
    }
    return sender
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

  mutating func takePending() -> [OutgoingVideo.Pending] {
    var taken: [OutgoingVideo.Pending] = []
    while let next = pending.pop() { taken.append(next) }
    return taken
  }
}
