import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

@Suite struct MetadataSinkTests {
  private final class Taker: EncodedSink {
    let taken = Monitor<[String]>([])

    func receive(_ frame: EncodedFrame, _ id: FrameID) {
      taken.withLock { $0.append("\(id): \(Array(frame.bytes)), \(frame.metadata.count)") }
    }
    func waited(leavingOut pictures: UInt64, requests: UInt64) { taken.withLock { $0.append("waited \(pictures) \(requests)") } }
    func droppedOnArrival() { taken.withLock { $0.append("dropped") } }
  }

  @Test func framesComeWithoutTheirTrailers() throws {
    let (taker, pool) = (Taker(), BufferPool(limit: 2))
    let sink = MetadataSink(taker)
    let trailer: [UInt8] = [0xFC, 0xFD, 0x97, 0x96, 0xF6] + Array("LKTS".utf8)
    for (id, bytes) in [[1, 2], [1, 2] + trailer, [1] + Array("LKTS".utf8)].enumerated() {
      let frame = try bytes.withUnsafeBytes {
        try EncodedFrame.make(copying: $0, attributes: msdk_encoded_frame(), from: pool, deadline: 0)
      }
      let made = try #require(frame)
      sink.receive(made, FrameID(id))
      made.release()
    }
    sink.waited(leavingOut: 1, requests: 2)
    sink.droppedOnArrival()
    #expect(taker.taken.withLock { $0 } == ["0: [1, 2], 0", "1: [1, 2], 9", "2: [1, 76, 75, 84, 83], 0", "waited 1 2", "dropped"])
  }
}
