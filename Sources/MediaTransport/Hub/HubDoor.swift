import MediaCore
import MediaNetwork
import MediaTLS

/// One address of a hub: where it is connected to, and the one socket over which the media of all who came by it passes.
final class HubDoor: NetworkDriver {
  private struct Guarded {
    var listener: StreamListener?
    var tags: [UInt64] = []
    let rows = DatagramRows()
  }

  let socket: HubSocket
  let address: SocketAddress
  private let guarded: Monitor<Guarded>
  private let table: HubTable
  private let certificate: TLSCertificate
  /// Taken at a time, so that a flood keeps nobody waiting.
  private static let mostKnocks = 16
  private static let mostBatches = 8
  private static let mostTries = 64

  init(_ address: SocketAddress, _ certificate: TLSCertificate, _ table: HubTable) throws(MediaError) {
    let (listener, socket) = try HubDoor.bind(address)
    (self.table, self.certificate) = (table, certificate)
    self.socket = HubSocket(socket)
    self.address = listener.localAddress ?? address
    guarded = Monitor(Guarded(listener: listener))
  }

  /// TCP and UDP at one port, where the kernel chooses, too.
  private static func bind(_ address: SocketAddress) throws(MediaError) -> (StreamListener, DatagramSocket) {
    guard address.port == 0 else { return (try StreamListener(binding: address), try DatagramSocket(binding: address)) }
    for _ in 0..<mostTries {
      let listener = try StreamListener(binding: address)
      guard let port = listener.localAddress?.port else { continue }
      if let socket = try? DatagramSocket(binding: address.with(port: port)) { return (listener, socket) }
    }
    throw MediaError(.io, "no port is free for TCP and UDP at \(address.host)")
  }

  func open() throws(MediaError) {
    try add(self, socket.descriptor)
    do throws(MediaError) {
      if let descriptor = guarded.withLock({ $0.listener?.descriptor }) { try add(Porter(self), descriptor) }
    } catch {
      close()
      throw error
    }
  }

  private func add(_ driver: any NetworkDriver, _ descriptor: Int32) throws(MediaError) {
    let tag = try table.thread.add(driver, [descriptor])
    guarded.withLock { $0.tags.append(tag) }
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
    let now = MediaTime.monotonic()
    guard isReadable else { return .max }
    let rows = guarded.withLock { $0.rows }
    for _ in 0..<HubDoor.mostBatches {
      let count = socket.receive(rows) { bytes, address in
        guard let peer = table.peer(ofPacket: UnsafeRawBufferPointer(bytes)) else { return }
        if !peer.receive(UnsafeRawBufferPointer(bytes), from: address, now: now) { table.countForeign() }
      }
      if count < DatagramRows.capacity { break }
    }
    return .max
  }

  private func letIn() {
    let now = MediaTime.monotonic()
    for _ in 0..<HubDoor.mostKnocks {
      guard let stranger = guarded.withLock({ $0.listener?.accept() }) else { break }
      guard let tls = try? TLSMachine(server: certificate) else { continue }
      HubGuest(HubLine(stranger, HubConnection(tls, isLimited: true, now: now)), at: self, table, now: now).start()
    }
  }

  /// Looks at the listener when somebody knocks, and not with each datagram.
  private final class Porter: NetworkDriver {
    private let door: HubDoor

    init(_ door: HubDoor) {
      self.door = door
    }

    func drive(isReadable: Bool) -> Int64 {
      if isReadable { door.letIn() }
      return .max
    }
  }
}
