import MediaCore
import MediaSDP
import MediaSignalling
import MediaTransport

/// What a session at the server of a room begins with.
struct RoomEntry: Sendable {
  let token: AccessToken
  /// Of the session's own participant.
  let attributes: ParticipantAttributes
  let publications: [RoomPublication]
}

/// What the server of a room asks for.
struct RoomRules: Sendable {
  /// A session there begins with a stream. Streams are published before the room is joined.
  var needsStream = false
  /// The first session is tried again for a while, if it could not begin. False: its failure is reported at once.
  var isPatient = true
  /// A video stream may be sent in several layers.
  var takesLayers = false
  /// Throws for a stream that cannot be sent beside those.
  var admits: @Sendable (RoomPublication, [RoomPublication]) throws(MediaError) -> Void = { (_, _) throws(MediaError) in }
  /// Throws for a token that cannot be one.
  let accepts: @Sendable (AccessToken) throws(MediaError) -> Void
}

/// Whom a `RoomSession` serves. On the event loop.
protocol RoomSessionOwner: AnyObject, Sendable {
  func session(_ session: any RoomSession, did event: TransportEvent)
  /// The next session shows that token.
  func session(_ session: any RoomSession, took token: AccessToken)
  /// It is over, or never came about. Once; the owner leaves it.
  func session(_ session: any RoomSession, failed failure: SignallingFailure)
}

/// One session at the server of a room, with its connections of WebRTC. After it failed another one is made. Functions may be called from any
/// thread; what comes is handled on the event loop.
protocol RoomSession: AnyObject, Sendable {
  /// Joins the room, and publishes there what the session was made with.
  func begin()
  /// `leave` follows, once all streams are withdrawn.
  func prepareToLeave()
  /// Ends the session at the server. Nobody is told anything from now on.
  func leave()

  /// In this session, or at once when it has joined.
  func publish(_ one: RoomPublication) throws(MediaError)
  func unpublish(_ stream: StreamID)
  func setMuted(_ stream: StreamID, _ isMuted: Bool)
  /// What newcomers get to know of a stream.
  func setFormat(_ stream: StreamID, _ format: StreamFormat)
  func subscribe(to stream: StreamID, _ sink: StreamSink)
  func unsubscribe(from stream: StreamID)
  func requestKeyFrame(of stream: StreamID)
  func prefer(_ preference: VideoPreference, of stream: StreamID)

  /// As `Transport.send`. Where it throws `.again`, the event `dataWritable` says when there is room, or `connected`.
  func send(_ message: DataMessage) throws(MediaError)

  /// Shows the server another token; `accessRenewed` follows. False: the next session at the server shows it, and this one goes on.
  func renew(_ token: AccessToken) -> Bool
  /// What the own participant says from now on; nil: no more of that key. Throws `.permission`.
  func setAttribute(_ key: String, _ value: String?) throws(MediaError)
  /// As `Transport.remove`, `mute`.
  func remove(_ userID: String, reason: String) throws(MediaError)
  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError)

  /// The connection that sends; nil: there is none yet.
  var publisher: WebRTCTransport? { get }
  /// Of the connection that receives.
  var received: TransportStats { get }
  func receivedEntries(at time: Double) -> [JSON]
  func look(receiving stream: StreamID) -> InboundSnapshot?
}

extension RoomSession {
  /// A candidate is of the generation that was described last, and not in the description.
  static func isNew(_ candidate: String, _ user: String, in description: String) -> Bool {
    guard let known = WHIPDescriptions.credentials(in: description), known.user == user else { return false }
    return !description.has(candidate)
  }

  /// `.unsupported`: of a transport without the feature `data`.
  func send(_ message: DataMessage) throws(MediaError) { throw MediaError(.unsupported, "the session's server has no data") }
  /// False: the server takes no other token while the session lasts.
  func renew(_ token: AccessToken) -> Bool { false }
  /// Withdrawing streams is not negotiated.
  func prepareToLeave() {}
  /// Ignored: of a transport without the feature `attributes`.
  func setAttribute(_ key: String, _ value: String?) throws(MediaError) {}
  /// Ignored: frames alone say what they are.
  func setFormat(_ stream: StreamID, _ format: StreamFormat) {}
  /// Ignored: of a transport without the feature `preferences`.
  func prefer(_ preference: VideoPreference, of stream: StreamID) {}
}
