import CMediaSDK
import Glibc
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct OutgoingAudioSendingTests {
  private let reports = Journal<FrameReport>()

  private var completion: Completion { .closure { [reports] in reports.add($0) } }

  // MARK: What is accepted

  @Test func aBufferHasItsSize() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.sound { $0.channels = 2 })
    for size in [0, 1, 3839, 3841, 7680] {
      let bytes = [UInt8](repeating: 0, count: size)
      let error = failure { try bytes.withUnsafeBytes { try stream.send($0) } }
      #expect(error?.status == .invalid)
      #expect(error?.text == "size is \(size); accepted: 3840 bytes, 960 samples of 4 bytes")
    }
    #expect(stream.stats.counters.offered == 0)
    #expect(stream.buffersHeld == 0)
  }

  @Test func bytesOfAnyAlignmentAreCopied() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound { $0.sampleFormat = .f32 })
    var bytes = [UInt8](repeating: 0, count: 3841)
    bytes.withUnsafeMutableBytes { bytes in
      for index in 0..<960 { bytes.storeBytes(of: Float(index) / 1000, toByteOffset: 1 + index * 4, as: Float.self) }
    }
    try bytes.withUnsafeBytes { try stream.send(UnsafeRawBufferPointer(rebasing: $0[1...])) }
    _ = bytes.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    let ramp = (0..<960).map { Float($0) / 1000 }
    #expect(incoming.heard().map(\.samples) == [ramp])
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func whatIsNoNumberIsNamed(value: Float) throws {
    let call = try Call("\(#function) \(value)").connect()
    let stream = try call.startSound(Make.sound { $0.sampleFormat = .f32 })
    let error = failure { try stream.send { $0 == 417 || $0 == 900 ? value : 0.5 } }
    #expect(error?.status == .invalid)
    #expect(error?.text == "sample 417 of data is \(value); accepted: finite numbers")
    #expect(stream.stats.counters.offered == 0)
    #expect(stream.buffersHeld == 0)
    try stream.sendLevel(3)
  }

  // MARK: Time

  @Test func timeIsTheCallersOrGoesOn() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound()
    let start = call.engine.now()
    try stream.sendLevel()
    // A little late and a little early is still where the one before ended.
    try call.advance(23 * millisecond)
    try stream.sendLevel()
    try call.advance(15 * millisecond)
    try stream.sendLevel()
    try call.advance(20 * millisecond)
    try stream.sendLevel(timestamp: start + 45 * millisecond)
    try call.advance(20 * millisecond)
    try stream.sendLevel()
    try call.advance(300 * millisecond)
    try stream.sendLevel()
    let stamps = incoming.heard().map { $0.timestamp - start }
    #expect(stamps == [-20, 0, 20, 45, 65, 358].map { $0 * millisecond })
  }

  @Test func timeCountsSamples() throws {
    let call = try Call().connect()
    // 9.977 ms each.
    let (stream, incoming) = try call.sound(Make.sound { ($0.sampleRate, $0.bufferMilliseconds) = (22_050, 10) })
    let start = call.engine.now()
    for index in 0..<2000 as Range<Int64> {
      try call.advance(start + index * 220 * second / 22_050 - call.engine.now())
      try stream.sendLevel()
    }
    try call.advance(second)
    let heard = incoming.heard()
    #expect(heard.count == 50, "the queue of 500 ms keeps the newest")
    let last = try #require(heard.last)
    #expect(abs(last.timestamp - start - 1998 * 220 * second / 22_050) <= 1)
  }

  /// What a microphone's buffer holds was captured while it was filled, after pauses too, and whatever its length.
  @Test(arguments: [10, 20, 100] as [UInt32]) func liveSoundIsAsOldAsItsBuffer(length: UInt32) throws {
    let call = try Call("\(#function) \(length)").connect()
    let (stream, incoming) = try call.sound(Make.sound { $0.bufferMilliseconds = length })
    let duration = Int64(length) * millisecond
    var (written, heard): ([Int64], [Int64]) = ([], [])
    for index in 0..<60 {
      try call.advance(duration + (index % 10 == 9 ? 450 * millisecond : 0))
      written.append(call.engine.now())
      try stream.sendLevel()
      heard += incoming.heard().map(\.timestamp)
    }
    try call.advance(200 * millisecond)
    heard += incoming.heard().map(\.timestamp)
    #expect(heard == written.map { $0 - duration })
  }

  @Test func backwardsGoesOn() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound()
    let start = call.engine.now()
    for stamp in [start, start - 1, start - 1 + 20 * millisecond] {
      try stream.sendLevel(timestamp: stamp)
      try call.advance(20 * millisecond)
    }
    #expect(incoming.heard().map(\.timestamp) == [0, 20, 40].map { start + $0 * millisecond })
  }

  @Test(arguments: [Int64.max, .max - 1, .min, .min + 1])
  func timesBeyondReasonDoNotTrap(stamp: Int64) throws {
    let call = try Call("\(#function) \(stamp)").connect()
    let (stream, _) = try call.sound()
    let mix = try call.bert.mixedAudio()
    try mix.start()
    try call.advance()
    for _ in 0..<3 {
      _ = failure { try stream.sendLevel(timestamp: stamp) }
      _ = failure { try stream.sendLevel() }
      try call.advance(100 * millisecond)
    }
    #expect(stream.state == .started)
  }

  // MARK: Pace

  @Test func aBurstLeavesInRealTime() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound { $0.queueMilliseconds = 2000 })
    let times = Journal<Int64>()
    let engine = call.engine
    let start = engine.now()
    incoming.setFrameCallback { _ in times.add(engine.now() - start) }
    for _ in 0..<50 { try stream.sendLevel() }
    #expect(stream.queued == 48 * 20 * millisecond)
    #expect(stream.stats.queued == stream.queued)
    try call.advance(400 * millisecond)
    #expect(stream.queued == 28 * 20 * millisecond)
    try call.advance(2 * second)
    #expect(stream.queued == 0)
    #expect(times.entries.count == 50)
    // One may be early.
    for (index, time) in times.entries.enumerated() {
      let due = max(0, Int64(index - 1)) * 20 * millisecond
      #expect(abs(time - due) < millisecond, "buffer \(index) at \(time)")
    }
  }

  @Test func soundOfTheMomentPassesAtOnce() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound(), Make.hearing { $0.queueMilliseconds = 60_000 })
    for index in 0..<500 {
      try stream.sendLevel(completion: completion)
      #expect(reports.entries.count == index + 1)
      // Two parts in ten thousand fast.
      try call.advance(20 * millisecond - 4000)
    }
    #expect(incoming.heard().count == 500)
    #expect(stream.queued == 0)
  }

  /// Nothing for 460 ms, then what was captured meanwhile, with its times.
  @Test func aSourceThatWasHeldUpIsInTimeAgain() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound())
    let ages = Journal<Int64>()
    let engine = call.engine
    incoming.setFrameCallback { ages.add(engine.now() - $0.timestamp) }
    let start = engine.now()
    for index in 0..<200 as Range<Int64> {
      let isHeldUp = (50..<72).contains(index)
      try call.advance(isHeldUp ? 0 : index == 72 ? 460 * millisecond : 20 * millisecond)
      if isHeldUp { continue }
      for late in (index == 72 ? 50 : index)...index { try stream.sendLevel(timestamp: start + late * 20 * millisecond) }
    }
    try call.advance(100 * millisecond)
    #expect(ages.entries.count == 200)
    #expect(ages.entries.suffix(100).allSatisfy { $0 == 20 * millisecond }, "\(ages.entries.suffix(100).max() ?? 0)")
    #expect(stream.stats.caughtUp >= 300 * millisecond)
  }

  /// A busy machine: nothing for 120 ms. The packets go on from one another, without a silence between them.
  @Test func packetsOfASourceThatIsLateGoOn() throws {
    let call = try Call().connect()
    let (stream, _) = try call.sound(Make.opus())
    let times = Journal<Int64>()
    try stream.setEncodedCallback { times.add($0.native.pointee.timestamp_ns) }
    let start = call.engine.now()
    for index in 0..<20 as Range<Int64> {
      try call.advance(index == 10 ? 120 * millisecond : (11..<16).contains(index) ? 0 : 20 * millisecond)
      try stream.sendLevel(timestamp: start + index * 20 * millisecond)
    }
    try call.advance(50 * millisecond)
    #expect(times.entries.count == 20)
    #expect(zip(times.entries, times.entries.dropFirst()).allSatisfy { $1 - $0 == 20 * millisecond }, "\(times.entries)")
    try call.advance(300 * millisecond)
    #expect(times.entries.count == 21)
  }

  /// 60 ms of sound every 60 ms. The packets go on from one another, however late the last ones leave.
  @Test(arguments: [false, true]) func packetsOfASourceThatHandsOverSeveralBuffersGoOn(hasTimes: Bool) throws {
    let call = try Call("\(#function) \(hasTimes)").connect()
    let (stream, _) = try call.sound(Make.opus())
    let times = Journal<Int64>()
    try stream.setEncodedCallback { times.add($0.native.pointee.timestamp_ns) }
    let start = call.engine.now()
    for index in 0..<30 as Range<Int64> {
      if index % 3 == 0 { try call.advance(60 * millisecond) }
      try stream.sendLevel(timestamp: hasTimes ? start + index * 20 * millisecond : 0)
    }
    try call.advance(50 * millisecond)
    #expect(times.entries.count == 30)
    #expect(
      zip(times.entries, times.entries.dropFirst()).allSatisfy { abs($1 - $0 - 20 * millisecond) < millisecond / 2 }, "\(times.entries)")
    try call.advance(300 * millisecond)
    #expect(times.entries.count == 31)
  }

  /// The same without times, which the SDK makes: it shows by what is written.
  @Test(arguments: [false, true]) func aSourceWithoutTimesThatWasHeldUpIsInTimeAgain(isEncoded: Bool) throws {
    let call = try Call("\(#function) \(isEncoded)").connect()
    let (stream, incoming) = try call.sound(isEncoded ? Make.opus() : Make.sound())
    let ages = Journal<Int64>()
    let engine = call.engine
    incoming.setFrameCallback { ages.add(engine.now() - $0.timestamp) }
    for index in 0..<200 as Range<Int64> {
      let isHeldUp = (50..<72).contains(index)
      try call.advance(isHeldUp ? 0 : index == 72 ? 460 * millisecond : 20 * millisecond)
      if isHeldUp { continue }
      for _ in (index == 72 ? 50 : index)...index { try stream.sendLevel() }
    }
    try call.advance(100 * millisecond)
    let usual = ages.entries.prefix(40).max() ?? 0
    #expect(ages.entries.count >= 200 && usual <= 30 * millisecond, "\(ages.entries.count), \(usual)")
    #expect(ages.entries.suffix(100).allSatisfy { $0 <= usual }, "\(ages.entries.suffix(100).max() ?? 0)")
    #expect(stream.stats.caughtUp >= 300 * millisecond)
  }

  /// Later than a silence was sent that ends what was heard: what is received then is as long as it took to capture, silence and all.
  @Test(arguments: [false, true], [220, 260, 460, 900] as [Int64])
  func packetsOfASourceThatWasHeldUpAreNoLongerThanTheirTime(hasTimes: Bool, stall: Int64) throws {
    let call = try Call("\(#function) \(hasTimes) \(stall)").connect()
    let (stream, incoming) = try call.sound(Make.opus { $0.queueMilliseconds = 2000 }, Make.hearing { $0.queueMilliseconds = 60_000 })
    let engine = call.engine
    let packets = Journal<Int64>()
    let ages = Journal<Int64>()
    incoming.setFrameCallback { ages.add(engine.now() - $0.timestamp) }
    try stream.setEncodedCallback { packets.add($0.native.pointee.timestamp_ns) }
    let start = engine.now()
    let last = 50 + stall / 20 - 1
    for index in 0..<200 as Range<Int64> {
      let isHeldUp = (50..<last).contains(index)
      try call.advance(isHeldUp ? 0 : index == last ? stall * millisecond : 20 * millisecond)
      if isHeldUp { continue }
      for late in (index == last ? 50 : index)...index { try stream.sendLevel(timestamp: hasTimes ? start + late * 20 * millisecond : 0) }
    }
    try call.advance(100 * millisecond)
    let steps = zip(packets.entries, packets.entries.dropFirst()).map { $1 - $0 }
    #expect(packets.entries.count >= 199 && steps.allSatisfy { abs($0 - 20 * millisecond) < millisecond / 2 }, "\(steps.min() ?? 0)")
    let usual = ages.entries.prefix(40).max() ?? 0
    #expect(usual <= 30 * millisecond && ages.entries.suffix(100).allSatisfy { $0 <= usual }, "\(ages.entries.suffix(100).max() ?? 0)")
    #expect(incoming.stats.counters.concealed == 0)
  }

  /// The same in the mix of who hears it: three seconds later it is as old as before.
  @Test(arguments: [false, true], [false, true]) func theMixIsInTimeAgain(isEncoded: Bool, hasTimes: Bool) throws {
    let call = try Call("\(#function) \(isEncoded) \(hasTimes)").connect()
    let (stream, incoming) = try call.sound(isEncoded ? Make.opus() : Make.sound(), Make.hearing { $0.queueMilliseconds = 60_000 })
    let mix = try call.bert.mixedAudio()
    try mix.start(Make.hearing { $0.queueMilliseconds = 60_000 })
    let start = call.engine.now()
    var tone = ToneSender(stream)
    var usual: Int64 = 0
    for index in 0..<100 + 23 + 150 as Range<Int64> {
      let isHeldUp = (100..<122).contains(index)
      try call.advance(isHeldUp ? 0 : index == 122 ? 460 * millisecond : 20 * millisecond)
      if isHeldUp { continue }
      if index == 99 { usual = incoming.stats.kept }
      for late in (index == 122 ? 100 : index)...index { try tone.send(timestamp: hasTimes ? start + late * 20 * millisecond : 0) }
      if index == 130 { #expect(incoming.stats.kept > usual + 350 * millisecond, "\(incoming.stats.kept)") }
    }
    #expect(incoming.stats.kept <= usual + 20 * millisecond, "\(incoming.stats.kept), usually \(usual)")
    #expect(incoming.stats.late > 300 * 48)
  }

  /// What begins after a pause and goes on for longer than that is written for later: it has just begun, and leaves in real time.
  @Test func speechAfterAPauseIsOfNow() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound { $0.queueMilliseconds = 2000 }, Make.hearing { $0.queueMilliseconds = 60_000 })
    for count in [1, 10, 50] as [Int64] {
      try call.advance(400 * millisecond)
      for _ in 0..<20 {
        try stream.sendLevel()
        try call.advance(20 * millisecond)
      }
      try call.advance(400 * millisecond)
      _ = incoming.heard()
      let begin = call.engine.now() - 20 * millisecond
      for _ in 0..<count { try stream.sendLevel() }
      try call.advance(count * 20 * millisecond + 40 * millisecond)
      #expect(incoming.heard().map { $0.timestamp - begin } == (0..<count).map { $0 * 20 * millisecond }, "\(count) buffers")
    }
    #expect(stream.stats.caughtUp == 0)
  }

  @Test func aFullQueueSaysAgainAndRoomComes() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.sound { $0.queueMilliseconds = 100 })
    for _ in 0..<7 { try stream.sendLevel(completion: completion) }
    #expect(stream.queued == 100 * millisecond)
    let error = failure { try stream.sendLevel(completion: completion) }
    #expect(error?.status == .again)
    #expect(error?.text.contains("100 ms") == true)
    #expect(stream.stats.counters.offered == 7)
    try call.advance(20 * millisecond)
    try stream.sendLevel(completion: completion)
    #expect(failure { try stream.sendLevel(completion: completion) }?.status == .again)
    try call.advance(second)
    #expect(reports.entries.map(\.sequence) == Array(1...8))
    #expect(stream.buffersHeld == 0)
  }

  @Test func aBufferAsLongAsTheQueueHasItsPlace() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.sound { ($0.bufferMilliseconds, $0.queueMilliseconds) = (100, 100) })
    for _ in 0..<3 { try stream.sendLevel() }
    #expect(stream.queued == 100 * millisecond)
    #expect(failure { try stream.sendLevel() }?.status == .again)
  }

  @Test func roomIsWaitedForUntilTheDeadline() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.sound { $0.queueMilliseconds = 20 })
    for _ in 0..<3 { try stream.sendLevel() }
    #expect(failure { try stream.sendLevel(deadline: Deadline.after(milliseconds: 20)) }?.status == .timeout)
    let results = Journal<Status?>()
    let sender = OSThread {
      results.add(failure { try stream.sendLevel(deadline: Deadline.after(milliseconds: 60_000)) }?.status)
    }
    while stream.guarded.withLock({ $0.waiters == 0 }) { sched() }
    try call.advance(20 * millisecond)
    sender.join()
    #expect(results.entries == [nil])
    #expect(stream.stats.counters.offered == 4)
  }

  @Test func whoWaitsForRoomIsToldOfTheStop() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.sound { $0.queueMilliseconds = 20 })
    for _ in 0..<3 { try stream.sendLevel() }
    let results = Journal<Status?>()
    let sender = OSThread {
      results.add(failure { try stream.sendLevel(deadline: Deadline.after(milliseconds: 60_000)) }?.status)
    }
    while stream.guarded.withLock({ $0.waiters == 0 }) { sched() }
    try call.anna.stop(stream)
    sender.join()
    #expect(results.entries == [.state])
    #expect(stream.buffersHeld == 0)
  }

  // MARK: The end of what was sent

  @Test func flushThrowsAwayWhatWaits() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound()
    for _ in 0..<10 { try stream.sendLevel(completion: completion) }
    stream.flush()
    #expect(stream.queued == 0)
    #expect(reports.entries.map(\.sequence) == Array(1...10))
    #expect(reports.entries.map(\.reason) == [.none, .none] + Array(repeating: .flushed, count: 8))
    stream.flush()
    try call.advance(200 * millisecond)
    #expect(incoming.heard().count == 2)
    let now = call.engine.now()
    try stream.sendLevel()
    // Captured just now, and not for when what was thrown away would have been over.
    #expect(incoming.heard().map(\.timestamp) == [now - 20 * millisecond])
    #expect(stream.buffersHeld == 0)
  }

  @Test func playedIsWhenTheLastSampleWasDue() throws {
    let call = try Call().connect()
    let stream = try call.startSound()
    try stream.waitPlayed(deadline: Deadline.after(milliseconds: 60_000))
    for _ in 0..<10 { try stream.sendLevel() }
    #expect(failure { try stream.waitPlayed(deadline: Deadline.after(milliseconds: 10)) }?.status == .timeout)
    try call.advance(190 * millisecond)
    var end = 190
    while failure({ try stream.waitPlayed(deadline: Deadline.after(milliseconds: 1)) }) != nil, end < 300 {
      try call.advance(millisecond)
      end += 1
    }
    #expect((199...201).contains(end), "\(end) ms")
  }

  @Test func anotherThreadWaitsForTheEnd() throws {
    let call = try Call().connect()
    let stream = try call.startSound()
    for _ in 0..<10 { try stream.sendLevel() }
    let results = Journal<Status?>()
    let waiter = OSThread {
      results.add(failure { try stream.waitPlayed(deadline: Deadline.after(milliseconds: 60_000)) }?.status)
    }
    while stream.guarded.withLock({ $0.waiters == 0 }) { sched() }
    try call.advance(190 * millisecond)
    #expect(results.entries.isEmpty)
    // Whoever wakes late finds more time gone by; a second is more than enough.
    for _ in 0..<100 where results.entries.isEmpty {
      try call.advance(10 * millisecond)
      usleep(1000)
    }
    waiter.join()
    #expect(results.entries == [nil])
  }

  @Test func whoWaitsForTheEndIsToldOfTheStop() throws {
    let call = try Call().connect()
    let stream = try call.startSound()
    for _ in 0..<10 { try stream.sendLevel() }
    let results = Journal<Status?>()
    let waiter = OSThread {
      results.add(failure { try stream.waitPlayed(deadline: Deadline.after(milliseconds: 60_000)) }?.status)
    }
    while stream.guarded.withLock({ $0.waiters == 0 }) { sched() }
    try call.anna.stop(stream)
    waiter.join()
    #expect(results.entries == [.closed])
  }

  // MARK: Muting and gain

  @Test func mutingFadesWithinOneBuffer() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound { $0.sampleFormat = .f32 })
    func send(_ count: Int) throws {
      for _ in 0..<count {
        try stream.sendLevel(0.5, completion: completion)
        try call.advance(20 * millisecond)
      }
    }
    try send(2)
    stream.setMuted(true)
    try send(4)
    stream.setMuted(false)
    try send(2)
    let heard = incoming.heard()
    #expect(reports.entries.map(\.reason) == [.none, .none, .none, .muted, .muted, .muted, .none, .none])
    #expect(heard.map(\.sequence) == [1, 2, 3, 7, 8])
    let out = try #require(heard.first { $0.sequence == 3 }).samples
    let back = try #require(heard.first { $0.sequence == 7 }).samples
    #expect(out[0] == 0.5 && out[959] < 0.001)
    #expect(back[0] == 0 && back[959] > 0.499)
    for samples in [out, back] {
      #expect(zip(samples, samples.dropFirst()).allSatisfy { abs($0 - $1) < 0.5 / 950 })
    }
    #expect(heard.last?.samples.allSatisfy { $0 == 0.5 } == true)
    #expect(stream.stats.counters.dropped == 3)
    // On the receiver's side the pause is no loss.
    #expect(incoming.stats.counters.lost == 0)
  }

  @Test func gainIsReachedWithoutAStep() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound { $0.channels = 2 })
    try stream.sendLevel(0.25)
    try stream.setGain(2)
    for _ in 0..<2 {
      try call.advance(20 * millisecond)
      try stream.sendLevel(0.25)
    }
    try stream.setGain(8)
    try call.advance(20 * millisecond)
    try stream.sendLevel(0.25)
    let heard = incoming.heard()
    #expect(heard[0].samples.allSatisfy { $0 == 0.25 })
    #expect(heard[1].samples[0] == 0.25 && abs(heard[1].samples[1919] - 0.5) < 0.001)
    #expect(zip(heard[1].left, heard[1].left.dropFirst()).allSatisfy { $1 >= $0 && $1 - $0 < 0.001 })
    #expect(heard[2].samples.allSatisfy { $0 == 0.5 })
    // s16 is clipped, never wrapped.
    #expect(heard[3].samples.allSatisfy { $0 >= 0.499 })
    #expect(heard[3].samples[1919] == 32767.0 / 32768)
    #expect(heard[2].level == 6)
    #expect(stream.stats.gain == 8)
  }

  // MARK: Reports

  @Test func everyBufferGetsOneReportThatIsTrue() throws {
    let call = try Call().connect()
    let stream = try call.startSound()
    func send() throws {
      try stream.sendLevel(completion: completion)
      try call.advance(20 * millisecond)
    }
    try send()
    let incoming = try #require(call.bert.incomingAudios.first)
    try incoming.start()
    try send()
    try call.script(NetworkScript.Step(isDisconnected: true))
    try send()
    try call.script()
    try call.advance()
    stream.setMuted(true)
    try send()
    try send()
    stream.setMuted(false)
    incoming.stop()
    try send()
    for _ in 0..<4 { try stream.sendLevel(completion: completion) }
    stream.flush()
    for _ in 0..<2 { try stream.sendLevel(completion: completion) }
    try call.anna.stop(stream)
    #expect(reports.entries.map(\.sequence).sorted() == Array(1...12))
    let reasons = reports.entries.sorted { $0.sequence < $1.sequence }.map(\.reason)
    #expect(reasons[..<6] == [.noReceiver, .none, .notConnected, .none, .muted, .noReceiver])
    #expect(reasons[6...].allSatisfy { [.noReceiver, .flushed, .stopped].contains($0) })
    #expect(reasons.suffix(2) == [.stopped, .stopped])
    #expect(reports.entries.filter { $0.outcome == .sent }.allSatisfy { $0.bytes == 1920 })
    let counters = stream.stats.counters
    #expect(counters.offered == 12 && counters.sent + counters.dropped == 12)
    #expect(counters.bytesSent == counters.sent * 1920)
    #expect(stream.allReports().isEmpty)
    #expect(stream.buffersHeld == 0)
  }

  @Test func aReportCanBeReadInstead() throws {
    let call = try Call().connect()
    let (stream, _) = try call.sound(Make.sound { $0.reportCapacity = 2 })
    for _ in 0..<3 {
      try stream.sendLevel()
      try call.advance(20 * millisecond)
    }
    try stream.sendLevel(completion: completion)
    #expect(stream.stats.reportsDropped == 1)
    #expect(stream.allReports().map(\.sequence) == [2, 3])
    #expect(reports.entries.map(\.sequence) == [4])
  }

  @Test func theNetworksQueueIsToldApartFromOurs() throws {
    let call = try Call()
    try call.script(NetworkScript.Step(bandwidth: 400_000, queue: 100 * millisecond))
    _ = try call.connect()
    let (stream, incoming) = try call.sound()
    // 768,000 bits a second do not go through.
    for _ in 0..<100 {
      try stream.sendLevel(completion: completion)
      try call.advance(20 * millisecond)
    }
    try call.advance(second)
    let dropped = reports.entries.filter { $0.reason == .network }.count
    #expect((40...55).contains(dropped), "\(dropped)")
    #expect(incoming.stats.counters.received == UInt64(100 - dropped))
    _ = incoming.heard()
    #expect(stream.buffersHeld == 0)
  }

  @Test func completionsMaySend() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound()
    let reports = self.reports
    try stream.sendLevel(
      completion: .closure { report in
        reports.add(report)
        for _ in 0..<3 {
          let error = failure { try stream.sendLevel(completion: .closure { reports.add($0) }) }
          #expect(error == nil)
        }
        // Those inside wait their turn.
        #expect(reports.entries.count == 1)
      })
    #expect(reports.entries.map(\.sequence) == [1, 2])
    try call.advance(200 * millisecond)
    #expect(reports.entries.map(\.sequence) == [1, 2, 3, 4])
    #expect(incoming.heard().map(\.sequence) == [1, 2, 3, 4])
  }

  @Test func aChainOfCompletionsPlaysOn() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.sound(), Make.hearing { $0.queueMilliseconds = 60_000 })
    final class Chain: Sendable {
      let left = Monitor(200)
      func next(_ stream: OutgoingAudio) {
        guard
          left.withLock({ left in
            left -= 1
            return left >= 0
          })
        else { return }
        try? stream.sendLevel(completion: .closure { _ in self.next(stream) })
      }
    }
    Chain().next(stream)
    try call.advance(2 * second)
    #expect((98...103).contains(incoming.heard().count))
    try call.advance(3 * second)
    #expect(stream.stats.counters.sent == 200)
  }

  @Test(arguments: ["stop", "close", "flush", "mute", "disconnect", "session", "engine"])
  func completionsMayEndTheirStream(_ ending: String) throws {
    let call = try Call("\(#function) \(ending)").connect()
    let (stream, incoming) = try call.sound()
    let (reports, anna, engine) = (self.reports, call.anna, call.engine)
    for index in 0..<6 {
      try stream.sendLevel(
        completion: .closure { report in
          reports.add(report)
          guard index == 2 else { return }
          switch ending {
          case "stop": try? anna.stop(stream)
          case "close": stream.close()
          case "flush": stream.flush()
          case "mute": stream.setMuted(true)
          case "disconnect": anna.disconnect()
          case "session": anna.close()
          default: engine.close()
          }
        })
    }
    #expect(reports.entries.count == 2)
    _ = failure { try call.advance(second) }
    #expect(reports.entries.map(\.sequence).sorted() == Array(1...6))
    _ = incoming.heard()
    #expect(stream.buffersHeld == 0)
    #expect(stream.stats.counters.offered == 6)
    #expect(stream.stats.counters.sent + stream.stats.counters.dropped == 6)
  }

  @Test func stoppingReportsWhatWaits() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound()
    for _ in 0..<10 { try stream.sendLevel(completion: completion) }
    try call.anna.stop(stream)
    #expect(reports.entries.map(\.reason) == [.none, .none] + Array(repeating: .stopped, count: 8))
    try call.advance(second)
    #expect(reports.entries.count == 10)
    #expect(incoming.heard().count == 2)
    #expect(stream.buffersHeld == 0)
  }

  // MARK: Packets of the program's own

  @Test func packetsPassAsTheyAre() throws {
    let call = try Call().connect()
    let packets = try OpusPackets.tone(count: 5)
    defer { packets.release() }
    let (stream, incoming) = try call.sound(Make.opus { $0.isEncodedInput = true }, Make.hearing { $0.output = .encoded })
    #expect(failure { try stream.sendLevel() }?.status == .state)
    for packet in packets.all {
      try stream.send(packet, completion: completion)
      try call.advance(20 * millisecond)
    }
    for packet in packets.all {
      let received = try incoming.readEncoded(deadline: 0)
      #expect(received.bytes.elementsEqual(packet.bytes))
      received.release()
    }
    #expect(reports.entries.map(\.outcome) == Array(repeating: .sent, count: 5))
    #expect(reports.entries.map(\.bytes) == packets.all.map { UInt64($0.bytes.count) })
    #expect(stream.stats.counters.packets == 5)
    #expect(stream.buffersHeld == 0)
  }

  @Test func packetsThatAreNoneAreRefused() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.opus { $0.isEncodedInput = true })
    let vp8 = try Make.encoded([1, 2, 3])
    defer { vp8.release() }
    #expect(failure { try stream.send(vp8) }?.status == .format)
    // Two frames of equal length cannot be one byte.
    let broken = try Make.encoded([0x01, 7], codec: UInt32(MSDK_CODEC_OPUS))
    defer { broken.release() }
    #expect(failure { try stream.send(broken) }?.status == .corrupt)
    let raw = try call.startSound()
    #expect(failure { try raw.send(broken) }?.status == .state)
    #expect(stream.stats.counters.offered == 0)
  }
}
