import Testing

@testable import MediaRTP

/// Pictures alone, over 1 Mbit/s with a round trip of 100 ms, made as the estimate says and not while 300 ms of them wait.
@Suite struct RTPSessionOutageTests {
  private final class Film {
    let call: TestCall
    private(set) var keyFrames = 0
    private var answered = -1
    static let second: Int64 = 1_000_000_000

    init(seed: UInt64, loss: Double) throws {
      call = try TestCall(seed: seed, maximum: 1_000_000, start: 300_000)
      for way in [\TestCall.forth, \TestCall.back] {
        (call[keyPath: way].rate, call[keyPath: way].delay, call[keyPath: way].queue) = (1_000_000, 50_000_000, 960_000_000)
      }
      setLoss(loss)
    }

    func setLoss(_ loss: Double) { (call.forth.loss, call.back.loss) = (loss, loss) }

    func run(_ duration: Int64) throws {
      let start = call.now
      for index in 0..<(duration * 30 / Film.second) {
        let time = start + index * Film.second / 30
        call.run(until: time)
        guard call.sender.backlog(at: time) <= 300_000_000 else { continue }
        let isKey = call.here.keyFramesWanted > answered
        if isKey { (answered, keyFrames) = (call.here.keyFramesWanted, keyFrames + 1) }
        try call.send(isKey ? 15_000 : max(200, call.sender.target * 8 / 10 / 8 / 30), isKey: isKey, at: time)
      }
      call.run(until: start + duration)
    }
  }

  /// From the end of an outage of a second to the next picture, and key frames that were made for it.
  private func recoveries(loss: Double, _ seeds: ClosedRange<UInt64>) throws -> (times: [Int64], keyFrames: Int) {
    var (times, keyFrames): ([Int64], Int) = ([], 0)
    for seed in seeds {
      let film = try Film(seed: seed, loss: loss)
      try film.run(8 * Film.second + Int64(seed % 10) * 7_000_000)
      let before = film.keyFrames
      film.setLoss(1)
      try film.run(Film.second)
      film.setLoss(loss)
      let over = film.call.now
      try film.run(3 * Film.second)
      keyFrames += film.keyFrames - before
      times.append(try #require(film.call.there.pictures.first { $0.at > over }).at - over)
    }
    return (times.sorted(), keyFrames)
  }

  /// No key frame is asked for as long as one picture after the other is had again, however long that takes for all of them.
  @Test func withoutFurtherLossesNoKeyFrameIsMade() throws {
    let recoveries = try recoveries(loss: 0, 1...20)
    #expect(recoveries.times[10] < 260_000_000, "\(recoveries.times.map { $0 / 1_000_000 })")
    #expect(recoveries.keyFrames == 0)
  }

  @Test(arguments: [(0, 10, 260, 340, 0), (0.1, 30, 330, 700, 24)] as [(Double, UInt64, Int64, Int64, Int)])
  func whatWasLostInAnOutageIsHadAfterIt(_ loss: Double, _ calls: UInt64, _ middle: Int64, _ most: Int64, _ keyFrames: Int) throws {
    let recoveries = try recoveries(loss: loss, 1...calls)
    let times = recoveries.times
    #expect(times[times.count / 2] < middle * 1_000_000 && times[times.count - 1] < most * 1_000_000, "\(times.map { $0 / 1_000_000 })")
    #expect(recoveries.keyFrames <= keyFrames, "\(recoveries.keyFrames)")
  }

  /// The other end knows of nothing that came before the first packet it received, and asks for no packet of the key frame.
  @Test(arguments: 1...10 as ClosedRange<UInt64>) func aFirstKeyFrameThatWasLostIsMadeAnew(_ seed: UInt64) throws {
    let film = try Film(seed: seed, loss: 1)
    try film.run(Film.second / 3)
    film.setLoss(0)
    let over = film.call.now
    try film.run(3 * Film.second)
    let shown = try #require(film.call.there.pictures.first).at - over
    #expect(shown < Film.second * 3 / 5 && film.keyFrames == 2, "\(shown / 1_000_000) ms, \(film.keyFrames) key frames")
  }

  /// Of a picture that cannot be had again nobody waits for more than a moment, however seldom others come.
  @Test(arguments: [1, 4, 12, 30]) func aSilenceBetweenPicturesIsNoOutage(_ fps: Int64) throws {
    let call = try TestCall(seed: 1)
    let (start, interval) = (call.now, 1_000_000_000 / fps)
    for index in 0..<(3 * fps) {
      let isLost = index == 2 * fps
      if isLost { call.forth.loss = 1 }
      try call.send(500, isKey: index == 0, at: start + index * interval)
      call.run(until: call.now + interval / 2)
      if isLost {
        call.sender.sending[call.video].ring.drop(call.sender.sending[call.video].next - 1)
        call.forth.loss = 0
      }
    }
    let (pictures, found) = (call.there.pictures.count, call.now)
    #expect(pictures >= Int(2 * fps))
    while call.here.keyFramesWanted == 0, call.now < found + 5_000_000_000 { try call.send(500, isKey: false, at: call.now + interval) }
    #expect(call.now - start <= 3_000_000_000 + 2 * interval, "\((call.now - start) / 1_000_000) ms")
  }

  /// Its source goes on with reports, and so the stream goes on.
  @Test func aStreamThatIsSilentIsSeldomAskedForAKeyFrame() throws {
    let call = try TestCall(seed: 1)
    var asked: UInt64 { call.receiver.stats(receiving: SSRC(100))?.pliCount ?? 0 }
    // Nothing to begin with.
    try call.send(500, isKey: false, at: call.now)
    call.run(until: call.now + 2 * Film.second)
    // As often as of one that is slow to answer.
    #expect(asked >= 9, "\(asked)")
    for second in 2..<60 as Range<Int64> {
      let report = written {
        SenderReport(
          ssrc: SSRC(100), ntp: NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000 + second * Film.second),
          timestamp: RTPTimestamp(0), packetCount: 1, octetCount: 500
        ).write(to: &$0)
      }
      reading(report) { call.receiver.receive($0, now: call.now, call.there) }
      call.run(until: call.now + Film.second)
    }
    #expect(!call.there.events.contains(.streamEnded(SSRC(100))) && asked <= 30, "\(asked)")
    // The next packet shows that the sender is there.
    let before = asked
    try call.send(500, isKey: false, at: call.now)
    call.run(until: call.now + 150_000_000)
    #expect(asked == before + 1)
    call.run(until: call.now + Film.second)
    #expect(asked >= before + 4)
  }

