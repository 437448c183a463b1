import CLinux
import Glibc
import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct DatagramRowsTests {
  /// Sends so many datagrams of one size and a shorter one as one message; what came, and in how many rows.
  private func pass(_ count: Int, of size: Int, longest: Int) throws -> (datagrams: [[UInt8]], rows: Int) {
    let any = try #require(SocketAddress("127.0.0.1", port: 0))
    let (sender, receiver) = (try DatagramSocket(binding: any), try DatagramSocket(binding: any))
    let address = try #require(receiver.localAddress)
    let batch = DatagramBatch()
    batch.begin()
    for index in 0...count {
      let slot = try #require(batch.slot())
      let datagram = UnsafeMutableRawBufferPointer(rebasing: slot.prefix(index == count ? 7 : size))
      datagram.copyBytes(from: repeatElement(UInt8(index), count: datagram.count))
      #expect(batch.add(UnsafeRawBufferPointer(datagram), to: address))
    }
    #expect(sender.send(batch) == .all)
    let rows = DatagramRows(longest: longest)
    var came: (datagrams: [[UInt8]], rows: Int) = ([], 0)
    for _ in 0..<2000 where came.rows == 0 { came.rows = receiver.receive(rows) { bytes, _ in came.datagrams.append(Array(bytes)) } }
    return came
  }

  private func isKnownToTheKernel() throws -> Bool {
    let socket = try DatagramSocket(binding: #require(SocketAddress("127.0.0.1", port: 0)))
    var isOn: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(socket.descriptor, SOL_UDP, UDP_GRO, &isOn, &size) == 0 && isOn == 1
      && msdk_datagrams_can_segment(socket.descriptor) != 0
  }

  @Test(arguments: [1, 5, 40]) func datagramsOfARowComeOneByOne(_ count: Int) throws {
    let came = try pass(count, of: 1200, longest: 1200)
    #expect(came.datagrams == (0..<count).map { [UInt8](repeating: UInt8($0), count: 1200) } + [[UInt8](repeating: UInt8(count), count: 7)])
    if try isKnownToTheKernel() { #expect(came.rows == 1) }
  }

  @Test func whatIsTooLongIsLeftOut() throws {
    #expect(try pass(3, of: 1200, longest: 1199).datagrams == [[UInt8](repeating: 3, count: 7)])
  }

  @Test func whatIsEmptyComesToo() throws {
    let any = try #require(SocketAddress("127.0.0.1", port: 0))
    let (sender, receiver) = (try DatagramSocket(binding: any), try DatagramSocket(binding: any))
    let batch = DatagramBatch()
    batch.begin()
    let slot = UnsafeRawBufferPointer(try #require(batch.slot()))
    for size in [0, 3, 0] {
      #expect(batch.add(UnsafeRawBufferPointer(rebasing: slot.prefix(size)), to: try #require(receiver.localAddress)))
    }
    #expect(sender.send(batch) == .all)
    let rows = DatagramRows()
    var sizes: [Int] = []
    for _ in 0..<2000 where sizes.count < 3 { _ = receiver.receive(rows) { bytes, _ in sizes.append(bytes.count) } }
    #expect(sizes == [0, 3, 0])
  }

  /// As an emulated network does.
  @Test func rowsAreFilledByOtherMeansToo() throws {
    let rows = DatagramRows(longest: 100)
    let from = try #require(SocketAddress("2001:db8::1", port: 7))
    var filled = 0
    for number in 0..<100 {
      let bytes = [UInt8](repeating: UInt8(number), count: number == 3 ? 101 : number)
      if bytes.withUnsafeBytes({ rows.append($0, from: from) }) { filled += 1 }
    }
    #expect(filled == DatagramRows.capacity)
    var came: [[UInt8]] = []
    rows.forEach { bytes, address in
      #expect(address == from)
      came.append(Array(bytes))
    }
    // What is longer than may be is dropped.
    #expect(came == (0..<filled).filter { $0 != 3 }.map { [UInt8](repeating: UInt8($0), count: $0) })
    rows.clear()
    rows.forEach { _, _ in Issue.record("nothing was received since") }
  }
}
