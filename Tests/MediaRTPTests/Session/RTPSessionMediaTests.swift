import MediaCore
import Testing

@testable import MediaRTP

/// Whose a packet is, in a session of several media.
@Suite struct RTPSessionMediaTests {
  private let rids = ["q", "h", "f"]

  private func simulcast(_ types: [UInt8: RTPEncoding] = [96: .vp8, 97: .retransmission(of: 96)]) -> RTPMedium {
    var medium = RTPMedium(mid: "v", receiving: types)
    for (place, rid) in rids.enumerated() {
      var stream = OutgoingRTP(.vp8, ssrc: SSRC(UInt32(10 + place)), payloadType: 96)
      (stream.rid, stream.retransmission) = (rid, (SSRC(UInt32(20 + place)), 97))
      medium.sending.append(stream)
    }
    return medium
  }

  private func began(_ end: TestCall.End) -> [RTPSessionEvent] { end.events.filter { if case .streamBegan = $0 { true } else { false } } }

  /// What is sent again is of the stream that it names: the payload types are those of all, and of two media.
  @Test func eachOfThreeSizesIsRepairedByItsName() throws {
    let pair = SessionPair()
    try pair.agree([simulcast(), RTPMedium(mid: "s", receiving: [96: .vp8, 97: .retransmission(of: 96)])])
    // What nobody knows of cannot be missed: a stream's first packet, and its last.
    var (dropped, isAny) = (0, false)
    pair.drops = { packet in
      guard packet[1] & 127 == 96, packet[3] % 5 == 0, isAny else { return false }
      dropped += 1
      return true
    }
    var frames: [[UInt8]] = []
    for number in 0..<20 {
      isAny = (1..<19).contains(number)
      for (place, _) in rids.enumerated() {
        let index = try #require(pair.left.stream(sending: SSRC(UInt32(10 + place))))
        frames.append(try pair.send(.vp8, 1500 + 1000 * place, isKey: number == 0, 3 * number + place, on: index))
      }
      pair.run(33)
    }
    pair.run(500)
    #expect(Set(began(pair.there).map { "\($0)" }).count == 3)
    for (place, rid) in rids.enumerated() {
      let ssrc = SSRC(UInt32(10 + place))
      #expect(pair.there.events.contains(.streamBegan(ssrc, payloadType: 96, mid: "v", rid: rid)))
      #expect(pair.right.source(mid: "v", rid: rid) == ssrc && pair.right.repeating[SSRC(UInt32(20 + place))] == ssrc)
    }
    #expect(dropped > 10)
    let isWhole = Set(pair.there.pictures.map(\.bytes)) == Set(frames) && pair.there.pictures.count == frames.count
    #expect(isWhole, "\(pair.there.pictures.count) of \(frames.count), \(pair.here.events)")
  }

  /// A droppable frame that is lost is waited for while it is sent again; where it cannot be had, the next goes on without it, and nobody asks for a
  /// key frame.
  @Test(arguments: [true, false]) func aLostDroppableFrameStopsNothing(isRepaired: Bool) throws {
    // Losses are not to become congestion here.
    let pair = SessionPair { $0.bitrates = .init(minimum: 5_000_000, start: 10_000_000, maximum: 20_000_000) }
    try pair.agree([simulcast(), RTPMedium(mid: "s", receiving: [96: .vp8, 97: .retransmission(of: 96)])])
    let index = try #require(pair.left.stream(sending: SSRC(10)))
    // As ICE's checks measure it.
    pair.right.checkedRoundTrip = 5_000_000
    var isLost = false
    pair.drops = { packet in isLost && packet[1] & 127 == 96 || !isRepaired && packet[1] & 127 == 97 }
    var (frames, lost): ([[UInt8]], [[UInt8]]) = ([], [])
    for number in 0..<60 {
      isLost = number > 10 && number % 6 == 3
      let frame = try pair.send(.vp8, 1_500, isKey: number == 0, isDroppable: number % 2 == 1, number, on: index)
      if isLost { lost.append(frame) } else { frames.append(frame) }
      if isLost, isRepaired { frames.append(frame) }
      pair.run(33)
    }
    pair.run(200)
    #expect(lost.count == 8)
    let isInOrder = pair.there.pictures.map(\.bytes) == frames
    let missing = frames.indices.filter { !pair.there.pictures.map(\.bytes).contains(frames[$0]) }
    #expect(isInOrder, "without \(missing) of \(frames.count)")
    #expect(!pair.here.events.contains { if case .keyFrameRequested = $0 { true } else { false } }, "\(pair.here.events)")
  }

  private func receive(_ pair: SessionPair, _ ssrc: UInt32, _ number: UInt16, type: UInt8 = 96, mid: String? = nil, rid: String? = nil) {
    var header = RTPHeader(payloadType: type, sequence: SequenceNumber(number), timestamp: RTPTimestamp(0), ssrc: SSRC(ssrc))
    (header.extensions.mid, header.extensions.rid) = (mid, rid)
    reading(written { header.write(to: &$0, SessionPair.extensions) } + [0x10, 0x31, 1, 2]) {
      pair.right.receive($0, now: pair.now, pair.there)
    }
  }

