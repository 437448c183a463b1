import CMediaSDK
import MediaCore
import MediaTransport

/// What a session over RTP is told, and tells, before it connects.
extension Session {
  public func setSRTPKeys(own: [UInt8], theirs: [UInt8]) throws(MediaError) {
    try idleTarget().setKeys(own: own, theirs: theirs)
  }

  public func setRemoteDescription(_ type: RTPTarget.DescriptionType, _ text: String) throws(MediaError) {
    try idleTarget().setRemote(type, text)
  }

  public func localDescription() throws(MediaError) -> String {
    try rtpTarget().localDescription()
  }

  /// The same for one in a hub.
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
