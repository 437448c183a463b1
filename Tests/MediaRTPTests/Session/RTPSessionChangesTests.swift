import MediaCore
import Testing

@testable import MediaRTP

/// What is agreed on anew while a session runs.
@Suite struct RTPSessionChangesTests {
  private func ended(_ end: TestCall.End) -> Int { end.events.count { if case .streamEnded = $0 { true } else { false } } }

  @Test func inMidCallNoPacketIsLostAndTheEstimateStays() throws {
    let call = try TestCall(seed: 1, maximum: 1_200_000)
    var theirs = call.receiver.configuration
    theirs.media[0].mid = "v"
    try call.receiver.apply(theirs, now: call.now, call.there)
    try call.film(seconds: 4)
    // Something waits to leave.
    try call.send(12_000, isKey: false, at: call.now)
    let (target, roundTrip) = (call.sender.target, call.sender.smoothedRoundTrip)
    #expect(call.sender.waitingBytes > 8000)
    let waits = call.sender.waitingBytes
    var configuration = call.sender.configuration
    configuration.extensions.absoluteSendTime = 9
    configuration.media.append(RTPMedium(mid: "s"))
    configuration.media[1].sending = [OutgoingRTP(.av1, ssrc: SSRC(300), payloadType: 101)]
    // And a later one of another bound.
    for maximum in [1_200_000, 900_000] {
      configuration.bitrates.maximum = maximum
      try call.sender.apply(configuration, now: call.now, call.here)
      #expect(call.sender.waitingBytes == waits && call.sender.smoothedRoundTrip == roundTrip)
      #expect(call.sender.target == min(target, maximum))
    }
    theirs.media.append(RTPMedium(mid: "s", receiving: [101: .av1]))
    try call.receiver.apply(theirs, now: call.now, call.there)
    let third = try #require(call.sender.stream(sending: SSRC(300)))
    #expect(call.sender.stream(sending: SSRC(100)) == call.video && call.sender.settings(ofStream: third)?.mid == "s")
    let screen = TestFrame.make(.av1, 3000, isKey: true, 0)
    try screen.withUnsafeBytes { try call.sender.send($0, number: 0, units: 0, on: third, now: call.now) }
    call.run(until: call.now + 100_000_000)
    try call.film(seconds: 3)
    let isWhole = call.there.pictures.map(\.bytes).filter { $0 != screen } == call.pictures
    #expect(isWhole, "\(call.there.pictures.count) of \(call.pictures.count), \(call.here.keyFramesWanted), \(call.there.events)")
    #expect(call.there.pictures.contains { $0.bytes == screen })
    #expect(call.there.sounds.count == call.sounds && call.there.lost == 0)
    #expect(call.receiver.stats(receiving: SSRC(100))?.packetsLost == 0 && ended(call.there) == 0)
    #expect(call.sender.target > 850_000 && call.sender.target <= 900_000, "\(call.sender.target)")
  }

