import MediaCore

/// Where the other end of plain RTP is: at a given address, or where the first authentic packets come from. Pure; used under the driver's lock.
public struct LearnedRoute: Sendable {
  private struct Lane {
    /// nil: whoever speaks first, and, where packets are protected, has the key.
    var remote: SocketAddress?
    /// Whether the address was not given: then it follows the other end, when that is silent where it was.
    let isLearned: Bool
    var lastHeard: Int64?

    init(_ remote: SocketAddress?) { (self.remote, isLearned) = (remote, remote == nil) }

    func isSilent(since time: Int64) -> Bool { lastHeard.map { $0 < time } ?? true }
  }

  private var media: Lane
  private var control: Lane?
  /// So long silent, whoever was the other end may speak from another port; and another one may speak in its place.
  private static let portSilence: Int64 = 1_000_000_000
  private static let hostSilence: Int64 = 10_000_000_000

  /// nil: not known yet. `control`: of a port for RTCP, where there is one.
  public init(_ remote: SocketAddress?, control: SocketAddress?? = nil) {
    (media, self.control) = (Lane(remote), control.map { Lane($0) })
  }

  /// nil: not known yet, or there is no port for RTCP alone.
  public func remote(_ lane: SecureRTPPeer.Lane) -> SocketAddress? { lane == .media ? media.remote : control?.remote }

  /// Whether a datagram may be of the other end. Of its host any port: whoever does not send from where they receive (RFC 4961) is common among
  /// simple devices. Of a multicast group whoever sends to it is heard.
  public func accepts(_ address: SocketAddress, on lane: SecureRTPPeer.Lane, now: Int64) -> Bool {
    guard let remote = self.remote(lane) ?? media.remote else { return true }
    if remote.isMulticast || remote.isSameHost(as: address) { return true }
    let since = now &- LearnedRoute.hostSilence
    return media.isLearned && media.isSilent(since: since) && control?.isSilent(since: since) ?? true
  }

  /// A packet of the other end came. One port may be spoken to from several; an answer goes to the first while that speaks.
  public mutating func heard(_ address: SocketAddress, on lane: SecureRTPPeer.Lane, now: Int64) {
    guard var heard = lane == .media ? media : control, heard.isLearned else { return }
    if address != heard.remote {
      let isSameHost = heard.remote?.isSameHost(as: address) ?? true
      if heard.remote != nil, isSameHost, !heard.isSilent(since: now &- LearnedRoute.portSilence) { return }
      heard.remote = address
      if !isSameHost, lane == .media, control?.isLearned == true { control?.remote = nil }
    }
    heard.lastHeard = now
    if lane == .media { media = heard } else { control = heard }
  }
}
