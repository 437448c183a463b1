import MediaCore
import MediaTransport
import MediaWebRTC
import MediaWebRTCTransport

/// What a session over WebRTC exchanges with its peer, by the program's hand (webrtc.h). All throw `.state` for another url, and, but for servers, while
/// the session is not connecting or connected.
extension Session {
  /// Makes the next description of this end and sets it: an answer where one is awaited, else an offer. Throws `.state`, `.limit`.
  public func describe() throws(MediaError) -> DescriptionKind { try webRTCTarget().describe() }

  /// As it was set last, with the candidates that are known by now. Throws `.state` if there is none.
  public func currentLocalDescription() throws(MediaError) -> String { try webRTCTarget().localDescription() }

  /// A description of the peer; of `.rollback` the text does not count. Throws `.invalid`, `.unsupported`, `.limit`, `.state`, and changes nothing then.
  public func setPeerDescription(_ kind: DescriptionKind, _ text: String) throws(MediaError) -> WebRTCTarget.Outcome {
    try webRTCTarget().setRemote(kind, text)
  }

  /// A candidate of the peer, or an empty one when none follows, of a section by its name or nil. Throws `.invalid`, `.notFound`, `.state`.
  public func addRemoteCandidate(_ text: String, mid: String? = nil) throws(MediaError) {
    try webRTCTarget().addRemote(candidate: text, mid: mid)
  }

  /// A server of STUN or TURN by its URI, for this connection and later ones. Throws `.invalid`, `.unsupported`, `.limit`, `.state`.
  public func addICEServer(_ uri: String, user: String? = nil, password: String? = nil) throws(MediaError) {
    try webRTCTarget().addServer(uri, user: user, password: password)
  }

  /// The next offer restarts ICE. Throws `.state`.
  public func restartICE() throws(MediaError) { try webRTCTarget().restartICE() }

  private func webRTCTarget() throws(MediaError) -> WebRTCTarget {
    guard let target = target as? WebRTCTarget else {
      let accepted = Transports.schemes(with: .negotiation, joinedBy: "or")
      throw MediaError(.state, "the session's url does not begin with \(accepted)")
    }
    return target
  }
}
