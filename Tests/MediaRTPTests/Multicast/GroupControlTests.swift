import MediaCore
import Testing

@testable import MediaRTP

@Suite struct GroupControlTests {
  private let second: Int64 = 1_000_000_000

  /// One other end needs none of it.
  @Test func onlyAGroupHasIt() throws {
    for isGroup in [true, false] {
      let call = try TestCall(seed: 1, isGroup: isGroup)
      try call.film(seconds: 2)
      #expect((call.sender.group != nil) == isGroup && (call.receiver.group?.members.count ?? 0) == (isGroup ? 3 : 0))
      #expect((call.sender.pace == nil) == isGroup && (call.receiver.pace == nil) == isGroup)
      #expect(call.there.pictures.count == call.pictures.count)
    }
    let settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(rawValue: 0), at: 0), seed: 1)
    #expect(RTPSession(settings, receiving: [:], now: 0).group == nil)
  }

  /// Two ends report as often as each other, however many streams there are; a stream whose source only reports goes on.
  @Test func aSourceThatOnlyReportsIsThere() throws {
    for isGroup in [true, false] {
      let call = try TestCall(seed: 3, isGroup: isGroup)
      try call.film(seconds: 1)
      let control = written {
        SenderReport(ssrc: SSRC(100), ntp: NTPTimestamp(rawValue: 1 << 32), timestamp: RTPTimestamp(1), packetCount: 1, octetCount: 1)
          .write(to: &$0, [])
        SourceDescription.write(to: &$0, [.init(ssrc: SSRC(100), cname: "here")])
      }
      call.forth.loss = 1
      for _ in 0..<50 {
        call.run(until: call.now + second)
        reading(control) { call.receiver.receive($0, now: call.now, call.there) }
      }
      #expect(call.receiver.receivedStreams == [SSRC(100)])
      call.run(until: call.now + 32 * second)
      #expect(call.receiver.receivedStreams.isEmpty)
    }
  }

  // MARK: Goodbyes

  /// A call whose sender hears so many members besides.
  private func crowd(_ others: Int) throws -> TestCall {
    let call = try TestCall(seed: 5, isGroup: true)
    try call.film(seconds: 2)
    for index in 0..<UInt32(others) {
      let control = written {
        ReceiverReport(ssrc: SSRC(1000 + index)).write(to: &$0)
        SourceDescription.write(to: &$0, [.init(ssrc: SSRC(1000 + index), cname: "\(index)")])
      }
      reading(control) { call.sender.receive($0, now: call.now, call.here) }
    }
    call.here.out = []
    return call
  }

  /// Whose goodbyes were sent since it was asked last, and how many reports.
  private func said(_ end: TestCall.End) -> (goodbyes: [SSRC], reports: Int) {
    defer { end.out = [] }
    var (goodbyes, reports): ([SSRC], Int) = ([], 0)
    for (packet, isControl) in end.out where isControl {
      reading(packet) { bytes in
        guard var messages = try? RTCPMessage.Iterator(parsing: bytes) else { return }
        var isGoodbye = false
        while let message = messages.next() {
          guard case .goodbye(let goodbye) = message else { continue }
          isGoodbye = true
          goodbyes += goodbye.sources
        }
        if !isGoodbye { reports += 1 }
      }
    }
    return (goodbyes, reports)
  }

  /// Up to 50, oneself and the receiver included.
  @Test func fewMembersSayGoodbyeAtOnce() throws {
    let call = try crowd(48)
    #expect(call.sender.group?.members.count == 50)
    call.sender.endStream(call.video)
    _ = call.sender.poll(now: call.now, call.here)
    #expect(said(call.here).goodbyes == [SSRC(100)])
    call.sender.removeStream(call.audio)
    _ = call.sender.poll(now: call.now, call.here)
    #expect(said(call.here).goodbyes == [SSRC(200)])
    call.sender.leave(now: call.now, call.here)
    #expect(said(call.here).goodbyes == [SSRC(100)])
  }

  /// With its next report; and who leaves altogether does not stay for that.
  @Test func ofManyEachSaysGoodbyeInTurn() throws {
    let call = try crowd(49)
    #expect(call.sender.group?.members.count == 51)
    call.sender.endStream(call.video)
    call.sender.removeStream(call.audio)
    var deadline = call.sender.poll(now: call.now, call.here)
    while true {
      let (goodbyes, reports) = said(call.here)
      #expect(goodbyes == (reports > 0 ? [SSRC(100), SSRC(200)] : []))
      if reports > 0 { break }
      try #require(deadline < call.now + 10 * second)
      deadline = call.sender.poll(now: deadline, call.here)
    }
    call.sender.leave(now: deadline, call.here)
    #expect(call.here.out.isEmpty)
  }

  @Test func aStreamThatIsGoneOnWithBeforeItsTurnSaysNone() throws {
    let call = try crowd(60)
    call.sender.endStream(call.video)
    _ = call.sender.poll(now: call.now, call.here)
    try call.send(3000, isKey: true, at: call.now)
    for step in 1...5 as ClosedRange<Int64> { _ = call.sender.poll(now: call.now + step * second, call.here) }
    let (goodbyes, reports) = said(call.here)
    #expect(goodbyes.isEmpty && reports > 0)
  }

  @Test func whoSaidNothingLeavesWithoutAWord() {
    var settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(rawValue: 0), at: 0), seed: 1)
    settings.isGroup = true
    let (session, end) = (RTPSession(settings, receiving: [:], now: 0), TestCall.End())
    session.leave(now: 0, end)
    #expect(end.out.isEmpty)
    session.report(0, end)
    session.leave(now: 0, end)
    #expect(said(end).goodbyes.count == 1)
  }
}
