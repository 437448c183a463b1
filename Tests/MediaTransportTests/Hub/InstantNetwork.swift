import MediaCore
import MediaNetwork

/// Sockets of one test, in memory: what is sent is there at once, in order, and nothing is lost.
final class InstantNetwork: Sendable {
  private struct State {
    var queues: [SocketAddress: [(bytes: [UInt8], from: SocketAddress)]] = [:]
    var next: UInt16 = 1
  }

  private let state = Monitor(State())

  func makePort() throws -> InstantPort {
    let number = state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
    guard let address = SocketAddress("127.0.0.1", port: number) else { throw MediaError(.invalid, "no address") }
    state.withLock { $0.queues[address] = [] }
    return InstantPort(self, address)
  }

  fileprivate func take(at address: SocketAddress, most: Int) -> [(bytes: [UInt8], from: SocketAddress)] {
    state.withLock { state in
      let taken = Array((state.queues[address] ?? []).prefix(most))
      state.queues[address]?.removeFirst(taken.count)
      return taken
    }
  }

  fileprivate func put(_ bytes: [UInt8], from: SocketAddress, to address: SocketAddress) {
    state.withLock { $0.queues[address]?.append((bytes, from)) }
  }
}

final class InstantPort: DatagramPort {
  private let network: InstantNetwork
  let address: SocketAddress

  fileprivate init(_ network: InstantNetwork, _ address: SocketAddress) {
    (self.network, self.address) = (network, address)
  }

  /// Nobody waits for it.
  let descriptor: Int32 = 0
  var localAddress: SocketAddress? { address }
  func close() {}
  func join(_ group: SocketAddress) throws(MediaError) { throw MediaError(.unsupported, "no groups") }

  func receive(_ rows: DatagramRows) -> Int {
    rows.clear()
    let taken = network.take(at: address, most: DatagramRows.capacity)
    for datagram in taken { _ = datagram.bytes.withUnsafeBytes { rows.append($0, from: datagram.from) } }
    return taken.count
  }

  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
    batch.forEach(from: first) { network.put(Array($0), from: address, to: $1) }
    return .all
  }
}
