import MediaCore
import Testing

@testable import MediaRTP

@Suite struct RTPSessionTests {
  @Test func whatIsSentArrivesWhole() throws {
    let call = try TestCall(seed: 1, maximum: 1_200_000)
    try call.film(seconds: 4)
    let isWhole = call.there.pictures.map(\.bytes) == call.pictures
    #expect(isWhole, "\(call.there.pictures.count) of \(call.pictures.count)")
    #expect(call.there.sounds.count == call.sounds && call.there.lost == 0, "\(call.there.sounds.count), \(call.there.lost)")
    let began = call.there.events.compactMap {
      if case .streamBegan(let ssrc, let type, let mid, _) = $0 { (ssrc, type, mid) } else { nil }
    }
    #expect(
      began.contains { $0.0 == SSRC(100) && $0.1 == 96 && $0.2 == "v" }
        && began.contains { $0.0 == SSRC(200) && $0.1 == 111 && $0.2 == nil })
    #expect(call.here.events.contains { if case .target(let bits) = $0 { bits > 1_100_000 } else { false } })
    let roundTrip = try #require(call.sender.smoothedRoundTrip)
    #expect(abs(roundTrip - 40_000_000) < 15_000_000, "\(roundTrip)")
    #expect(call.receiver.stats(receiving: SSRC(100))?.packetsLost == 0)
    // Key frames come in many packets, and nobody asks for what has begun to come.
    #expect(call.here.keyFramesWanted == 0)
    // Nothing is held back where nothing is late.
    let ways = zip(call.there.pictures, call.pictures.indices).map { $0.0.at - 1_000_000_000 - Int64($0.1) * 1_000_000_000 / 30 }
    #expect(ways.sorted()[ways.count / 2] < 45_000_000, "\(ways.sorted()[ways.count / 2])")
  }

  @Test(arguments: [true, false]) func lossesAreMadeGood(_ hasRetransmissions: Bool) throws {
    for seed in UInt64(1)...3 {
      let call = try TestCall(seed: seed, hasRetransmissions: hasRetransmissions)
      (call.forth.loss, call.back.loss) = (0.02, 0.02)
      try call.film(seconds: 6)
      let share = Double(call.there.pictures.count) / Double(call.pictures.count)
      #expect(share > 0.97, "seed \(seed): \(share)")
      // None is other than it was, and they are in order.
      var rest = call.pictures[...]
      for picture in call.there.pictures {
        guard let place = rest.firstIndex(of: picture.bytes) else {
          return #expect(Bool(false), "seed \(seed): a picture that was not sent, or twice")
        }
        rest = rest[(place + 1)...]
      }
      #expect(call.sender.stats(sending: call.video)?.retransmittedPacketsSent ?? 0 > 10)
      #expect(
        call.there.sounds.count + call.there.lost >= call.sounds - 5 && call.there.lost < 15,
        "\(call.there.sounds.count), \(call.there.lost)")
    }
  }

  /// One packet in twenty, and 80 ms there and back.
  @Test(arguments: UInt64(1)...4) func soundThatIsResentIsWaitedFor(_ seed: UInt64) throws {
    let call = try TestCall(seed: seed)
    (call.forth.delay, call.back.delay) = (40_000_000, 40_000_000)
    // Of the first packet and the last a receiver cannot know that they are lost.
    try call.film(seconds: 1)
    call.forth.loss = 0.05
    try call.film(seconds: 28)
    call.forth.loss = 0
    try call.film(seconds: 1)
    let stats = try #require(call.receiver.stats(receiving: SSRC(200)))
    #expect(call.there.sounds.count + call.there.lost == call.sounds)
    #expect(stats.nackCount > 30)
    // What is lost before it is known that packets are, and resends that are lost too.
    #expect(call.there.lost * 50 < call.sounds, "\(call.there.lost) of \(call.sounds) concealed, \(stats.nackCount) asked for")
  }

  @Test func soundThatCannotComeInTimeIsNotAskedFor() throws {
    // Nor is it held back for the pictures, when it could.
    let call = try TestCall(seed: 5, longestHold: 0)
    (call.forth.loss, call.forth.delay, call.back.delay) = (0.05, 200_000_000, 200_000_000)
    try call.film(seconds: 10)
    #expect(call.there.lost > 10)
    #expect(call.receiver.stats(receiving: SSRC(200))?.nackCount == 0)
  }

  @Test func withoutRepairAKeyFrameIsAskedFor() throws {
    let call = try TestCall(seed: 7)
    try call.film(seconds: 1)
    let before = call.here.keyFramesWanted
    // Nothing arrives for five seconds, for which neither do pictures wait nor does resending make it good.
    call.forth.loss = 1
    try call.film(seconds: 5)
    call.forth.loss = 0
    try call.film(seconds: 4)
    #expect(call.here.keyFramesWanted > before)
    let isLast = call.there.pictures.last?.bytes == call.pictures.last
    #expect(isLast)
  }

  @Test func aNarrowWayIsFoundAndLeftAgain() throws {
    for seed in UInt64(1)...2 {
      let call = try TestCall(seed: seed)
      (call.forth.rate, call.forth.delay) = (4_000_000, 30_000_000)
      try call.film(seconds: 10)
      let high = call.sender.target
      call.forth.rate = 300_000
      try call.film(seconds: 10)
      let low = call.sender.target
      call.forth.rate = 4_000_000
      try call.film(seconds: 12)
      #expect(
        high > 2_500_000 && low < 330_000 && low > 120_000 && call.sender.target > 2_500_000,
        "seed \(seed): \(high), \(low), \(call.sender.target)")
    }
  }

  /// What waits for its time when its stream is over is handed on.
  @Test func ofAStreamThatIsOverTheRestIsHandedOn() throws {
    let call = try TestCall(seed: 5)
    call.forth.jitter = 40_000_000
    try call.film(seconds: 5)
    let made = call.pictures.count
    let start = call.now
    for index in 0..<30 as Range<Int64> { try call.send(300, isKey: false, at: start + index * 33_333_333) }
    // The last one has come, whatever its jitter was.
    call.run(until: call.now + call.forth.delay + call.forth.jitter + 2_000_000)
    let before = call.there.pictures.count
    #expect(before < made + 30)
    call.receiver.handOnRest(of: SSRC(100), now: call.now, call.there)
    #expect(call.there.pictures.count == made + 30 && call.there.pictures.last?.bytes == call.pictures.last)
  }

  @Test func jitterIsSmoothed() throws {
    let call = try TestCall(seed: 3)
    call.forth.jitter = 40_000_000
    try call.film(seconds: 10)
    let late = call.there.pictures.suffix(150)
    let gaps = zip(late.dropFirst(), late).map { $0.at - $1.at }
    let uneven = gaps.filter { abs($0 - 33_333_333) > 20_000_000 }.count
    #expect(uneven < 20, "\(uneven) of \(gaps.count)")
  }

  @Test func whatNoScreenShowsIsNotSmoothed() throws {
    for (jitter, isHeld) in [(8_000_000, false), (40_000_000, true)] as [(Int64, Bool)] {
      let call = try TestCall(seed: 3, hasRetransmissions: false, longestHold: 0)
      call.forth.jitter = jitter
      let start = call.now
      for index in 0..<150 { try call.send(500, isKey: index == 0, at: start + Int64(index) * 33_333_333) }
      call.run(until: call.now + 500_000_000)
      let received = try #require(call.receiver.stats(receiving: SSRC(100)))
      #expect(received.jitterBufferEmittedCount == 150)
      #expect((received.jitterBufferTargetDelay > 0) == isHeld && (received.jitterBufferDelay > 0) == isHeld, "\(received)")
    }
  }

  @Test func theSameSeedIsTheSameCall() throws {
    func run() throws -> [Int64] {
      let call = try TestCall(seed: 9)
      (call.forth.loss, call.forth.jitter) = (0.05, 10_000_000)
      try call.film(seconds: 3)
      return call.there.pictures.map(\.at)
    }
    #expect(try run() == run())
  }

  @Test(arguments: [true, false]) func goodbyesEndStreams(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 4, isGroup: isGroup)
    try call.film(seconds: 1)
    call.sender.leave(now: call.now, call.here)
    call.run(until: call.now + 500_000_000)
    #expect(call.there.events.contains(.streamEnded(SSRC(100))) && call.there.events.contains(.streamEnded(SSRC(200))))
    // What they had counted is there, until they begin again.
    #expect(Set(call.receiver.endedStreams.map(\.ssrc)) == [SSRC(100), SSRC(200)])
    #expect(call.receiver.endedStreams.first { $0.isVideo }?.framesReceived == UInt64(call.there.pictures.count))
    try call.film(seconds: 1)
    #expect(call.receiver.endedStreams.isEmpty && call.receiver.receivedStreams.count == 2)
  }

  @Test func goodbyesCutOffNothingThatCame() throws {
    let call = try TestCall(seed: 4, maximum: 1_200_000)
    call.forth.jitter = 60_000_000
    try call.film(seconds: 4)
    // What comes at once now is held back for that: it is here when the goodbye comes, and not due yet.
    call.forth.jitter = 0
    try call.send(500, isKey: false, at: call.now)
    call.run(until: call.now + 30_000_000)
    let held = call.pictures.count - call.there.pictures.count
    call.sender.leave(now: call.now, call.here)
    call.run(until: call.now + 500_000_000)
    let isLast = call.there.pictures.last?.bytes == call.pictures.last
    #expect(isLast && held > 0, "\(call.pictures.count - call.there.pictures.count) of \(held) are missing")
    #expect(call.there.events.contains(.streamEnded(SSRC(100))))
  }

  /// As rtp.h says.
  @Test(arguments: [true, false]) func halfAMinuteWithoutAPacketEndsStreams(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 6, isGroup: isGroup)
    try call.film(seconds: 1)
    let last = call.now - 1_000_000_000
    func ended() -> Int { call.there.events.count { if case .streamEnded = $0 { true } else { false } } }
    call.forth.loss = 1
    let polls = call.polls
    call.run(until: last + 29_000_000_000)
    #expect(ended() == 0 && call.polls - polls < 29 * 200, "\(call.polls - polls) times asked")
    call.run(until: last + 31_500_000_000)
    #expect(ended() == 2)
    // They begin again when something comes.
    call.forth.loss = 0
    let (began, shown) = (call.there.events.count, call.there.pictures.count)
    try call.send(500, isKey: true, at: call.now)
    call.run(until: call.now + 500_000_000)
    let again = call.there.events[began...].contains(.streamBegan(SSRC(100), payloadType: TestCall.vp8, mid: "v"))
    #expect(again && call.there.pictures.count == shown + 1)
  }

  @Test func whatIsNotOfTheSessionIsCountedAndDropped() throws {
    let call = try TestCall(seed: 5)
    try call.film(seconds: 1)
    let before = call.receiver.refusedPackets
    for hex in ["00", "80", "80 60 0001 00000000", "80 7f 0001 00000000 00000009", "80 c8 0001 00000000", "80 cd"] {
      reading(bytes(hex)) { call.receiver.receive($0, now: call.now, call.there) }
    }
    #expect(call.receiver.refusedPackets >= before + 5)
    // Its own number from elsewhere.
    reading(bytes("80 60 0001 00000000 00000064 10 50")) { call.sender.receive($0, now: call.now, call.here) }
    #expect(call.here.events.contains(.collision(SSRC(100))))
    // A flood of sources is bounded, and ends no stream that goes on.
    for ssrc in UInt32(5000)..<5200 {
      let header = written {
        RTPHeader(payloadType: 96, sequence: SequenceNumber(1), timestamp: RTPTimestamp(1), ssrc: SSRC(ssrc)).write(to: &$0)
      }
      reading(header + [0x10, 0x50]) { call.receiver.receive($0, now: call.now, call.there) }
    }
    func count(_ isCounted: (RTPSessionEvent) -> Bool) -> Int { call.there.events.count(where: isCounted) }
    let (began, ended) = (
      count { if case .streamBegan = $0 { true } else { false } }, count { if case .streamEnded = $0 { true } else { false } }
    )
    #expect(began - ended == 64 && !call.there.events.contains(.streamEnded(SSRC(100))))
    let seen = call.there.pictures.count
    try call.film(seconds: 1)
    #expect(call.there.pictures.count > seen + 20)
    // Nobody stands up for the others.
    call.run(until: call.now + 40_000_000_000)
    #expect(call.there.events.contains(.streamEnded(SSRC(5199))))
  }

  @Test func spoiltDatagramsDoNoHarm() throws {
    for seed in UInt64(1)...4 {
      var random = SeededRandom(seed: seed)
      let call = try TestCall(seed: seed)
      for index in 0..<60 {
        try call.send(2000, isKey: index % 20 == 0, at: call.now + 33_000_000)
        _ = call.sender.poll(now: call.now, call.here)
        for (packet, _) in call.here.out + call.there.out {
          for _ in 0..<4 {
            var copy = packet
            for _ in 0..<Int.random(in: 1...4, using: &random) {
              copy[Int.random(in: 0..<copy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { copy.removeLast(Int.random(in: 0..<copy.count, using: &random)) }
            reading(copy) { call.receiver.receive($0, now: call.now, call.there) }
            reading(copy) { call.sender.receive($0, now: call.now, call.here) }
          }
        }
      }
      call.run(until: call.now + 5_000_000_000)
    }
  }

  @Test func whatCannotBeSentIsRefused() throws {
    let call = try TestCall(seed: 6)
    #expect(throws: PacketError.self) { _ = try call.sender.addStream(OutgoingRTP(.vp8, ssrc: SSRC(100), payloadType: 96)) }
    [UInt8]([1]).withUnsafeBytes { bytes in
      #expect(throws: PacketError.self) { try call.sender.send(bytes, number: 0, units: 0, on: 9, now: 0) }
      #expect(throws: PacketError.self) { try call.sender.send(sound: bytes, units: 0, marker: false, on: -1, now: 0) }
    }
    let large = [UInt8](repeating: 1, count: 3_000_000)
    large.withUnsafeBytes { bytes in
      #expect(throws: PacketError.self) { try call.sender.send(bytes, number: 0, units: 0, on: call.video, now: 0) }
      #expect(throws: PacketError.self) { try call.sender.send(sound: bytes, units: 0, marker: false, on: call.audio, now: 0) }
    }
  }
}
