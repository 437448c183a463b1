import MediaCore
import Testing

@testable import MediaRTP

/// Sound and pictures of one sender whose ways differ.
@Suite struct LipSyncTests {
  private static let ms: Int64 = 1_000_000

  private func call(
    _ seed: UInt64, video: Int64 = 0, audio: Int64 = 0, jitter: Int64 = 10, longestHold: Int64 = 500, seconds: Int = 20
  ) throws -> TestCall {
    let call = try TestCall(seed: seed, maximum: 1_000_000, longestHold: longestHold * LipSyncTests.ms)
    call.forth.extra = [TestCall.vp8: video * LipSyncTests.ms, TestCall.opus: audio * LipSyncTests.ms]
    call.forth.jitter = jitter * LipSyncTests.ms
    try call.film(seconds: seconds)
    return call
  }

  /// For each picture of the second half, how much later than the sound of its time it came out.
  private func offsets(_ call: TestCall) throws -> [Int64] {
    try #require(call.there.soundTimes.count == call.sounds && call.there.lost == 0)
    var offsets: [Int64] = []
    var place = 0
    for picture in call.there.pictures {
      while place < call.pictures.count, call.pictures[place] != picture.bytes { place += 1 }
      try #require(place < call.pictures.count)
      let captured = call.pictureTimes[place]
      guard place > call.pictures.count / 2 else { continue }
      let sound = min(Int((captured - call.firstSound) / (20 * LipSyncTests.ms)), call.sounds - 1)
      let soundDelay = call.there.soundTimes[sound].at - call.firstSound - Int64(sound) * 20 * LipSyncTests.ms
      offsets.append(picture.at - captured - soundDelay)
    }
    return offsets.sorted()
  }

