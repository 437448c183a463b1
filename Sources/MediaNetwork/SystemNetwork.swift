import CLinux
import MediaCore

/// The kernel's sockets, routes and names. Driven by a `Reactor`.
public final class SystemNetwork: Network {
  /// Used by everything that is given no other network.
  public static let shared = SystemNetwork()
  private static let withoutEnvironment = SystemNetwork(readsEnvironment: false)
  /// `NameResolver.shared`, unless a test has another.
  public let names: any NameSource
  private let readsEnvironment: Bool

  init(names: any NameSource = NameResolver.shared, readsEnvironment: Bool = true) {
    (self.names, self.readsEnvironment) = (names, readsEnvironment)
  }

  /// A `DatagramSocket`. `.exists`: the port is taken; `.io`: anything else.
  public func bindDatagrams(to address: SocketAddress, sharesPort: Bool) throws(MediaError) -> any DatagramPort {
    try DatagramSocket(binding: address, sharesPort: sharesPort)
  }

  /// Takes connections as `Network.listen` says, with a backlog of 1024 in the kernel.
  public func listen(at address: SocketAddress, receiveBuffer: Int?) throws(MediaError) -> any StreamPort {
    try StreamListener(binding: address, receiveBuffer: receiveBuffer)
  }

  /// `.io`: the kernel has no socket, or refuses at once. Other failures come by `connecting`.
  public func connect(to address: SocketAddress) throws(MediaError) -> any StreamConnection { try StreamSocket(connectingTo: address) }

  /// Asks the kernel's routes by a socket that is closed again; nothing is sent.
  public func localAddress(toward remote: SocketAddress) -> SocketAddress? { SocketAddress.local(toward: remote) }

  /// By getifaddrs(3); empty when the kernel has no memory for the list.
  public var addresses: [SocketAddress] { SocketAddress.ofInterfaces() }

  /// As secure_getenv(3) has it: a program with rights that its user has not is told nothing.
  public func variable(_ name: String) -> String? {
    readsEnvironment ? secure_getenv(name).map { ForeignText.readLossy($0, limit: 4096) } : nil
  }

  /// The same without an environment, if so.
  public func ignoringEnvironment(_ ignores: Bool) -> any Network { ignores ? SystemNetwork.withoutEnvironment : self }

  /// Of the system's random number generator.
  public func random() -> UInt64 { .random(in: 0...(.max)) }
}
