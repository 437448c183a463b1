import MediaCore
import MediaSignalling

/// How requests reach a server of Janus, and its messages this end. Functions may be called from any thread.
protocol JanusLink: AnyObject, Sendable {
  /// Throws `.closed` and `.io`: the network thread does not take it.
  func start(_ handle: @escaping @Sendable (JanusLinkEvent) -> Void) throws(MediaError)
  /// Another request can be sent now.
  var canSend: Bool { get }
  func send(_ request: JanusRequest)
  /// Events of the session are asked for from now on, where they do not come by themselves; nil: not any longer.
  func poll(_ target: String?)
  /// The network is another one, or may be.
  func renew()
  func close()
}

/// On whatever thread it happens, where nothing is locked.
enum JanusLinkEvent: Sendable {
  /// A message of the server, or a list of them.
  case message([UInt8])
  /// A request can be sent again.
  case ready
  /// The server cannot be reached, or not any longer.
  case failed(SignallingFailure)
}
