import MediaCore

/// Who is shown the datagrams of a link as they pass, for debugging. Calls come one at a time for a link, and are not to be long.
public protocol PacketTap: AnyObject, Sendable {
  /// Shown what protection protects, and not what goes over the network.
  var seesPlain: Bool { get }
  /// A datagram that was received or is about to be sent; borrowed for the call.
  func saw(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, to destination: SocketAddress)
}
