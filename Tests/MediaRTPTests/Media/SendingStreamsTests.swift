import MediaCore
import Testing

@testable import MediaRTP

@Suite struct SendingStreamsTests {
  private var settings: RTPSettings { RTPSettings(cname: "a", clock: NTPClock(NTPTimestamp(rawValue: 0), at: 0), seed: 1) }

  private func add(_ streams: inout SendingStreams, _ ssrc: UInt32, again: UInt32? = nil) -> SendingStream {
    var random = SeededRandom(seed: 1)
    var outgoing = OutgoingRTP(.vp8, ssrc: SSRC(ssrc), payloadType: 96)
    outgoing.retransmission = again.map { (SSRC($0), 97) }
    let stream = SendingStream(outgoing, streams.nextHandle, settings, &random)
    streams.add(stream)
    return stream
  }

  @Test func numbersAreNeverThoseOfOthers() {
    var streams = SendingStreams()
    let first = add(&streams, 1, again: 2)
    let second = add(&streams, 3)
    #expect(first.handle == 0 && second.handle == 1 && streams[0] === first && streams[2] == nil && streams[-1] == nil)
    #expect(streams.of(SSRC(1)) === first && streams.of(SSRC(2)) == nil && streams.using(SSRC(2)) === first)
    streams.remove(first)
    let third = add(&streams, 4)
    #expect(streams[0] == nil && streams[third.handle] === third && third.handle != 0 && streams.using(SSRC(1)) == nil)
    #expect(streams.all.map(\.handle) == [1, third.handle] && streams.using(SSRC(2)) == nil)
    var seen = Set([0, 1, third.handle])
    for round in 0..<100 as Range<UInt32> {
      let stream = add(&streams, 100 + round)
      #expect(seen.insert(stream.handle).inserted)
      streams.remove(stream)
    }
  }

  @Test func sourcesFollow() {
    var streams = SendingStreams()
    let stream = add(&streams, 1, again: 2)
    streams.alter(stream) {
      var settings = stream.settings
      settings.retransmission = (SSRC(5), 98)
      stream.alter(to: settings, self.settings)
    }
    #expect(streams.using(SSRC(2)) == nil && streams.using(SSRC(5)) === stream)
    var random = SeededRandom(seed: 2)
    let other = SendingStream(OutgoingRTP(.vp8, ssrc: SSRC(9), payloadType: 96), stream.handle, settings, &random, after: stream)
    streams.replace(stream, by: other)
    #expect(streams[0] === other && streams.of(SSRC(1)) == nil && streams.of(SSRC(9)) === other && streams.all.count == 1)
  }
}
