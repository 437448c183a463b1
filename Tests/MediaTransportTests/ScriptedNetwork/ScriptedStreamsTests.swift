import CMediaSDK
import MediaCore
import MediaRTP
import Testing

@testable import MediaTransport

@Suite struct ScriptedStreamsTests {
  private func stream(_ number: UInt64) -> StreamID { StreamID(value: number) }

  private func add(_ streams: ScriptedStreams, _ number: UInt64, _ encoding: RTPEncoding = .vp8) -> Int? {
    streams.open(stream(number), encoding) { _ in true }
  }

  @Test func aPlaceThatIsFreeIsTakenOver() {
    let streams = ScriptedStreams()
    #expect(add(streams, 1) == 0)
    #expect(add(streams, 2, .opus) == 1)
    #expect(streams.close(stream(1)) == 0)
    #expect(streams.close(stream(1)) == nil)
    // By its own kind only.
    #expect(add(streams, 3, .opus) == 2)
    #expect(add(streams, 4) == 0)
    #expect(streams.stream(sending: streams.ssrc(at: 0)) == stream(4))
    #expect(streams.open(stream(5), .vp8) { _ in false } == nil)
    #expect(streams.place(of: stream(5)) == nil)
  }

  @Test func whatComesIsFoundByItsStampAndWhatWasLostGoesWithIt() throws {
    let streams = ScriptedStreams()
    let place = try #require(add(streams, 1))
    let ssrc = streams.ssrc(at: place)
    for id in 1...5 as ClosedRange<UInt64> {
      var attributes = msdk_encoded_frame()
      attributes.timestamp_ns = Int64(id) * 10
      streams.sent(stream(1), id, attributes, stamp: RTPTimestamp(UInt32.max &+ UInt32(id)), at: place)
    }
    // Unwrapped at the other end.
    let third = try #require(streams.arrived(ssrc, stamp: 1 << 32 | 2))
    #expect(third.picture == 3 && third.attributes.timestamp_ns == 30 && third.stream == stream(1))
    #expect(streams.arrived(ssrc, stamp: Int64(UInt32.max)) == nil)
    #expect(streams.arrived(ssrc, stamp: 7) == nil)
    #expect(streams.arrived(SSRC(5), stamp: 3) == nil)
    #expect(streams.arrived(ssrc, stamp: 3)?.picture == 4)
  }

  @Test func aKeyFrameIsAskedForAfterHalfASecondAndAgain() {
    let streams = ScriptedStreams()
    let asked = (0..<12).filter { streams.waits(stream(1), now: Int64($0) * 100 * millisecond) }
    #expect(asked == [5, 10])
    _ = add(streams, 1)
    _ = streams.close(stream(1))
    #expect(!streams.waits(stream(1), now: 2000 * millisecond))
  }

  @Test func newsAreToldOnce() throws {
    let streams = ScriptedStreams()
    let ssrc = streams.ssrc(at: try #require(add(streams, 1)))
    var stats = InboundStreamStats()
    (stats.packetsLost, stats.framesDropped, stats.pliCount) = (5, 2, 1)
    let first = streams.news(in: stats, of: ssrc)
    #expect(first.packets == 5 && first.leftOut == 2 && first.requests == 1)
    // What came after all is not lost a second time.
    stats.packetsLost = 3
    let second = streams.news(in: stats, of: ssrc)
    #expect(second.packets == 0 && second.leftOut == 0 && second.requests == 0)
    (stats.packetsLost, stats.pliCount) = (6, 3)
    let third = streams.news(in: stats, of: ssrc)
    #expect(third.packets == 1 && third.requests == 2)
    streams.forgetTold(of: ssrc)
    #expect(streams.news(in: stats, of: ssrc).packets == 6)
  }
}
