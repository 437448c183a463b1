import MediaCore
import MediaNetwork

/// The sockets of a leg, bound before it is used: a description has to say their ports. One leg uses them, under its lock.
public final class RTPSockets: @unchecked Sendable {
  public let media: any DatagramPort
  public let control: (any DatagramPort)?
  private static let mostTries = 64

  public init(_ leg: RTPConfiguration.Leg, on network: any Network = SystemNetwork.shared) throws(MediaError) {
    // A group is listened to at its own address and port, by as many as like.
    if let group = leg.remote, group.isMulticast, leg.local.port == group.port {
      media = try RTPSockets.member(of: group, network)
      let control = leg.localControl.map { group.with(port: leg.remoteControl?.port ?? $0.port) }
      self.control = try control.map { (control) throws(MediaError) in try RTPSockets.member(of: control, network) }
      return
    }
    guard let local = leg.localControl else {
      media = try network.bindDatagrams(to: leg.local)
      control = nil
      return
    }
    guard leg.local.port == 0, local.port == 0 else {
      media = try network.bindDatagrams(to: leg.local)
      control = try network.bindDatagrams(to: local)
      return
    }
    (media, control) = try RTPSockets.pair(leg.local, network)
  }

  private static func member(of group: SocketAddress, _ network: any Network) throws(MediaError) -> any DatagramPort {
    let socket = try network.bindDatagrams(to: group, sharesPort: true)
    try socket.join(group)
    return socket
  }

  /// An even port of the kernel's choice, and the next one (RFC 3550, section 11).
  private static func pair(_ local: SocketAddress, _ network: any Network) throws(MediaError) -> (any DatagramPort, any DatagramPort) {
    for _ in 0..<mostTries {
      let media = try network.bindDatagrams(to: local)
      guard let port = media.localAddress?.port, port % 2 == 0 else { continue }
      if let control = try? network.bindDatagrams(to: local.with(port: port + 1)) { return (media, control) }
    }
    throw MediaError(.io, "no two ports in a row are free at \(local.host)")
  }

  public var localAddress: SocketAddress? { media.localAddress }

  /// Frees the ports. For whoever has stopped the leg.
  public func close() {
    media.close()
    control?.close()
  }
}
