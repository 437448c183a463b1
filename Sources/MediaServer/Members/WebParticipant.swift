import MediaCore
import MediaNetwork

/// Somebody in the room who comes by HTTP, whatever they speak.
protocol WebParticipant: AnyObject, Sendable {
  /// Of their place in the room.
  var id: ObjectIdentifier { get }
  var prefix: AddressPrefix { get }
  /// They are there by a connection that stays open, and need no path of media for that.
  var hasPage: Bool { get }
  /// They leave the room: nil, by themselves. From any thread.
  func leave(_ error: MediaError?)
}

/// Whose connection of WebSocket it is; on the network thread.
protocol WebConnectionOwner: AnyObject, Sendable {
  func receive(_ message: WebLink.Message)
  /// It has ended.
  func lost(_ connection: WebConnection)
  /// There is room again (`WebConnection.hasRoom`). On the network thread.
  func writable()
}

extension WebConnectionOwner {
  /// Ignored: of one that does not wait.
  func writable() {}
}

/// A connection of WebRTC to a client, for as long as no path was found.
protocol WebPathSeeker: AnyObject, Sendable {
  /// It has to go. On the loop.
  func end(_ error: MediaError)
}
