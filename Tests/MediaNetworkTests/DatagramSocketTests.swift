import Glibc
import MediaCore
import Synchronization
import Testing

@testable import MediaNetwork

@Suite struct DatagramSocketTests {
  private func pair(_ host: String) throws -> (DatagramSocket, DatagramSocket, SocketAddress) {
    let any = try #require(SocketAddress(host, port: 0))
    let (one, other) = (try DatagramSocket(binding: any), try DatagramSocket(binding: any))
    return (one, other, try #require(other.localAddress))
  }

  private func receive(_ socket: DatagramSocket, _ count: Int) -> [[UInt8]] {
    let rows = DatagramRows()
    var all: [[UInt8]] = []
    for _ in 0..<2000 where all.count < count {
      if socket.receive(rows, { bytes, _ in all.append(Array(bytes)) }) == 0 { usleep(1000) }
    }
    return all
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func whatIsSentArrives(_ host: String) throws {
    let (sender, receiver, address) = try pair(host)
    let batch = DatagramBatch()
    // Runs of the same size, which may go as one message, and odd ones between.
    let sizes = [1200, 1200, 1200, 700, 1200, 1200, 3, 1, 1, 1, 1, 1500, 20] + Array(repeating: 1100, count: 40)
    let packets = sizes.enumerated().map { index, size in [UInt8](repeating: UInt8(index), count: size) }
    // It stays where it is until the batch was sent.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 2048, alignment: 16)
    defer { memory.deallocate() }
    batch.begin()
    for (index, packet) in packets.enumerated() {
      let slot = UnsafeMutableRawBufferPointer(rebasing: memory[index * 2048..<index * 2048 + packet.count])
      slot.copyBytes(from: packet)
      #expect(batch.add(UnsafeRawBufferPointer(slot), to: address))
    }
    #expect(sender.send(batch) == .all)
    #expect(receive(receiver, packets.count) == packets)
    #expect(receiver.receive(DatagramRows()) { _, _ in } == 0)
  }

  @Test func itSaysFromWhereAndLeavesOutWhatIsTooLong() throws {
    let (sender, receiver, address) = try pair("127.0.0.1")
    let batch = DatagramBatch()
    batch.begin()
    let slot = try #require(batch.slot())
    #expect(batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(600)), to: address))
    #expect(batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(5)), to: address))
    #expect(sender.send(batch) == .all)
    let small = DatagramRows(longest: 100)
    var seen: [(Int, SocketAddress)] = []
    for _ in 0..<2000 where seen.isEmpty {
      if receiver.receive(small, { seen.append(($0.count, $1)) }) == 0 { usleep(1000) }
    }
    #expect(seen.count == 1 && seen.first?.0 == 5 && seen.first?.1 == sender.localAddress)
  }

  @Test func nobodyThereIsNoEnd() throws {
    let any = try #require(SocketAddress("127.0.0.1", port: 0))
    let socket = try DatagramSocket(binding: any)
    // A port that was ours and is free.
    let gone = try #require(try DatagramSocket(binding: any).localAddress)
    let (batch, rows) = (DatagramBatch(), DatagramRows())
    for _ in 0..<20 {
      batch.begin()
      let slot = try #require(batch.slot())
      _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(5)), to: gone)
      #expect(socket.send(batch) == .all)
      #expect(socket.receive(rows) { _, _ in } == 0)
    }
    let broadcast = try #require(SocketAddress("255.255.255.255", port: 9))
    batch.begin()
    let slot = try #require(batch.slot())
    _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(5)), to: broadcast)
    #expect(socket.send(batch) == .failed(0, errno: EACCES))
  }

  @Test func aPortThatIsTakenIsToldBefore() throws {
    let first = try DatagramSocket(binding: #require(SocketAddress("127.0.0.1", port: 0)))
    let taken = try #require(first.localAddress)
    do throws(MediaError) {
      _ = try DatagramSocket(binding: taken)
      Issue.record("bound twice")
    } catch {
      #expect(error.status == .exists && error.text == "cannot bind \(taken): Address already in use")
    }
  }

  /// A descriptor that is closed twice may be another thread's by then.
  @Test func whatCannotBeBoundIsClosedOnce() throws {
    let taken = try #require(SocketAddress("127.0.0.1", port: 0))
    let (datagrams, connections) = (try DatagramSocket(binding: taken), try StreamListener(binding: taken))
    let (here, there) = (try #require(datagrams.localAddress), try #require(connections.localAddress))
    let isDone = Atomic(false)
    // A thread, and not a job of Dispatch's: on a machine with other work that may do both jobs one after the other, and this one first.
    let failing = OSThread {
      for _ in 0..<20_000 {
        _ = try? DatagramSocket(binding: here)
        _ = try? StreamListener(binding: there)
      }
      isDone.store(true, ordering: .releasing)
    }
    while !isDone.load(ordering: .acquiring) {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      #expect(descriptor >= 0 && close(descriptor) == 0)
    }
    failing.join()
  }

  @Test func aClosedSocketFreesItsPort() throws {
    let socket = try DatagramSocket(binding: #require(SocketAddress("127.0.0.1", port: 0)))
    let address = try #require(socket.localAddress)
    socket.close()
    let next = try DatagramSocket(binding: address)
    socket.close()
    #expect(next.localAddress == address && socket.localAddress == nil)
    #expect(socket.receive(DatagramRows()) { _, _ in } == 0)
  }

  @Test func groupsAreJoined() throws {
    let receiver = try DatagramSocket(binding: #require(SocketAddress("0.0.0.0", port: 0)), sharesPort: true)
    let port = try #require(receiver.localAddress).port
    let group = try #require(SocketAddress("239.7.7.7", port: port))
    do throws(MediaError) {
      try receiver.join(group, interface: 1)
    } catch {
      // A machine without any route for groups.
      return
    }
    let sender = try DatagramSocket(binding: #require(SocketAddress("127.0.0.1", port: 0)))
    var index = ip_mreqn()
    index.imr_ifindex = 1
    setsockopt(sender.descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &index, socklen_t(MemoryLayout<ip_mreqn>.size))
    let batch = DatagramBatch()
    batch.begin()
    let slot = try #require(batch.slot())
    slot.copyBytes(from: [1, 2, 3])
    _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(3)), to: group)
    guard sender.send(batch) == .all else { return }
    #expect(receive(receiver, 1) == [[1, 2, 3]])
    #expect(throws: MediaError.self) { try receiver.join(#require(SocketAddress("127.0.0.1", port: 1))) }
  }
}
