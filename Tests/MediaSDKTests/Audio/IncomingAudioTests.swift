import CMediaSDK
import Glibc
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct IncomingAudioTests {
  // MARK: States

  @Test func theStatesAreTold() throws {
    let call = try Call().connect()
    let outgoing = try call.startSound()
    let incoming = try #require(call.bert.incomingAudios.first)
    #expect(incoming.state == .available && incoming.userID == "anna" && !incoming.isMix)
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .state)
    incoming.stop()
    _ = call.events(call.bert)
    try incoming.start()
    #expect(failure { try incoming.start() }?.status == .state)
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .timeout)
    try call.advance()
    #expect(outgoing.stats.receivers == 1)
    incoming.stop()
    incoming.stop()
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .closed)
    try call.advance()
    #expect(outgoing.stats.receivers == 0)
    try incoming.start()
    try call.advance()
    try outgoing.sendLevel()
    #expect(incoming.heard().count == 1)
    try call.anna.stop(outgoing)
    try call.advance()
    let states = ["started", "stopping", "stopped", "started", "notAvailable"].map { "incoming sound \($0)" }
    #expect(call.events(call.bert) == states + ["sound removed, notAvailable"])
    #expect(failure { try incoming.start() }?.status == .closed)
  }

  @Test func whatCannotBeIsRefused() throws {
    let call = try Call().connect()
    _ = try call.startSound()
    let incoming = try #require(call.bert.incomingAudios.first)
    let refusals: [(Status, String, (inout IncomingAudioOptions) -> Void)] = [
      (.range, "options.sample_rate is 8000; accepted: 16000", { $0.sampleRate = 8000 }),
      (.range, "options.channels is 3; accepted: 1, 2", { $0.channels = 3 }),
      (.range, "options.buffer_ms is 5; accepted: 10, 20", { $0.bufferMilliseconds = 5 }),
      (.range, "options.queue_ms is 19; accepted: 20..60000", { $0.queueMilliseconds = 19 }),
      (.unsupported, "options.queue_policy is MSDK_POLICY_WAIT; accepted: MSDK_POLICY_DROP_OLDEST", { $0.queuePolicy = .wait }),
      (.unsupported, "options.output asks for encoded packets; this stream is sent raw", { $0.output = .encoded })
    ]
    for (status, words, change) in refusals {
      let error = failure { try incoming.start(Make.hearing(change)) }
      #expect(error?.status == status)
      #expect(error?.text.contains(words) == true, "\(error?.text ?? "nothing")")
    }
    #expect(incoming.state == .available)
    #expect(failure { try incoming.setGain(8.5) }?.status == .range)
  }

  // MARK: Raw

  @Test func rawSoundPassesByReference() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound()
    let carl = try call.join("carl")
    let other = try #require(carl.incomingAudios.first)
    try other.start()
    try call.advance()
    try outgoing.sendLevel(0.5)
    let frames = try [incoming, other].map { try $0.read(deadline: 0) }
    #expect(frames[0].bytes.baseAddress == frames[1].bytes.baseAddress)
    #expect(frames[0].references == 1)
    #expect(!frames[0].native.pointee.isWritable)
    #expect(frames[0].native.pointee.level == 6)
    frames[1].release()
    call.engine.close()
    #expect(frames[0].references == 1)
    #expect(frames[0].s16.allSatisfy { $0 == 16384 })
    frames[0].release()
    #expect(outgoing.buffersHeld == 0)
  }

  @Test func soundIsConvertedAsWanted() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound(
      Make.sound { $0.sampleRate = 44_100 },
      Make.hearing { ($0.sampleRate, $0.channels, $0.sampleFormat, $0.bufferMilliseconds) = (16_000, 2, .f32, 10) })
    var tone = ToneSender(outgoing)
    for _ in 0..<20 {
      try tone.send()
      try call.advance(20 * millisecond)
    }
    let heard = incoming.heard()
    #expect((38...40).contains(heard.count))
    #expect(heard.allSatisfy { $0.count == 160 && $0.format.sampleFormat == .f32 && $0.format.channels == 2 })
    #expect(heard.allSatisfy { $0.format.sampleRate == 16_000 })
    for (one, next) in zip(heard, heard.dropFirst()) { #expect(abs(next.timestamp - one.timestamp - 10 * millisecond) <= 1) }
    let samples = heard.flatMap(\.left)
    #expect(abs((samples.dropFirst(320).map { $0 * $0 }.reduce(0, +) / Float(samples.count - 320)).squareRoot() - 0.4 / sqrtf(2)) < 0.01)
  }

  @Test(arguments: [QueuePolicy.dropOldest, .dropNewest])
  func aQueueThatNobodyReadsIsBounded(policy: QueuePolicy) throws {
    let call = try Call("\(#function) \(policy)").connect()
    let (outgoing, incoming) = try call.sound(Make.sound(), Make.hearing { ($0.queueMilliseconds, $0.queuePolicy) = (100, policy) })
    for _ in 0..<8 {
      try outgoing.sendLevel()
      try call.advance(20 * millisecond)
    }
    #expect(outgoing.buffersHeld == 5)
    #expect(incoming.heard().map(\.sequence) == (policy == .dropOldest ? [4, 5, 6, 7, 8] : [1, 2, 3, 4, 5]))
    let counters = incoming.stats.counters
    #expect(counters.received == 8 && counters.dropped == 3 && counters.delivered == 5 && counters.lost == 0)
    #expect(counters.bytesReceived == 8 * 1920 && counters.samples == 8 * 960)
    #expect(outgoing.buffersHeld == 0)
  }

  @Test func theQueueIsAsLongInTimeWhateverABufferIs() throws {
    let call = try Call().connect()
    // Buffers of 100 ms go out as packets of 20 ms, and so they come.
    let (outgoing, incoming) = try call.sound(Make.opus { $0.bufferMilliseconds = 100 }, Make.hearing { $0.queueMilliseconds = 400 })
    for _ in 0..<8 {
      try outgoing.sendLevel()
      try call.advance(100 * millisecond)
    }
    #expect(incoming.heard().map(\.count) == Array(repeating: 960, count: 20))
  }

  @Test func aDirectCallbackIsCalledInsideSendAndAQueuedOneLater() throws {
    let call = try Call().connect()
    for delivery in [IncomingVideoOptions.Delivery.direct, .queued] {
      let outgoing = try call.startSound()
      let incoming = try #require(call.bert.incomingAudios.last)
      let times = Journal<UInt64>()
      incoming.setFrameCallback { times.add($0.native.pointee.sequence) }
      try incoming.start(Make.hearing { $0.delivery = delivery })
      try call.advance()
      try outgoing.sendLevel()
      #expect(times.entries == (delivery == .direct ? [1] : []))
      try call.advance()
      #expect(times.entries == [1])
      #expect(incoming.heard().isEmpty)
      incoming.setFrameCallback(nil)
      try call.advance(20 * millisecond)
      try outgoing.sendLevel()
      try call.advance()
      #expect(times.entries == [1])
      #expect(incoming.heard().map(\.sequence) == [2])
      #expect(incoming.stats.counters.delivered == 2)
      #expect(outgoing.buffersHeld == 0)
      outgoing.close()
      try call.advance()
    }
  }

  @Test func aBurstForAQueuedCallbackIsNoLoss() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound()
    let flags = Journal<UInt32>()
    incoming.setFrameCallback { flags.add($0.native.pointee.flags) }
    try outgoing.sendLevel()
    try call.advance(120 * millisecond)
    for _ in 0..<5 { try outgoing.sendLevel() }
    try call.advance(second)
    #expect(flags.entries.count == 6)
    #expect(flags.entries.allSatisfy { $0 & UInt32(MSDK_FRAME_DISCONTINUITY) == 0 })
    #expect(incoming.stats.counters.lost == 0)
  }

  @Test func rawSoundThatWasLostLeavesAMarkedGap() throws {
    let call = try Call()
    try call.script(NetworkScript.Step(loss: 200_000))
    _ = try call.connect(taking: second)
    let (outgoing, incoming) = try call.sound(Make.sound { $0.bufferMilliseconds = 10 }, Make.hearing { $0.queueMilliseconds = 60_000 })
    try call.advance(second)
    for _ in 0..<200 {
      try outgoing.sendLevel()
      try call.advance(10 * millisecond)
    }
    let heard = incoming.heard()
    let lost = 200 - heard.count
    #expect((15...80).contains(lost), "\(lost)")
    for (one, next) in zip(heard, heard.dropFirst()) { #expect(next.isAfterGap == (next.sequence > one.sequence + 1)) }
    // What was lost before the first and behind the last nobody can know.
    let between = Int(heard[heard.count - 1].sequence - heard[0].sequence) + 1 - heard.count
    #expect(incoming.stats.counters.lost == UInt64(between))
  }

  @Test func gainIsOfThisReceiverOnly() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound()
    let carl = try call.join("carl")
    let other = try #require(carl.incomingAudios.first)
    try other.start()
    try call.advance()
    try incoming.setGain(0.5)
    for _ in 0..<2 {
      try outgoing.sendLevel(0.5)
      try call.advance(20 * millisecond)
    }
    let scaled = incoming.heard()
    #expect(scaled[0].samples[0] == 0.5 && abs(scaled[0].samples[959] - 0.25) < 0.001)
    #expect(scaled[1].samples.allSatisfy { $0 == 0.25 })
    #expect(scaled[1].level == 12 && incoming.stats.counters.level == 12)
    #expect(other.heard().allSatisfy { $0.samples.allSatisfy { $0 == 0.5 } })
  }

  // MARK: Ends

  @Test(arguments: ["stop", "close", "session", "engine", "remove"])
  func callbacksMayEndTheirStream(_ ending: String) throws {
    for delivery in [IncomingVideoOptions.Delivery.direct, .queued] {
      let call = try Call("\(#function) \(ending) \(delivery)").connect()
      // Several pieces of each buffer.
      let (outgoing, incoming) = try call.sound(
        Make.sound { $0.bufferMilliseconds = 100 }, Make.hearing { ($0.bufferMilliseconds, $0.delivery) = (20, delivery) })
      let calls = Journal<Int>()
      let (bert, engine) = (call.bert, call.engine)
      incoming.setFrameCallback { [weak incoming] _ in
        calls.add(1)
        guard calls.entries.count == 2 else { return }
        switch ending {
        case "stop": incoming?.stop()
        case "close": incoming?.close()
        case "session": bert.close()
        case "engine": engine.close()
        default: incoming?.setFrameCallback(nil)
        }
      }
      for _ in 0..<3 {
        _ = failure { try outgoing.sendLevel() }
        _ = failure { try call.advance(100 * millisecond) }
      }
      #expect(calls.entries.count == 2)
      #expect(incoming.stats.counters.delivered == 2)
      if ending == "stop" { #expect(incoming.state == .stopped) }
      _ = incoming.heard()
      #expect(outgoing.buffersHeld == 0)
    }
  }

  @Test func theEndOfTheStreamDeliversWhatIsHere() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound(Make.sound(), Make.hearing { $0.bufferMilliseconds = 50 })
    for _ in 0..<3 {
      try outgoing.sendLevel(0.5)
      try call.advance(20 * millisecond)
    }
    try call.anna.stop(outgoing)
    try call.advance()
    #expect(incoming.state == .notAvailable)
    let heard = incoming.heard()
    #expect(heard.map(\.count) == [2400, 2400])
    // The rest, and silence.
    #expect(heard[1].samples[479] == 0.5 && heard[1].samples[480] == 0)
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .closed)
    #expect(incoming.stats.counters.delivered == 2)
  }

  @Test(arguments: [IncomingVideoOptions.Delivery.direct, .queued])
  func theEndReachesCallbacks(delivery: IncomingVideoOptions.Delivery) throws {
    let call = try Call("\(#function) \(delivery)").connect()
    let (outgoing, incoming) = try call.sound(
      Make.sound(), Make.hearing { ($0.bufferMilliseconds, $0.delivery) = (100, delivery) })
    let counts = Journal<Int>()
    incoming.setFrameCallback { counts.add($0.sampleCount) }
    for _ in 0..<3 {
      try outgoing.sendLevel(0.5)
      try call.advance(20 * millisecond)
    }
    #expect(counts.entries.isEmpty)
    try call.anna.stop(outgoing)
    try call.advance()
    #expect(counts.entries == [4800])
    #expect(incoming.heard().isEmpty)
  }

  @Test func whatIsUnreadWhenStoppedIsGone() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound()
    for _ in 0..<3 {
      try outgoing.sendLevel()
      try call.advance(20 * millisecond)
    }
    #expect(outgoing.buffersHeld == 3)
    incoming.stop()
    #expect(outgoing.buffersHeld == 0)
    try incoming.start()
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .timeout)
  }

  @Test func aStartForgetsWhatWaitedForAWholeBuffer() throws {
    let wanted = Make.hearing { $0.bufferMilliseconds = 50 }
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound(Make.sound(), wanted)
    try outgoing.sendLevel(0.5)
    try call.advance(20 * millisecond)
    incoming.stop()
    try incoming.setGain(0.5)
    try incoming.start(wanted)
    for _ in 0..<3 {
      try outgoing.sendLevel(0.5)
      try call.advance(20 * millisecond)
    }
    let heard = incoming.heard()
    #expect(heard.count == 1)
    // The gain was set before the start: nothing is faded in.
    #expect(heard[0].samples.allSatisfy { $0 == 0.25 })
  }

  @Test func readersAreWokenAndTheDescriptorTells() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound()
    let descriptor = try incoming.descriptor()
    func isReadable() -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, 0) == 1
    }
    #expect(!isReadable())
    let results = Journal<Bool>()
    let reader = OSThread {
      let frame = try? incoming.read(deadline: Deadline.after(milliseconds: 60_000))
      results.add(frame != nil)
      frame?.release()
    }
    try outgoing.sendLevel()
    reader.join()
    #expect(results.entries == [true])
    #expect(!isReadable())
    try call.advance(20 * millisecond)
    try outgoing.sendLevel()
    #expect(isReadable())
    _ = incoming.heard()
    #expect(!isReadable())
    try call.anna.stop(outgoing)
    try call.advance()
    #expect(isReadable())
  }

  // MARK: Encoded

  @Test func packetsComeUndecodedIfWanted() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound(Make.opus(), Make.hearing { $0.output = .encoded })
    let made = Journal<[UInt8]>()
    try outgoing.setEncodedCallback { made.add(Array($0.bytes)) }
    var tone = ToneSender(outgoing)
    for _ in 0..<5 {
      try tone.send()
      try call.advance(20 * millisecond)
    }
    var received: [[UInt8]] = []
    while let packet = try? incoming.readEncoded(deadline: 0) {
      #expect(packet.native.pointee.codec == UInt32(MSDK_CODEC_OPUS))
      #expect(packet.native.pointee.duration_ns == 20 * millisecond)
      received.append(Array(packet.bytes))
      packet.release()
    }
    #expect(received.count == 5)
    #expect(received == made.entries)
    #expect(incoming.stats.counters.samples == 0)
    #expect(incoming.stats.counters.delivered == 5)
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .timeout)
  }

  @Test func decodedSoundIsWhatWasSent() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound(Make.opus { $0.application = .audio }, Make.hearing { $0.queueMilliseconds = 2000 })
    let start = call.engine.now() - 20 * millisecond
    var tone = ToneSender(outgoing)
    for _ in 0..<50 {
      try tone.send()
      try call.advance(20 * millisecond)
    }
    let heard = incoming.heard()
    #expect(heard.map(\.count) == Array(repeating: 960, count: 50))
    #expect(heard.allSatisfy { $0.format == AudioFormat(.f32, sampleRate: 48_000, channels: 1) && !$0.isMadeUp && !$0.isAfterGap })
    // Sample for sample at the time at which it was captured, a buffer before it was sent.
    let samples = heard.flatMap(\.left)
    var (sine, cosine, power) = (0.0, 0.0, 0.0)
    for index in 9600..<43_200 {
      let time = Double(heard[0].timestamp - start) / 1e9 + Double(index) / 48_000
      let angle = 2 * Double.pi * 440 * time
      sine += Double(samples[index]) * sin(angle)
      cosine += Double(samples[index]) * cos(angle)
      power += Double(samples[index]) * Double(samples[index])
    }
    #expect(abs(atan2(cosine, sine)) < 0.1, "\(atan2(cosine, sine)) radians late")
    #expect((sine * sine + cosine * cosine) * 2 / 33_600 / power > 0.99)
    #expect(incoming.stats.counters.totalDecodeTime > 0)
  }

  /// However long a callback takes, its time is not the decoder's.
  @Test func theDecoderHasItsOwnTimeOnly() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound(Make.opus())
    let elsewhere = Journal<Int64>()
    incoming.setFrameCallback { _ in elsewhere.add(spend(20 * millisecond)) }
    let start = MediaTime.monotonic()
    var tone = ToneSender(outgoing)
    for _ in 0..<10 {
      try tone.send()
      try call.advance(20 * millisecond)
    }
    let rest = MediaTime.monotonic() - start - elsewhere.entries.reduce(0, +)
    let spent = Int64(incoming.stats.counters.totalDecodeTime)
    #expect(elsewhere.entries.count == 10 && spent > 0 && spent <= rest, "\(spent) of \(rest) ns")
  }

  @Test func whatIsNoPacketIsCountedAndHarmsNothing() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound(Make.opus())
    try outgoing.sendLevel()
    try call.advance(20 * millisecond)
    let junk = try Make.encoded([0x03, 0, 1, 2])
    junk.native.pointee.codec = UInt32(MSDK_CODEC_OPUS)
    incoming.receive(junk, 2)
    junk.release()
    try call.advance()
    #expect(incoming.stats.counters.corrupt == 1)
    #expect(incoming.heard().count == 1)
    incoming.stop()
    try incoming.start()
    try call.advance()
    try outgoing.sendLevel()
    try call.advance(20 * millisecond)
    #expect(incoming.heard().map(\.isAfterGap) == [true])
  }

  // MARK: Renderers

  @Test func aRendererIsFed() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound()
    try call.engine.plugins.register(FakeModule("test.speaker", kinds: MSDK_KIND_AUDIO_RENDERER).pointer())
    let plugin = FakePlugin()
    let engine = call.engine
    let speaker = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.speaker") }
    try incoming.attachRenderer(speaker)
    for _ in 0..<3 {
      try outgoing.sendLevel()
      try call.advance(20 * millisecond)
    }
    #expect(plugin.count("audio render 960 of s16 48000 Hz mono") == 3)
    #expect(incoming.stats.counters.rendered == 3)
    try incoming.detachRenderer(speaker)
    try outgoing.sendLevel()
    try call.advance(20 * millisecond)
    #expect(plugin.count("audio render 960") == 3)
    #expect(incoming.heard().count == 4)
    #expect(incoming.stats.counters.dropped == 0)
  }
}

extension msdk_audio_frame {
  fileprivate var isWritable: Bool { flags & UInt32(MSDK_FRAME_WRITABLE) != 0 }
}
