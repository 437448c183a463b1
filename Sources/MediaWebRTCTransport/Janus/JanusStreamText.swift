/// What is said of a stream in a room of Janus, for participants to read.
enum JanusStreamText {
  static let screen = "screen"
  /// At the end of a text, as the room has no message for it that reaches the others.
  static let muted = " (muted)"

  static func of(_ publication: RoomPublication) -> String {
    let kind = publication.isScreen ? screen : publication.isVideo ? "camera" : "microphone"
    return publication.isMuted ? kind + muted : kind
  }
}