  /// Of what is lost before the change, too.
  @Test func payloadTypesChangeInMidCall() throws {
    let pair = SessionPair()
    var medium = RTPMedium(mid: "v", receiving: [96: .vp8, 97: .retransmission(of: 96), 100: .vp8, 101: .retransmission(of: 100)])
    var stream = OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96)
    stream.retransmission = (SSRC(2), 97)
    medium.sending = [stream]
    try pair.agree([medium])
    let index = try #require(pair.left.stream(sending: SSRC(1)))
    var frames: [[UInt8]] = []
    for number in 0..<30 {
      if number == 15 {
        // What is in flight under the former type comes again under its own.
        (stream.payloadType, stream.retransmission) = (100, (SSRC(2), 101))
        medium.sending = [stream]
        try pair.agree([medium])
      }
      pair.drops = { $0[1] & 127 != 97 && $0[1] & 127 != 101 && number % 7 == 0 && $0[3] % 2 == 0 }
      frames.append(try pair.send(.vp8, 4000, isKey: number == 0, number, on: index))
      pair.run(33)
    }
    pair.run(500)
    #expect(pair.there.pictures.map(\.bytes) == frames)
    #expect(pair.there.events.filter { if case .streamBegan = $0 { true } else { false } }.count == 1 && ended(pair.there) == 0)
    #expect(Set(pair.sent.map { $0[1] & 127 }) == [96, 97, 100, 101])
    #expect(pair.right.stats(receiving: SSRC(1))?.packetsRepaired ?? 0 > 3)
  }

  @Test func aStreamGoesOnWithAnotherCodec() throws {
    let pair = SessionPair()
    var medium = RTPMedium(mid: "v", receiving: [96: .vp8, 98: .h264()])
    medium.sending = [OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96)]
    try pair.agree([medium])
    let index = try #require(pair.left.stream(sending: SSRC(1)))
    var frames: [[UInt8]] = []
    for number in 0..<20 {
      if number == 10 {
        medium.sending = [OutgoingRTP(.h264(), ssrc: SSRC(1), payloadType: 98)]
        try pair.agree([medium])
      }
      frames.append(try pair.send(number < 10 ? .vp8 : .h264(), 3000, isKey: number % 10 == 0, number, on: index))
      pair.run(33)
    }
    pair.run(100)
    #expect(pair.there.pictures.map(\.bytes) == frames)
    #expect(pair.there.events.contains(.streamChanged(SSRC(1), payloadType: 98)) && ended(pair.there) == 0)
    let numbers = pair.sent.compactMap { packet in reading(packet) { try? RTPHeaderView(parsing: $0).sequence.rawValue } }
    let hasNoHole = zip(numbers.dropFirst(), numbers).allSatisfy { $0 == $1 &+ 1 }
    #expect(hasNoHole && pair.right.stats(receiving: SSRC(1))?.packetsLost == 0)
    // One of before that comes late is not gone back to.
    let refused = pair.right.refusedPackets
    reading(pair.sent[0]) { pair.right.receive($0, now: pair.now, pair.there) }
    #expect(pair.right.refusedPackets == refused + 1 && pair.right.receivingStream(SSRC(1))?.payloadType == 98)
    // Nor is it taken for one of another clock.
    medium.sending = [OutgoingRTP(.opus, ssrc: SSRC(1), payloadType: 98)]
    #expect(throws: PacketError("RTP: a stream that goes on with another clock")) { try pair.agree([medium]) }
  }

  @Test func whatIsRemovedLeavesNothing() throws {
    let pair = SessionPair()
    var media = [RTPMedium(mid: "v", receiving: [96: .vp8]), RTPMedium(mid: "w", receiving: [96: .vp8])]
    media[0].sending = [OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96)]
    media[1].sending = [OutgoingRTP(.vp8, ssrc: SSRC(2), payloadType: 96)]
    try pair.agree(media)
    let (first, second) = (try #require(pair.left.stream(sending: SSRC(1))), try #require(pair.left.stream(sending: SSRC(2))))
    for number in 0..<5 {
      _ = try pair.send(.vp8, 3000, isKey: number == 0, number, on: first)
      _ = try pair.send(.vp8, 3000, isKey: number == 0, number, on: second)
      pair.run(33)
    }
    weak let sending = pair.left.outgoing[first]
    weak let receiving = pair.right.receivingStream(SSRC(1))
    #expect(sending != nil && receiving != nil)
    _ = try pair.send(.vp8, 200_000, isKey: true, 5, on: first)
    let last = try pair.send(.vp8, 3000, isKey: true, 5, on: second)
    #expect(pair.left.waitingBytes > 200_000)
    try pair.agree([media[1]])
    #expect(sending == nil && receiving == nil && pair.left.waitingBytes < 4000)
    pair.run(100)
    // Told by its own side, and by the goodbye of the other.
    #expect(pair.there.events.contains(.streamEnded(SSRC(1))) && !pair.there.events.contains(.streamEnded(SSRC(2))))
    #expect(pair.there.pictures.last?.bytes == last && pair.right.receivedStreams == [SSRC(2)])
    #expect(throws: PacketError("RTP: no such stream")) { try pair.send(.vp8, 100, isKey: true, 6, on: first) }
    #expect(pair.left.stats(sending: first) == nil && pair.left.sentStreams == [second] && !pair.left.isOwn(SSRC(1)))
    // What still comes of it is of nobody.
    let refused = pair.right.refusedPackets
    reading(pair.sent[0]) { pair.right.receive($0, now: pair.now, pair.there) }
    #expect(pair.right.refusedPackets == refused + 1)
    try pair.agree([])
    #expect(pair.left.sending.isEmpty && pair.left.isOwn(pair.left.reporter))
    pair.run(10)
  }

  @Test func whatPausesIsGoneOnWith() throws {
    let pair = SessionPair()
    var medium = RTPMedium(mid: "v", receiving: [96: .vp8])
    var stream = OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96)
    medium.sending = [stream]
    try pair.agree([medium])
    let index = try #require(pair.left.stream(sending: SSRC(1)))
    for isActive in [true, false, true] {
      stream.isActive = isActive
      medium.sending = [stream]
      try pair.agree([medium])
      if isActive {
        _ = try pair.send(.vp8, 3000, isKey: true, 0, on: index)
      } else {
        #expect(throws: PacketError("RTP: nothing is sent in this stream now")) { try pair.send(.vp8, 100, isKey: true, 0, on: index) }
      }
      pair.run(100)
    }
    #expect(pair.there.pictures.count == 2 && ended(pair.there) == 1)
    let numbers = pair.sent.compactMap { packet in reading(packet) { try? RTPHeaderView(parsing: $0).sequence.rawValue } }
    #expect(numbers.count == 6 && numbers[5] == numbers[0] &+ 5)
  }

  @Test func whatCannotBeIsRefusedWhole() throws {
    let call = try TestCall(seed: 2)
    try call.film(seconds: 1)
    func refuses(_ change: (inout RTPSessionConfiguration) -> Void) {
      var configuration = call.sender.configuration
      configuration.bitrates.maximum = 1_000_000
      change(&configuration)
      #expect(throws: PacketError.self) { try call.sender.apply(configuration, now: call.now, call.here) }
    }
    refuses { $0.media.append(RTPMedium(mid: "")) }
    refuses { $0.media += [RTPMedium(mid: "a"), RTPMedium(mid: "a")] }
    refuses { $0.media[0].sending.append($0.media[0].sending[0]) }
    refuses { $0.media[0].sending.append(OutgoingRTP(.vp8, ssrc: SSRC(101), payloadType: 96)) }
    refuses { $0.media[0].sending.append(OutgoingRTP(.retransmission(of: 96), ssrc: SSRC(7), payloadType: 97)) }
    refuses { $0.extensions.transportSequence = 8 }
    refuses { $0.mostStreams = 1 }
    refuses { $0.mostStreams = 5000 }
    refuses { $0.media = (0...1024).map { RTPMedium(mid: "\($0)") } }
    #expect(call.sender.configuration.bitrates.maximum == 6_000_000 && call.sender.configuration.media.count == 1)
    #expect(call.sender.configuration.media[0].sending.map(\.ssrc) == [SSRC(100), SSRC(200)])
    try call.film(seconds: 1)
    let isWhole = call.there.pictures.map(\.bytes) == call.pictures
    #expect(isWhole)
  }

  /// Each with a stream, all of one payload type.
  @Test func twoHundredMedia() throws {
    let pair = SessionPair()
    let media = (0..<200).map { (number: Int) -> RTPMedium in
      var medium = RTPMedium(mid: "\(number)", receiving: [111: .opus])
      medium.sending = [OutgoingRTP(.opus, ssrc: SSRC(UInt32(1000 + number)), payloadType: 111)]
      return medium
    }
    try pair.agree(media, mostStreams: 256)
    func talk(_ numbers: some Sequence<Int>, _ rounds: Int) throws {
      for _ in 0..<rounds {
        for number in numbers {
          let stream = try #require(pair.left.stream(sending: SSRC(UInt32(1000 + number))))
          try [31 << 3, UInt8(number)].withUnsafeBytes {
            try pair.left.send(sound: $0, units: pair.now / 20_000_000 * 960, marker: false, on: stream, now: pair.now)
          }
        }
        pair.run(20)
      }
    }
    try talk(0..<200, 10)
    pair.run(300)
    #expect(pair.right.receivedStreams.count == 200 && pair.there.sounds.count == 2000, "\(pair.there.sounds.count)")
    for number in 0..<200 {
      let ssrc = SSRC(UInt32(1000 + number))
      #expect(pair.there.events.contains(.streamBegan(ssrc, payloadType: 111, mid: "\(number)")))
      #expect(pair.right.stats(receiving: ssrc)?.packetsLost == 0)
    }
    // Half of them go, the others do not notice.
    try pair.agree(media.enumerated().filter { $0.offset % 2 == 0 }.map(\.element), mostStreams: 256)
    try talk(stride(from: 0, to: 200, by: 2), 5)
    pair.run(300)
    #expect(pair.right.receivedStreams.count == 100 && pair.there.sounds.count == 2500 && pair.there.lost == 0)
    #expect(pair.left.sending.count == 100 && ended(pair.there) == 100)
  }
}
