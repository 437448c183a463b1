import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// A stream in several layers, of which each member of a room gets one.
@Suite struct LoopbackTransportLayersTests {
  /// A frame of each layer: `number` in its stream, with a key frame where it is said.
  private func send(_ room: TestRoom, _ outlets: [any MediaOutlet], _ numbers: ClosedRange<FrameID>, keys: Set<FrameID> = []) throws {
    for number in numbers {
      for (layer, outlet) in outlets.enumerated() {
        var attributes = msdk_encoded_frame()
        attributes.timestamp_ns = Int64(number) * 33 * millisecond
        (attributes.width, attributes.height) = (320 << UInt32(layer), 180 << UInt32(layer))
        attributes.flags = keys.contains(number) ? UInt32(MSDK_ENCODED_KEY) : 0
        let frame = try [UInt8](repeating: 1, count: 100 << layer).withUnsafeBytes {
          try EncodedFrame.make(copying: $0, attributes: attributes, from: BufferPool(limit: 1), deadline: 0)
        }
        let made = try #require(frame)
        _ = outlet.send(made, number)
        made.release()
      }
    }
    try room.advance()
  }

  private func publish(_ peer: Peer) throws -> (StreamID, [any MediaOutlet]) {
    let id = peer.transport.makeStreamID()
    try peer.transport.publish(id, codec: 7, format: .video(TestRoom.format, kind: 1), layers: StreamLayers(count: 3))
    return (id, (0..<3).map { peer.transport.outlet(of: id, layer: $0) })
  }

  @Test func eachGetsTheLayerThatIsOfUseAndAllowed() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    let (id, outlets) = try publish(anna)
    try room.advance()
    carl.transport.prefer(VideoPreference(width: 320, height: 180), of: id)
    for peer in [bert, carl] { peer.subscribe(to: id) }
    try send(room, outlets, 1...10, keys: [1])
    // Of the first picture he gets each layer, as until then it is the best.
    #expect(bert.arrivals.entries.map(\.sequence) == Array(1...12) && bert.transport.stats.bytesReceived == 4_300)
    // The sizes are known from the key frames, of which the smallest comes first.
    #expect(carl.arrivals.entries.map(\.sequence) == Array(1...10) && carl.transport.stats.bytesReceived == 1_000)
    let keys = anna.events.entries.count { $0 == "key frame" }
    bert.transport.allow(1, of: id)
    try send(room, outlets, 11...15)
    #expect(anna.events.entries.count { $0 == "key frame" } == keys + 1)
    try send(room, outlets, 16...20, keys: [16])
    #expect(bert.arrivals.entries.map(\.sequence) == Array(1...22) && bert.transport.stats.bytesReceived == 4_300 + 5 * 400 + 5 * 200)
    #expect(carl.transport.stats.bytesReceived == 2_000)
    carl.transport.prefer(.any, of: id)
    try send(room, outlets, 21...21, keys: [21])
    // The smallest, which he had, and the best.
    #expect(carl.transport.stats.bytesReceived == 2_500)
    #expect(bert.transport.layers(of: id).map(\.width) == [320, 640, 1280] && bert.transport.layers(of: id)[0].bitrate == 0)
    anna.transport.unpublish(id)
    try send(room, outlets, 22...22, keys: [22])
    #expect(bert.arrivals.entries.count == 23 && bert.transport.layers(of: id).isEmpty)
    room.close(anna, bert, carl)
  }

  @Test func aStreamInOneLayerHasNoOthers() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: anna, to: [bert])
    bert.transport.allow(0, of: id)
    #expect(try room.send(100, 1, by: anna, on: id) == .sent && bert.transport.layers(of: id).isEmpty)
    room.close(anna, bert)
  }

  @Test func underAScriptAllGetTheBest() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let (id, outlets) = try publish(anna)
    try room.advance()
    bert.subscribe(to: id)
    bert.transport.allow(0, of: id)
    try room.script([.init(at: 0, delay: 10 * millisecond)])
    try send(room, outlets, 1...5, keys: [1])
    try room.advance(milliseconds: 100)
    // Of the first frame that of each layer, as until then it is the best.
    #expect(bert.arrivals.entries.map(\.sequence) == Array(1...7))
    room.close(anna, bert)
  }
}
