import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct DatagramBatchTests {
  @Test func aBatchHasItsSize() throws {
    let address = try #require(SocketAddress("127.0.0.1", port: 9))
    let batch = DatagramBatch()
    batch.begin()
    var added = 0
    let packet = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(batch.memory).prefix(10))
    while added < 1000, batch.add(packet, to: address) { added += 1 }
    #expect(added == DatagramBatch.capacity && batch.slot() == nil)
    batch.begin()
    #expect(batch.slot() != nil && batch.count == 0)
  }
}
