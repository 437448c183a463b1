import MediaCore
import MediaNetwork

/// The sockets of a leg, bound before it is used: a description has to say their ports. One leg uses them, under its lock.
final class RTPSockets: @unchecked Sendable {
  let media: any DatagramPort
  let control: (any DatagramPort)?
  /// As they were bound, whoever closes the sockets meanwhile.
  let localAddress: SocketAddress?
  let controlAddress: SocketAddress?
  let descriptors: [Int32]
  private static let mostTries = 64

  init(_ leg: RTPConfiguration.Leg, on network: any Network = SystemNetwork.shared) throws(MediaError) {
    (media, control) = try RTPSockets.bind(leg, network)
    (localAddress, controlAddress) = (media.localAddress, control?.localAddress)
    descriptors = [media.descriptor] + (control.map { [$0.descriptor] } ?? [])
  }

  private static func bind(_ leg: RTPConfiguration.Leg, _ network: any Network) throws(MediaError) -> (
    any DatagramPort, (any DatagramPort)?
  ) {
    // A group is listened to at its own address and port, by as many as like.
    if let group = leg.remote, group.isMulticast, leg.local.port == group.port {
      let control = leg.localControl.map { group.with(port: leg.remoteControl?.port ?? $0.port) }
      return (
        try RTPSockets.member(of: group, network),
        try control.map { (control) throws(MediaError) in try RTPSockets.member(of: control, network) }
      )
    }
    guard let local = leg.localControl else { return (try network.bindDatagrams(to: leg.local), nil) }
    guard leg.local.port == 0, local.port == 0 else {
      return (try network.bindDatagrams(to: leg.local), try network.bindDatagrams(to: local))
    }
    return try RTPSockets.pair(leg.local, network)
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

  /// Frees the ports. For whoever has stopped the leg.
  func close() {
    media.close()
    control?.close()
  }
}
