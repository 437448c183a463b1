import CMediaSDK
import MediaCore
import MediaTransport

/// What a session over RTP is told, and tells, before it connects.
extension Session {
  /// The master keys, each followed by its salt, for what is sent and for what is received (rtp.h). Throws `.state` unless the session is
  /// idle or disconnected and its url has srtp, and an error that names the key for a wrong size.
  public func setSRTPKeys(own: [UInt8], theirs: [UInt8]) throws(MediaError) {
    try idleTarget().setKeys(own: own, theirs: theirs)
  }

  /// Sets the peer's description (SDP, RFC 8866). Throws `.state` unless the session is idle or disconnected and its url begins with rtp:,
  /// and an error that names what is wrong with the description.
  public func setRemoteDescription(_ type: RTPTarget.DescriptionType, _ text: String) throws(MediaError) {
    try idleTarget().setRemote(type, text)
  }

  /// The session's own description: the answer if an offer was set, else an offer; with an address in the url, what a receiver has to know.
  /// Throws `.state` if the url does not begin with rtp:.
  public func localDescription() throws(MediaError) -> String {
    try rtpTarget().localDescription()
  }

  /// nil: nothing is to be recorded of what passes.
  func makeCapture() throws(MediaError) -> PacketCapture? {
    guard let wanted = options.capture else { return nil }
    let logger = engine.logger
    return try PacketCapture(wanted.path, seesPlain: wanted.seesPlain, clock: engine.clock) {
      logger.log(MSDK_LOG_WARN.level32, .network, $0.text)
    }
  }

  private func rtpTarget() throws(MediaError) -> RTPTarget {
    guard let target = target as? RTPTarget else {
      let accepted = Transports.schemes(with: .descriptions, joinedBy: "or")
      throw MediaError(.state, "the session's url does not begin with \(accepted)")
    }
    return target
  }

  private func idleTarget() throws(MediaError) -> RTPTarget {
    let (target, state) = (try rtpTarget(), self.state)
    guard state == .idle || state == .disconnected else {
      throw MediaError(.state, "the session is \(state); accepted: idle, disconnected")
    }
    return target
  }
}
