import MediaCore
import MediaRuntime
import MediaTransport

/// What a stream that is sent has of its life, be it video or audio: a part of its state, behind its lock.
struct OutgoingLife {
  var state = OutgoingVideo.State.none
  var publication: Publication? {
    didSet { if oldValue !== publication { oldValue?.end() } }
  }
  /// The session that starts the stream whenever it connects.
  private(set) var attachedTo: Session?
  /// Of one start: what pokes the worker late, after a stop, finds one that is stopped.
  var worker: (any Worker)?
  /// Of what is published, or was last; 0 before the first start of a stream whose codec the SDK chooses.
  var codec: UInt32 = 0
  var receivers = 0
  var encodedCallback: FrameCallback<EncodedFrame>?
  /// What its transport was told of the encoder.
  var target = TargetNotifier()
  private(set) var isClosed = false

  func checkAlive() throws(MediaError) {
    guard !isClosed else { throw MediaError(.closed, "the stream is destroyed") }
  }

  func checkMayAttach() throws(MediaError) {
    try checkAlive()
    guard state != .started, attachedTo == nil else {
      throw MediaError(.state, "the stream is already started or attached to a session; stop it first")
    }
  }

  mutating func attach(to session: Session) throws(MediaError) {
    try checkMayAttach()
    attachedTo = session
  }

  /// Says whether it was attached there.
  mutating func detach(from session: Session) -> Bool {
    guard attachedTo === session else { return false }
    attachedTo = nil
    return true
  }

  func checkMayStart(on session: Session) throws(MediaError) {
    try checkAlive()
    guard state != .started, attachedTo == nil || attachedTo === session else {
      throw MediaError(.state, "the stream is already started or attached to another session; stop it first")
    }
  }

  mutating func begin(_ publication: Publication) {
    state = .started
    self.publication = publication
    receivers = 0
  }

  /// Is not started any more; what it was published as, if it was, and the worker of that start. With an id only if it is still
  /// published under that.
  mutating func end(as final: OutgoingVideo.State, of id: StreamID?) -> (publication: Publication, worker: (any Worker)?)? {
    guard state == .started, let publication, id == nil || publication.id == id else { return nil }
    state = final
    defer { (self.publication, worker) = (nil, nil) }
    return (publication, worker)
  }

  /// Says whether it was open, and to which session it is attached.
  mutating func close() -> (isFirst: Bool, session: Session?) {
    defer { isClosed = true }
    return (!isClosed, attachedTo)
  }

  /// Says whether that is another number than before.
  mutating func setReceivers(_ count: Int) -> Bool {
    defer { receivers = count }
    return receivers != count
  }
}
