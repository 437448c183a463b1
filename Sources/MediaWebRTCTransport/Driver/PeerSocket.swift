import MediaCore
import MediaICE
import MediaNetwork
import MediaRuntime

/// A socket of UDP for an address of this machine, and the base of ICE that it is. The network thread receives; whoever has the driver's lock sends.
final class PeerSocket: NetworkDriver {
  /// One thread receives while another may send, which the port allows.
  private struct Held: @unchecked Sendable {
    let port: any DatagramPort
  }

  let base: ICEBase
  /// With its port.
  let address: SocketAddress
  let descriptor: Int32
  /// Closed, it is gone as soon as nobody uses it.
  private let held: Monitor<Held?>
  /// As whom the network thread drives it.
  private let tag = Monitor<UInt64?>(nil)
  private let onReadable: @Sendable (PeerSocket) -> Void

  init(_ port: any DatagramPort, _ address: SocketAddress, _ base: ICEBase, onReadable: @escaping @Sendable (PeerSocket) -> Void) {
    (self.base, self.address, descriptor, self.onReadable) = (base, address, port.descriptor, onReadable)
    held = Monitor(Held(port: port))
  }

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

  /// false: the network thread does not take it.
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