  @Test func whoSaidItOnceNeedNotSayItAgain() throws {
    let pair = SessionPair()
    try pair.agree([simulcast([96: .vp8]), RTPMedium(mid: "s", receiving: [96: .vp8, 99: .vp9])])
    receive(pair, 1, 1, mid: "v", rid: "h")
    receive(pair, 1, 2)
    #expect(pair.right.names(receiving: SSRC(1)).map { [$0.mid, $0.rid] } == ["v", "h"])
    #expect(pair.right.stats(receiving: SSRC(1))?.packetsReceived == 2)
    // Of two media, and of none.
    let refused = pair.right.refusedPackets
    receive(pair, 2, 1)
    receive(pair, 2, 2, mid: "x")
    receive(pair, 1, 3, type: 99)
    #expect(pair.right.refusedPackets == refused + 3 && pair.right.receivedStreams == [SSRC(1)])
    // The same size from another source: the first one is over.
    receive(pair, 3, 1, mid: "v", rid: "h")
    #expect(pair.right.receivedStreams == [SSRC(3)] && pair.there.events.contains(.streamEnded(SSRC(1))))
    // It is known later which one it is.
    receive(pair, 4, 1, mid: "v")
    receive(pair, 4, 2, mid: "v", rid: "f")
    #expect(pair.there.events.last == .streamNamed(SSRC(4), rid: "f") && pair.right.source(mid: "v", rid: "f") == SSRC(4))
    // One that goes over to another medium begins anew there.
    receive(pair, 4, 3, mid: "s")
    #expect(pair.there.events.suffix(2) == [.streamEnded(SSRC(4)), .streamBegan(SSRC(4), payloadType: 96, mid: "s")])
    #expect(pair.right.source(mid: "v", rid: "f") == nil)
  }

  /// Who asks while a key frame leaves has its rest, and if there are others behind the other end, one of them may have nothing else: another one follows.
  @Test(arguments: [false, true]) func whoMissedItsBeginningGetsAnother(isForwarded: Bool) throws {
    let pair = SessionPair {
      $0.isForwarded = isForwarded
      $0.bitrates = .init(minimum: 100_000, start: 400_000, maximum: 400_000)
    }
    var medium = RTPMedium(mid: "v", receiving: [96: .vp8])
    medium.sending = [OutgoingRTP(.vp8, ssrc: SSRC(10), payloadType: 96)]
    try pair.agree([medium])
    let request = written { PictureLossIndication(sender: SSRC(99), media: SSRC(10)).write(to: &$0) }
    func ask() { reading(request) { pair.left.receive($0, now: pair.now, pair.here) } }
    _ = try pair.send(.vp8, 30_000, isKey: true, 0, on: 0)
    ask()
    pair.run(1)
    #expect(!pair.sent.isEmpty && pair.sent.count < 20)
    // Two who asked before nothing had left, and while it leaves.
    for _ in 0..<3 {
      ask()
      pair.run(50)
    }
    #expect(pair.here.keyFramesWanted == 0 && pair.sent.count < 20)
    pair.run(2000)
    #expect(pair.sent.count > 25 && pair.here.keyFramesWanted == (isForwarded ? 1 : 0))
  }

  @Test func descriptionsNameSources() throws {
    let pair = SessionPair()
    var (one, two) = (RTPMedium(mid: "1", receiving: [96: .vp8]), RTPMedium(mid: "2", receiving: [96: .vp8]))
    (one.sources, two.sources) = ([.init(SSRC(1), rid: "h")], [.init(SSRC(2), retransmission: SSRC(3))])
    try pair.agree([one, two])
    receive(pair, 1, 1)
    receive(pair, 2, 1)
    #expect(
      began(pair.there) == [
        .streamBegan(SSRC(1), payloadType: 96, mid: "1", rid: "h"), .streamBegan(SSRC(2), payloadType: 96, mid: "2")
      ])
  }

  /// Without names, the streams of one payload type are of one medium, and 64 as they were.
  @Test func theBoundOfStreamsMayBeChanged() throws {
    let pair = SessionPair()
    try pair.agree([RTPMedium(receiving: [96: .vp8])], mostStreams: 3)
    for ssrc in 1...10 as ClosedRange<UInt32> { receive(pair, ssrc, 1) }
    #expect(pair.right.receivedStreams.count == 3)
    try pair.agree([RTPMedium(receiving: [96: .vp8])], mostStreams: 8)
    for ssrc in 20...40 as ClosedRange<UInt32> { receive(pair, ssrc, 1) }
    #expect(pair.right.receivedStreams.count == 8)
  }
}
