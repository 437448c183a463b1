import MediaCore
import MediaICE
import MediaNetwork
import MediaRuntime

/// A base of ICE: where an address of this machine is sent from and received at. Whoever has the driver's lock sends.
protocol PeerSocket: AnyObject, Sendable {
  var base: ICEBase { get }
  /// With its port.
  var address: SocketAddress { get }
  var isTCP: Bool { get }

  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending

  /// Something was sent there, or came from there, of which more may follow.
  func expect(_ remote: SocketAddress)

  /// The path goes there.
  func follow(_ remote: SocketAddress)

  /// What it receives is handed over from now on. false: the network thread does not take it.
  func watch(on thread: any DriverLoop) -> Bool

  func close(on thread: any DriverLoop)
}

/// A socket of UDP that one connection of WebRTC has for itself. The network thread receives.
final class OwnSocket: PeerSocket, NetworkDriver {
  /// One thread receives while another may send, which the port allows.
  private struct Held: @unchecked Sendable {
    let port: any DatagramPort
  }

  let base: ICEBase
  let address: SocketAddress
  private let descriptor: Int32
  /// Closed, it is gone as soon as nobody uses it.
  private let held: Monitor<Held?>
  /// As whom the network thread drives it.
  private let tag = Monitor<UInt64?>(nil)
  private let onReadable: @Sendable (OwnSocket) -> Void

  init(_ port: any DatagramPort, _ address: SocketAddress, _ base: ICEBase, onReadable: @escaping @Sendable (OwnSocket) -> Void) {
    (self.base, self.address, descriptor, self.onReadable) = (base, address, port.descriptor, onReadable)
    held = Monitor(Held(port: port))
  }

  var isTCP: Bool { false }

  func drive(isReadable: Bool) -> Int64 {
    if isReadable { onReadable(self) }
    return .max
  }

  func receive(_ rows: DatagramRows) -> Int {
    if let held = held.withLock({ $0 }) { return held.port.receive(rows) }
    rows.clear()
    return 0
  }

  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
    held.withLock { $0 }?.port.send(batch, from: first) ?? .all
  }

  // Whatever comes is this connection's.
  func expect(_ remote: SocketAddress) {}
  func follow(_ remote: SocketAddress) {}

  func watch(on thread: any DriverLoop) -> Bool {
    guard let added = try? thread.add(self, [descriptor]) else { return false }
    tag.withLock { $0 = added }
    return true
  }

  func close(on thread: any DriverLoop) {
    if let tag = tag.withLock({ $0.take() }) { thread.remove(tag) }
    // It may end here, where nothing is locked.
    let former = held.withLock { $0.take() }
    _ = former
  }
}
