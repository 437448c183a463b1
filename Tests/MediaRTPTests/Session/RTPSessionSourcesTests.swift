import MediaCore
import Testing

@testable import MediaRTP

/// Collisions and loops.
@Suite struct RTPSessionSourcesTests {
  private func collisions(_ end: TestCall.End) -> [SSRC] {
    end.events.compactMap { if case .collision(let ssrc) = $0 { ssrc } else { nil } }
  }

  private func isEnd(_ event: RTPSessionEvent) -> Bool { if case .streamEnded = event { true } else { false } }

  @Test(arguments: [true, false]) func aLoopEndsNothingAndIsNoCollision(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 1, maximum: 1_000_000, isGroup: isGroup)
    call.isReflecting = true
    try call.film(seconds: 5)
    let isWhole = call.there.pictures.map(\.bytes) == call.pictures
    #expect(isWhole && call.there.sounds.count == call.sounds)
    for end in [call.here, call.there] {
      #expect(collisions(end).isEmpty && !end.events.contains(where: isEnd))
    }
    #expect(!call.here.events.contains { if case .streamBegan = $0 { true } else { false } })
    #expect(call.sender.pathStats.loopedPackets > 500 && call.sender.target > 900_000, "\(call.sender.pathStats), \(call.sender.target)")
  }

  @Test(arguments: [true, false]) func aCollisionIsToldOnceForEachStream(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 2, isGroup: isGroup)
    try call.film(seconds: 1)
    for number in 0..<200 as Range<UInt16> {
      for ssrc in [100, 200] as [UInt32] {
        let header = RTPHeader(payloadType: 96, sequence: SequenceNumber(number), timestamp: RTPTimestamp(UInt32(number)), ssrc: SSRC(ssrc))
        reading(written { header.write(to: &$0) } + [0x10, 0x50]) {
          call.sender.receive($0, now: call.now + Int64(number) * 200_000_000, call.here)
        }
      }
    }
    #expect(collisions(call.here) == [SSRC(100), SSRC(200)])
    #expect(!call.here.events.contains(where: isEnd))
  }

  @Test(arguments: [true, false]) func aDescriptionTellsACollisionFromALoop(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 3, isGroup: isGroup)
    try call.film(seconds: 1)
    func control(_ cname: String) -> [UInt8] {
      written {
        ReceiverReport(ssrc: SSRC(100)).write(to: &$0)
        SourceDescription.write(to: &$0, [.init(ssrc: SSRC(100), cname: cname)])
      }
    }
    for _ in 0..<10 { reading(control("here")) { call.sender.receive($0, now: call.now, call.here) } }
    #expect(collisions(call.here).isEmpty)
    for _ in 0..<10 { reading(control("elsewhere")) { call.sender.receive($0, now: call.now, call.here) } }
    #expect(collisions(call.here) == [SSRC(100)])
  }

  @Test(arguments: [true, false]) func goodbyesOfOnesOwnAndFeedbackThatComesBackDoNothing(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 4, isGroup: isGroup)
    try call.film(seconds: 1)
    let (target, wanted) = (call.sender.target, call.here.keyFramesWanted)
    let own = written {
      PictureLossIndication(sender: SSRC(100), media: SSRC(100)).write(to: &$0)
      GenericNACK.write(to: &$0, sender: SSRC(100), media: SSRC(100), [SequenceNumber(1)])
      MaximumBitrate.write(to: &$0, sender: SSRC(100), bitrate: 10, [])
      Goodbye.write(to: &$0, [SSRC(100), SSRC(200)])
    }
    for _ in 0..<5 { reading(own) { call.sender.receive($0, now: call.now, call.here) } }
    #expect(call.here.keyFramesWanted == wanted && call.sender.target == target && call.sender.stats(sending: call.video)?.nackCount == 0)
    let seen = call.there.pictures.count
    try call.film(seconds: 1)
    #expect(call.there.pictures.count >= seen + 29)
  }

  @Test(arguments: [true, false]) func aStreamGoesOnUnderAnotherNumber(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 5, isGroup: isGroup)
    try call.film(seconds: 2)
    #expect(throws: PacketError.self) { try call.sender.changeSource(of: call.video, to: SSRC(200), now: call.now, call.here) }
    #expect(throws: PacketError.self) { try call.sender.changeSource(of: 7, to: SSRC(300), now: call.now, call.here) }
    try call.sender.changeSource(of: call.video, to: SSRC(300), retransmission: SSRC(301), now: call.now, call.here)
    let before = call.pictures.count
    try call.send(3000, isKey: true, at: call.now)
    try call.film(seconds: 2)
    #expect(call.there.events.contains(.streamEnded(SSRC(100))))
    #expect(call.there.events.contains(.streamBegan(SSRC(300), payloadType: 96, mid: "v")))
    let isWhole = call.there.pictures.map(\.bytes).suffix(60) == call.pictures.suffix(60)
    #expect(isWhole && call.pictures.count == before + 61)
    #expect(call.sender.stats(sending: call.video)?.ssrc == SSRC(300))
  }

  @Test(arguments: [true, false]) func anEndThatSendsNothingTakesAnotherNumberByItself(_ isGroup: Bool) throws {
    let call = try TestCall(seed: 7, isGroup: isGroup)
    try call.film(seconds: 1)
    let before = call.receiver.ownSSRC
    let control = written {
      ReceiverReport(ssrc: before).write(to: &$0)
      SourceDescription.write(to: &$0, [.init(ssrc: before, cname: "elsewhere")])
    }
    reading(control) { call.receiver.receive($0, now: call.now, call.there) }
    #expect(call.receiver.ownSSRC != before && collisions(call.there).isEmpty)
    let goodbye = call.there.out.contains { packet, _ in
      reading(packet) { bytes in
        guard var messages = try? RTCPMessage.Iterator(parsing: bytes) else { return false }
        while let message = messages.next() {
          if case .goodbye(let goodbye) = message, goodbye.sources.contains(before) { return true }
        }
        return false
      }
    }
    #expect(goodbye)
    // Who sends is not that number, whoever else is.
    let sender = call.sender.ownSSRC
    let pli = written { PictureLossIndication(sender: sender, media: SSRC(100)).write(to: &$0) }
    let wanted = call.here.keyFramesWanted
    reading(pli) { call.sender.receive($0, now: call.now, call.here) }
    #expect(call.here.keyFramesWanted == wanted + 1)
  }

  @Test func aStrangerDoesNotSpeakForAnother() throws {
    let call = try TestCall(seed: 6, isGroup: true)
    try call.film(seconds: 1)
    let (received, dropped) = (call.receiver.stats(receiving: SSRC(100))?.packetsReceived, call.receiver.pathStats.conflictingPackets)
    let header = RTPHeader(payloadType: 96, sequence: SequenceNumber(1), timestamp: RTPTimestamp(1), ssrc: SSRC(100))
    for _ in 0..<10 {
      reading(written { header.write(to: &$0) } + [0x10, 0x50]) { call.receiver.receive($0, from: 9, now: call.now, call.there) }
    }
    #expect(call.receiver.stats(receiving: SSRC(100))?.packetsReceived == received)
    #expect(call.receiver.pathStats.conflictingPackets == dropped + 10)
  }
}