  @Test(arguments: [(1, 150, 0), (2, 0, 120), (3, 80, 0), (4, 0, 0)] as [(UInt64, Int64, Int64)])
  func theyComeOutTogether(_ seed: UInt64, _ video: Int64, _ audio: Int64) throws {
    let call = try call(seed, video: video, audio: audio)
    let offsets = try offsets(call)
    let within = offsets.filter { abs($0) <= 15 * LipSyncTests.ms }.count
    #expect(
      offsets.count > 250 && Double(within) >= 0.95 * Double(offsets.count), "\(within) of \(offsets.count): \(offsets[offsets.count / 2])")
    #expect(abs(offsets[offsets.count / 2]) < 8 * LipSyncTests.ms, "\(offsets[offsets.count / 2])")
  }

  @Test func withoutHoldingTheyDoNot() throws {
    let offsets = try offsets(try call(1, video: 150, longestHold: 0))
    #expect(offsets[offsets.count / 2] > 120 * LipSyncTests.ms)
  }

  /// Of those whom the other end passes on.
  @Test func peopleDoNotWaitForEachOther() throws {
    let call = try TestCall(seed: 10, maximum: 1_000_000)
    call.receiver.setPerson(1, of: SSRC(100))
    call.receiver.setPerson(2, of: SSRC(200))
    call.forth.extra = [TestCall.vp8: 150 * LipSyncTests.ms]
    try call.film(seconds: 8)
    #expect(call.receiver.receivingStream(SSRC(200))?.hold == 0)
    // It was one person after all.
    call.receiver.setPerson(2, of: SSRC(100))
    try call.film(seconds: 8)
    #expect(call.receiver.receivingStream(SSRC(200)).map { $0.hold > 100 * LipSyncTests.ms } == true)
  }

  @Test func noneIsHeldLongerThanAllowed() throws {
    let call = try call(5, video: 400, longestHold: 100)
    let offsets = try offsets(call)
    #expect(abs(offsets[offsets.count / 2] - 300 * LipSyncTests.ms) < 30 * LipSyncTests.ms, "\(offsets[offsets.count / 2])")
  }

  @Test func theDelayGrowsSlowlyAndGoesAgain() throws {
    let call = try call(6, jitter: 0, seconds: 6)
    call.forth.extra[TestCall.vp8] = 200 * LipSyncTests.ms
    try call.film(seconds: 12)
    let held = call.receiver.receivingStream(SSRC(200))?.hold ?? 0
    #expect(abs(held - 200 * LipSyncTests.ms) < 15 * LipSyncTests.ms, "\(held)")
    // Two packets of sound in a row are never farther apart than a packet, a step, and what one was on its way for longer than another: pictures
    // before it keep it waiting.
    let ways = zip(call.soundsArrived, call.soundsSent).map { $0 - $1 }
    let (least, most) = try (#require(ways.min()), #require(ways.max()))
    try #require(call.soundsArrived.count == call.sounds && most - least < 30 * LipSyncTests.ms)
    let times = call.there.soundTimes.map(\.at)
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    // But for the second between two films.
    #expect(gaps.filter { $0 > 28 * LipSyncTests.ms + most - least }.count <= 1, "\(gaps.sorted().suffix(5)), \(most - least)")
    call.forth.extra[TestCall.vp8] = 0
    // The quickest of ten seconds is what a way is measured by: it is quick at once.
    try call.film(seconds: 8)
    let left = call.receiver.receivingStream(SSRC(200))?.hold ?? .max
    #expect(left < 15 * LipSyncTests.ms, "\(left)")
  }

  @Test func whatIsLeftAloneIsHeldNoLonger() throws {
    let call = try call(9, video: 150, seconds: 8)
    #expect(call.receiver.receivingStream(SSRC(200)).map { $0.hold > 100 * LipSyncTests.ms } == true)
    reading(written { Goodbye.write(to: &$0, [SSRC(100)]) }) { call.receiver.receive($0, now: call.now, call.there) }
    for _ in 0..<200 {
      call.run(until: call.now + 20 * LipSyncTests.ms)
      try [0xF8, 1, 2].withUnsafeBytes {
        try call.sender.send(
          sound: $0, units: (call.now - call.firstSound) / 20_000_000 * 960, marker: false, on: call.audio, now: call.now)
      }
    }
    #expect(call.receiver.receivingStream(SSRC(200))?.hold == 0 && call.receiver.receivingStream(SSRC(100)) == nil)
  }

  @Test func theTimeOfTheCaptureIsTold() throws {
    let call = try call(7, video: 60)
    var place = 0
    for (index, picture) in call.there.pictures.enumerated() {
      while place < call.pictures.count, call.pictures[place] != picture.bytes { place += 1 }
      guard index > 200 else { continue }
      let captured = try #require(picture.captured)
      #expect(abs(captured - call.pictureTimes[place]) < 10 * LipSyncTests.ms, "\(captured - call.pictureTimes[place])")
    }
    for index in (call.sounds - 200)..<call.sounds {
      let captured = try #require(call.there.soundTimes[index].captured)
      #expect(abs(captured - call.firstSound - Int64(index) * 20 * LipSyncTests.ms) < 10 * LipSyncTests.ms)
    }
    // Nothing is known before the first report.
    #expect(call.there.pictures.first?.captured == nil)
  }

  @Test func whatWasCapturedEarlierIsSaidToBe() throws {
    let call = try TestCall(seed: 8)
    // Once it is known how long the way is, captures are as much earlier.
    var known: (before: Int, after: Int)?
    for index in 0..<900 where known.map({ call.there.pictures.count < $0.after + 60 }) ?? true {
      let before = call.there.pictures.count
      call.run(until: call.now + 33 * LipSyncTests.ms)
      if known == nil, call.receiver.smoothedRoundTrip != nil { known = (before, call.there.pictures.count) }
      let head: [UInt8] = [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0]
      // An encoder that takes 40 to 80 ms: the stamps are of the capture.
      let captured = call.now - Int64(40 + index % 5 * 10) * LipSyncTests.ms
      try head.withUnsafeBytes {
        try call.sender.send(
          $0, number: UInt16(index), units: captured / 1000 * 9 / 100, capturedAt: captured, on: call.video, now: call.now)
      }
    }
    let (before, after) = try #require(known)
    // Captures are as far apart as the stamps, whenever a report was made.
    for pictures in [call.there.pictures.prefix(before), call.there.pictures.dropFirst(after)] {
      let stamps = pictures.compactMap { picture in
        picture.captured.map { $0 - MediaTime.nanoseconds(fromUnits: picture.stamp, rate: 90_000) }
      }
      guard let (least, most) = stamps.min().flatMap({ least in stamps.max().map { (least, $0) } }) else { continue }
      #expect(most - least < 2 * LipSyncTests.ms, "\(most - least) of \(stamps.count)")
    }
    #expect(call.there.pictures.dropFirst(after).count { $0.captured != nil } >= 60)
  }
}