  /// 150 kB at 200 kbit/s: however long a packet waited to leave, it is sent again when it is missed. Whoever asks meanwhile gets that. In one call of
  /// eight a packet is lost until it is too old, and another key frame is asked for: 5 of 40 seeds, at the times of reports of two ends and of a group.
  @Test func aKeyFrameThatTakesLongIsRepairedToItsEnd() throws {
    let failed = try (1...24 as ClosedRange<UInt64>).filter { try !isRepairedToItsEnd(seed: $0) }
    #expect(failed.count <= 5, "\(failed)")
  }

  private func isRepairedToItsEnd(seed: UInt64) throws -> Bool {
    var pacing = PacerBounds()
    (pacing.picture, pacing.leaving, pacing.budget) = (30_000_000_000, 30_000_000_000, nil)
    let call = try TestCall(seed: seed, maximum: 250_000, start: 150_000, pacing: pacing)
    (call.forth.rate, call.forth.loss, call.back.loss) = (200_000, 0.05, 0.05)
    call.run(until: call.now + 500_000_000)
    let (start, wanted) = (call.now, call.here.keyFramesWanted)
    try call.send(150_000, isKey: true, at: start)
    call.run(until: start + 12_000_000_000)
    guard let shown = call.there.pictures.first?.at, call.here.keyFramesWanted == wanted else { return false }
    return shown - start > 5_000_000_000 && shown - start < 10_000_000_000
  }

  @Test func aKeyFrameUnderWayIsNotMadeAgain() throws {
    let film = try Film(seed: 3, loss: 0)
    try film.run(2 * Film.second)
    let (call, wanted) = (film.call, film.call.here.keyFramesWanted)
    var isThere: Bool { call.there.pictures.contains { $0.bytes.count >= 300_000 } }
    // 300 kB wait for more than a second.
    try call.send(300_000, isKey: true, at: call.now)
    func ask() {
      withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { memory in
        var writer = PacketWriter(memory)
        ReceiverReport(ssrc: SSRC(7)).write(to: &writer)
        PictureLossIndication(sender: SSRC(7), media: SSRC(100)).write(to: &writer)
        call.sender.receive(writer.bytes, now: call.now, call.here)
      }
    }
    for _ in 0..<5 {
      call.run(until: call.now + 100_000_000)
      ask()
    }
    #expect(call.sender.pacer.count > 0 && call.here.keyFramesWanted == wanted)
    while call.sender.pacer.count > 0 { call.run(until: call.now + 10_000_000) }
    ask()
    #expect(call.here.keyFramesWanted == wanted)
    // The queue overflowed, and it is repaired; what is said a round trip after it came is not of it.
    let end = call.now + 20 * Film.second
    while !isThere, call.now < end { call.run(until: call.now + 10_000_000) }
    #expect(isThere && call.here.keyFramesWanted == wanted)
    call.run(until: call.now + 150_000_000)
    ask()
    #expect(call.here.keyFramesWanted == wanted + 1)
    let own = try #require(call.receiver.stats(receiving: SSRC(100))?.pliCount)
    #expect(call.sender.stats(sending: call.video)?.pliCount == 7 + own)
  }

  /// Sound without transport-wide numbers, as Janus agrees on it: no feedback speaks of it, wherever the numbers of pictures are, and it keeps no
  /// picture back.
  @Test(arguments: [0x10, 0x1F94, 0x7FF0, 0x9000, 0xFFF0] as [UInt16])
  func soundOfWhichNoFeedbackSpeaksStopsNoPictures(first: UInt16) throws {
    let call = try TestCall(seed: 1, maximum: 1_000_000, start: 300_000, numbersSound: false)
    call.sender.nextTransport = first
    // Sound begins when something is known of pictures.
    for index in 0..<30 as Range<Int64> { try call.send(1000, isKey: index == 0, at: 1_000_000_000 + index * Film.second / 30) }
    try call.film(seconds: 10)
    #expect(call.there.pictures.count > 300, "\(call.there.pictures.count)")
    #expect(call.there.sounds.count > 450 && call.sender.target > 900_000, "\(call.sender.target)")
    // Nothing comes back for a while.
    call.back.loss = 1
    try call.film(seconds: 3)
    call.back.loss = 0
    let before = call.there.pictures.count
    try call.film(seconds: 10)
    #expect(call.there.pictures.count > before + 240, "\(call.there.pictures.count - before)")
  }
}
