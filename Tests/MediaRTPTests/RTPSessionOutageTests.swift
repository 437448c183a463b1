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

  /// From the end of an outage of a second to the next picture, for ten seeds; and key frames that were made for it.
  private func recoveries(loss: Double) throws -> (times: [Int64], keyFrames: Int) {
    var (times, keyFrames): ([Int64], Int) = ([], 0)
    for seed in UInt64(1)...10 {
      let film = try Film(seed: seed, loss: loss)
      try film.run(8 * Film.second + Int64(seed) * 7_000_000)
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

  @Test(arguments: [(0, 260, 340, 1), (0.1, 330, 700, 8)] as [(Double, Int64, Int64, Int)])
  func whatWasLostInAnOutageIsHadAfterIt(_ loss: Double, _ middle: Int64, _ most: Int64, _ keyFrames: Int) throws {
    let recoveries = try recoveries(loss: loss)
    #expect(recoveries.times[5] < middle * 1_000_000 && recoveries.times[9] < most * 1_000_000, "\(recoveries.times.map { $0 / 1_000_000 })")
    #expect(recoveries.keyFrames <= keyFrames, "\(recoveries.keyFrames)")
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

  @Test func aKeyFrameUnderWayIsNotMadeAgain() throws {
    let film = try Film(seed: 3, loss: 0)
    try film.run(2 * Film.second)
    let (call, wanted) = (film.call, film.call.here.keyFramesWanted)
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
    // What is said a round trip later may be of it.
    call.run(until: call.now + 150_000_000)
    ask()
    #expect(call.here.keyFramesWanted == wanted + 1)
    #expect(call.sender.stats(sending: call.video)?.pliCount == 7)
  }
}
