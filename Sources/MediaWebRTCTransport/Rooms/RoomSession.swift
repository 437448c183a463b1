import MediaCore
import MediaSDP
import MediaSignalling
import MediaTransport

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
  /// Joins the room, and publishes that there.
  func begin(_ publications: [RoomPublication])
  /// `leave` follows, once all streams are withdrawn.
  func prepareToLeave()
  /// Ends the session at the server. Nobody is told anything from now on.
  func leave()

  /// In this session, or at once when it has joined.
  func publish(_ one: RoomPublication) throws(MediaError)
  func unpublish(_ stream: StreamID)
  func setMuted(_ stream: StreamID, _ isMuted: Bool)
  func subscribe(to stream: StreamID, _ sink: any EncodedSink)
  func unsubscribe(from stream: StreamID)
  func requestKeyFrame(of stream: StreamID)
  func prefer(_ preference: VideoPreference, of stream: StreamID)

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

  /// Ignored: of a transport without the feature `attributes`.
  func setAttribute(_ key: String, _ value: String?) throws(MediaError) {}
}
