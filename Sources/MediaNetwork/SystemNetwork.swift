import MediaCore

/// The kernel's sockets, routes and names. Driven by a `Reactor`.
public final class SystemNetwork: Network {
  public static let shared = SystemNetwork()
  public let names: any NameSource

  public init(names: any NameSource = NameResolver.shared) {
    self.names = names
  }

  public func bindDatagrams(to address: SocketAddress, sharesPort: Bool) throws(MediaError) -> any DatagramPort {
    try DatagramSocket(binding: address, sharesPort: sharesPort)
  }

  public func listen(at address: SocketAddress, receiveBuffer: Int?) throws(MediaError) -> any StreamPort {
    try StreamListener(binding: address, receiveBuffer: receiveBuffer)
  }

  public func connect(to address: SocketAddress) throws(MediaError) -> any StreamConnection { try StreamSocket(connectingTo: address) }

  public func localAddress(toward remote: SocketAddress) -> SocketAddress? { SocketAddress.local(toward: remote) }

  public func random() -> UInt64 { .random(in: 0...(.max)) }
}
