import MediaCore
import MediaNetwork
import MediaRuntime
import MediaTLS

/// One address of a hub: where it is connected to, and the one socket over which the media of all who came by it passes.
final class HubListener: NetworkDriver {
  private struct Guarded {
    var listener: (any StreamPort)?
    var tags: [UInt64] = []
    let rows = DatagramRows()
  }

  let socket: HubSocket
  let address: SocketAddress
  private let guarded: Monitor<Guarded>
  private let table: HubTable
  private let certificate: TLSCertificate
  /// Taken at a time, so that a flood keeps nobody waiting.
  private static let mostKnocks = 64
  private static let mostBatches = 8
  private static let mostTries = 64

  init(_ address: SocketAddress, _ certificate: TLSCertificate, _ table: HubTable) throws(MediaError) {
    let (listener, socket) = try HubListener.bind(address, table.network)
    (self.table, self.certificate) = (table, certificate)
    self.socket = HubSocket(socket)
    self.address = listener.localAddress ?? address
    guarded = Monitor(Guarded(listener: listener))
  }

  /// TCP and UDP at one port, where the kernel chooses, too.
  private static func bind(_ address: SocketAddress, _ network: any Network) throws(MediaError) -> (any StreamPort, any DatagramPort) {
    guard address.port == 0 else { return (try network.listen(at: address), try network.bindDatagrams(to: address)) }
    for _ in 0..<mostTries {
      let listener = try network.listen(at: address)
      guard let port = listener.localAddress?.port else { continue }
      if let socket = try? network.bindDatagrams(to: address.with(port: port)) { return (listener, socket) }
    }
    throw MediaError(.io, "no port is free for TCP and UDP at \(address.host)")
  }

  func open() throws(MediaError) {
    try add(self, socket.descriptor)
    do throws(MediaError) {
      if let descriptor = guarded.withLock({ $0.listener?.descriptor }) {
        let porter = Porter(self)
        porter.start(try add(porter, descriptor))
      }
    } catch {
      close()
      throw error
    }
  }

  @discardableResult
  private func add(_ driver: any NetworkDriver, _ descriptor: Int32) throws(MediaError) -> UInt64 {
    let tag = try table.thread.add(driver, [descriptor])
    guarded.withLock { $0.tags.append(tag) }
    return tag
  }

  func close() {
    let tags = guarded.withLock { guarded in
      defer { guarded.tags = [] }
      return guarded.tags
    }
    for tag in tags { table.thread.remove(tag) }
    guarded.withLock { $0.listener = nil }
  }

  /// Nothing passes any more.
  func end() {
    close()
    socket.close()
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = table.clock.now()
    guard isReadable else { return .max }
    let rows = guarded.withLock { $0.rows }
    for _ in 0..<HubListener.mostBatches {
      let count = socket.receive(rows)
      rows.forEach { bytes, address in
        guard let peer = table.peer(ofPacket: UnsafeRawBufferPointer(bytes)) else { return }
        if !peer.receive(UnsafeRawBufferPointer(bytes), from: address, now: now) { table.countForeign() }
      }
      if count < DatagramRows.capacity { break }
    }
    return .max
  }

  /// False: no descriptor is left, and none could be made free.
  private func letIn() -> Bool {
    let now = table.clock.now()
    for _ in 0..<HubListener.mostKnocks {
      switch guarded.withLock({ $0.listener?.accept() ?? .nobody }) {
      case .nobody: return true
      case .exhausted:
        guard table.giveWay() || guarded.withLock({ $0.listener?.turnAway() ?? true }) else { return false }
      case .stranger(let socket):
        // Gone already.
        guard let address = socket.remoteAddress else { continue }
        HubGuest(socket, from: AddressPrefix(address), at: self, certificate, table, now: now).start()
      }
    }
    return true
  }

  /// Looks at the listener when somebody knocks, and not with each datagram.
  private final class Porter: NetworkDriver {
    private let door: HubListener
    private let tag = Monitor<UInt64?>(nil)
    private static let rest: Int64 = 100_000_000

    init(_ door: HubListener) {
      self.door = door
    }

    func start(_ tag: UInt64) {
      self.tag.withLock { $0 = tag }
    }

    func drive(isReadable: Bool) -> Int64 {
      // Who knocks goes on knocking, and is not looked at again and again.
      if isReadable, !door.letIn(), let tag = tag.withLock({ $0 }) {
        door.table.thread.rest(tag, until: door.table.clock.now() &+ Porter.rest)
      }
      return .max
    }
  }
}
