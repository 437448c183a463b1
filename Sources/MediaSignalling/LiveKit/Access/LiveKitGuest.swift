/// Who comes to a room of this library that has no API key: its verifier alone judges the access token, of whatever kind it is.
public struct LiveKitGuest: Sendable, Equatable {
  /// Its name.
  public var room: String
  /// The user id.
  public var identity: String
  /// For people; empty: there is none.
  public var name: String

  /// As a session says it.
  public init(room: String, identity: String, name: String) {
    (self.room, self.identity, self.name) = (room, identity, name)
  }

  var query: String {
    "&room=\(HTTPText.escaped(room))&identity=\(HTTPText.escaped(identity))&name=\(HTTPText.escaped(name))"
  }
}
