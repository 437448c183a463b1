import MediaCore
import MediaNetwork
import MediaRuntime
import MediaTLS

/// One address at which clients connect.
final class WebListener: NetworkDriver {
  private struct Guarded {
    var listener: (any StreamPort)?
    var tag: UInt64?
  }

  let address: SocketAddress
  private let guarded: Monitor<Guarded>
  private let certificate: TLSCertificate?
  private let table: WebTable
  /// Taken at a time, so that a flood keeps nobody waiting.
  private static let mostAccepted = 64
  private static let rest: Int64 = 100_000_000
  /// Bytes of each connection that wait to be read: no request has more at once.
  private static let receiveBuffer = 65_536

  /// Throws what `Network.listen` throws.
  init(_ address: SocketAddress, _ certificate: TLSCertificate?, _ table: WebTable) throws(MediaError) {
    let listener = try table.network.listen(at: address, receiveBuffer: WebListener.receiveBuffer)
    self.address = listener.localAddress ?? address
    (self.certificate, self.table) = (certificate, table)
    guarded = Monitor(Guarded(listener: listener))
  }

  /// `.closed`, `.io`: the network thread does not take it.
  func open() throws(MediaError) {
    guard let descriptor = guarded.withLock({ $0.listener?.descriptor }) else { return }
    let tag = try table.thread.add(self, [descriptor])
    guarded.withLock { $0.tag = tag }
  }

  func close() {
    if let tag = guarded.withLock({ $0.tag.take() }) { table.thread.remove(tag) }
    let former = guarded.withLock { $0.listener.take() }
    _ = former
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = table.clock.now()
    for _ in 0..<(isReadable ? WebListener.mostAccepted : 0) {
      switch guarded.withLock({ $0.listener?.accept() ?? .nobody }) {
      case .nobody: return .max
      case .exhausted:
        guard table.giveWay() || guarded.withLock({ $0.listener?.turnAway() ?? true }) else {
          if let tag = guarded.withLock({ $0.tag }) { table.thread.rest(tag, until: now &+ WebListener.rest) }
          return .max
        }
      case .stranger(let socket):
        // Gone already.
        guard let address = socket.remoteAddress else { continue }
        WebConnection(socket, from: address, certificate, table, now: now).start()
      }
    }
    return .max
  }
}
