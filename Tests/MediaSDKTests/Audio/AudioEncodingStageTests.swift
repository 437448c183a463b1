import CMediaSDK
import Glibc
import MediaCodecs
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct AudioEncodingStageTests {
  private struct Packet {
    var timestamp: Int64
    var duration: Int64
    var size: UInt64
    var level: UInt32
    var end: Int64
    var attributes: msdk_encoded_frame?
  }

  /// What comes of so many buffers of a tone, each with its own time from one second on.
  private func encode(_ options: OutgoingAudioOptions, _ count: Int, _ each: (Int, [Packet]) -> Void = { _, _ in }) throws -> [Packet] {
    let stage = try AudioEncodingStage(options, options.encoderSettings)
    var all: [Packet] = []
    for index in 0..<count {
      let size = Int(options.format.samplesPerBuffer)
      let frame = try AudioFrame.make(options.format, sampleCount: size)
      defer { frame.release() }
      frame.write { Self.tone(index * size + $0, rate: options.sampleRate) }
      frame.native.pointee.timestamp_ns = second + options.format.duration(ofSamples: index * size)
      var packets: [Packet] = []
      try stage.encode(frame) { packet in
        let native = packet.frame?.native.pointee
        packets.append(
          Packet(
            timestamp: native?.timestamp_ns ?? 0, duration: native?.duration_ns ?? 0, size: native?.size ?? 0, level: native?.level ?? 127,
            end: packet.end, attributes: native))
      }
      each(index, packets)
      all += packets
    }
    return all
  }

  private static func tone(_ index: Int, rate: UInt32) -> Float {
    // A triangle of 200 Hz.
    let phase = Float(index % Int(rate / 200)) / Float(rate / 200)
    return 0.8 * (abs(2 * phase - 1) - 0.5)
  }

  private func lookahead(_ options: OutgoingAudioOptions) throws -> Int64 {
    let settings = options.encoderSettings
    let encoder = try Codecs.builtIn.audio(options.codec).makeEncoder(settings)
    return MediaTime.nanoseconds(fromUnits: Int64(encoder.lookahead), rate: settings.sampleRate)
  }

  @Test func aPacketForABuffer() throws {
    let options = Make.opus()
    let late = try lookahead(options)
    #expect(late > 2 * millisecond && late < 10 * millisecond)
    let packets = try encode(options, 5) { _, packets in #expect(packets.count == 1) }
    #expect(packets.map(\.timestamp) == (0..<5).map { second + $0 * 20 * millisecond - late })
    #expect(packets.map(\.end) == (1...5).map { second + $0 * 20 * millisecond })
    #expect(packets.allSatisfy { $0.duration == 20 * millisecond && $0.size > 2 })
    let attributes = try #require(packets.last?.attributes)
    #expect(attributes.codec == UInt32(MSDK_CODEC_OPUS))
    #expect(attributes.sample_rate == 48_000 && attributes.channels == 1)
    #expect(attributes.sequence == 5)
    #expect(attributes.level < 20)
  }

  @Test func shortBuffersAreGatheredForAPacket() throws {
    let options = Make.opus { ($0.bufferMilliseconds, $0.packetMilliseconds) = (10, 20) }
    let late = try lookahead(options)
    let packets = try encode(options, 10) { index, packets in #expect(packets.count == index % 2) }
    #expect(packets.map(\.timestamp) == (0..<5).map { second + $0 * 20 * millisecond - late })
  }

  @Test(arguments: [10, 20, 40, 60] as [UInt32])
  func longBuffersAreCut(packet: UInt32) throws {
    let options = Make.opus { ($0.bufferMilliseconds, $0.packetMilliseconds) = (100, packet) }
    let late = try lookahead(options)
    let packets = try encode(options, 6)
    #expect(packets.count == 600 / Int(packet))
    #expect(packets.map(\.timestamp) == packets.indices.map { second + Int64($0) * Int64(packet) * millisecond - late })
    #expect(packets.allSatisfy { $0.duration == Int64(packet) * millisecond })
  }

  @Test(arguments: [22_050, 44_100] as [UInt32])
  func otherRatesAreResampled(rate: UInt32) throws {
    let options = Make.opus { ($0.sampleRate, $0.channels, $0.sampleFormat) = (rate, 2, .f32) }
    let late = try lookahead(options)
    let packets = try encode(options, 100)
    // What the resampler keeps is less than a packet.
    #expect((98...100).contains(packets.count))
    for (index, packet) in packets.enumerated() {
      // The sound of the stream's first sample is at the first packet's time and the look-ahead.
      let due = second + Int64(index) * 20 * millisecond - late
      #expect(abs(packet.timestamp - due) < 3 * millisecond, "packet \(index)")
      #expect(abs(packet.timestamp - packets[0].timestamp - Int64(index) * 20 * millisecond) < 100_000, "packet \(index)")
    }
  }

  @Test func silenceIsNotSentWithDTX() throws {
    let options = Make.opus { ($0.dtx, $0.bitrate) = (true, 16_000) }
    let stage = try AudioEncodingStage(options, options.encoderSettings)
    var kinds: [Bool] = []
    for index in 0..<150 as Range<Int64> {
      let frame = try Make.frame(options.format, 0, at: second + index * 20 * millisecond)
      defer { frame.release() }
      try stage.encode(frame) { packet in
        #expect(packet.end == second + (index + 1) * 20 * millisecond)
        kinds.append(packet.frame != nil)
      }
    }
    #expect(kinds.count == 150)
    // One every 400 ms once it has begun.
    #expect((2...12).contains(kinds[50...].count { $0 }))
  }

  @Test func aGapIsMarked() throws {
    let options = Make.opus { ($0.bufferMilliseconds, $0.packetMilliseconds) = (10, 20) }
    let stage = try AudioEncodingStage(options, options.encoderSettings)
    var packets: [(time: Int64, isAfterGap: Bool)] = []
    // The third stands alone, and is padded when the fourth comes from another time.
    for time in [0, 10, 20, 520, 530] as [Int64] {
      let frame = try Make.frame(options.format, 0.1, at: second + time * millisecond)
      defer { frame.release() }
      try stage.encode(frame) { packet in
        let native = try? #require(packet.frame?.native.pointee)
        packets.append((packet.end - 20 * millisecond - second, (native?.flags ?? 0) & UInt32(MSDK_ENCODED_DISCONTINUITY) != 0))
      }
    }
    #expect(packets.map { $0.time / millisecond } == [0, 20, 520])
    #expect(packets.map(\.isAfterGap) == [false, false, true])
  }

  @Test func settingsChangeOnTheWay() throws {
    let options = Make.opus { ($0.bitrate, $0.application) = (128_000, .audio) }
    let stage = try AudioEncodingStage(options, options.encoderSettings)
    var sizes: [UInt64] = []
    var state = SeededNoise()
    for index in 0..<100 as Range<Int64> {
      if index == 50 {
        var settings = options.encoderSettings
        settings.bitrate = 12_000
        settings.expectedLoss = 30
        try stage.apply(settings)
      }
      let frame = try Make.frame(options.format, at: second + index * 20 * millisecond)
      defer { frame.release() }
      frame.write { _ in state.next() }
      try stage.encode(frame) { sizes.append($0.frame?.native.pointee.size ?? 0) }
    }
    let before: UInt64 = sizes[10..<50].reduce(0, +)
    let after: UInt64 = sizes[60...].reduce(0, +)
    #expect(before > 4 * after)
  }

  /// Noise that is the same each time.
  private struct SeededNoise {
    private var state: UInt32 = 1
    mutating func next() -> Float {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(Int32(bitPattern: state)) / 4_294_967_296
    }
  }

  struct Late: Sendable, CustomStringConvertible {
    var buffer: UInt32
    var packet: UInt32 = 20
    var rate: UInt32 = 48_000
    var format = SampleFormat.s16
    /// Of the sound before the pause, in buffers.
    var before = 12

    var description: String { "buffers of \(buffer) ms, packets of \(packet), \(rate) Hz, \(format), \(before) before" }
  }

  /// What was flushed for a pause goes on where it ended. The packets take as long as what was captured, and nothing clicks.
  @Test(arguments: [
    Late(buffer: 20), Late(buffer: 10), Late(buffer: 100), Late(buffer: 10, before: 13), Late(buffer: 20, packet: 60, before: 16),
    Late(buffer: 20, rate: 44_100), Late(buffer: 20, format: .f32), Late(buffer: 10, packet: 60, rate: 16_000, format: .f32, before: 20)
  ])
  func soundThatGoesOnAfterItsEndWasFlushedIsNoLonger(_ late: Late) throws {
    let options = Make.opus {
      ($0.bufferMilliseconds, $0.packetMilliseconds, $0.sampleRate, $0.sampleFormat) = (late.buffer, late.packet, late.rate, late.format)
      ($0.channels, $0.bitrate, $0.application) = (2, 128_000, .audio)
    }
    let stage = try AudioEncodingStage(options, options.encoderSettings)
    let decoder = AudioDecodingStage(try Codecs.builtIn.audio(UInt32(MSDK_CODEC_OPUS)), channels: 2)
    var packets: [(time: Int64, duration: Int64)] = []
    var samples: [Float] = []
    func take(_ packet: AudioEncodingStage.Packet) {
      guard let frame = packet.frame else { return }
      packets.append((frame.native.pointee.timestamp_ns, frame.native.pointee.duration_ns))
      _ = try? decoder.decode(frame, FrameID(packets.count)) { piece in
        samples += stride(from: 0, to: piece.f32.count, by: 2).map { piece.f32[$0] }
      }
    }
    let size = Int(options.format.samplesPerBuffer)
    let all = late.before + 1000 / Int(late.buffer)
    for index in 0..<all {
      if index == late.before { try stage.flush { take($0) } }
      let frame = try AudioFrame.make(options.format, sampleCount: size)
      defer { frame.release() }
      frame.write { 0.3 * sinf(2 * .pi * Float((300 * (index * size + $0)) % Int(late.rate)) / Float(late.rate)) }
      frame.native.pointee.timestamp_ns = second + options.format.duration(ofSamples: index * size)
      try stage.encode(frame) { take($0) }
    }
    let steps = zip(packets, packets.dropFirst()).map { $1.time - $0.time - $0.duration }
    #expect(steps.allSatisfy { abs($0) < 50_000 }, "\(steps.map { $0 / 1000 }.filter { abs($0) > 50 })")
    let length = Int64(all) * Int64(late.buffer) * millisecond
    let taken = packets.reduce(0) { $0 + $1.duration }
    #expect(
      (-millisecond...Int64(late.packet) * millisecond).contains(length - taken), "\(taken / millisecond) of \(length / millisecond) ms")
    // Of a tone of 300 Hz at 0.3 it is 0.0005; where it begins again, after the flush, there is a fade.
    let again = Int(Int64(late.before) * Int64(late.buffer)) * 48 + 20 * 48
    let bend = zip(zip(samples, samples.dropFirst()), samples.dropFirst(2)).dropFirst(again).map { abs($0.0 - 2 * $0.1 + $1) }.max() ?? 1
    #expect(bend < 0.01, "\(bend)")
    #expect(samples.suffix(24_000).map(abs).max() ?? 0 > 0.28)
  }

  // MARK: In a stream

  @Test func reportsWaitForTheirPacket() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.opus { ($0.bufferMilliseconds, $0.packetMilliseconds) = (10, 40) })
    let reports = Journal<FrameReport>()
    var counts: [Int] = []
    for _ in 0..<10 {
      try stream.sendLevel(completion: .closure { reports.add($0) })
      try call.advance(10 * millisecond)
      counts.append(reports.entries.count)
    }
    #expect(counts == [0, 0, 0, 4, 4, 4, 4, 8, 8, 8])
    #expect(reports.entries.map(\.outcome) == Array(repeating: .encoded, count: 8))
    // The bytes are told once.
    let stats = stream.stats.counters
    #expect(reports.entries.map(\.bytes).reduce(0, +) == stats.bytesSent)
    #expect(stats.packets == 2)
    #expect(incoming.stats.counters.bytesReceived == stats.bytesSent)
    try call.anna.stop(stream)
    #expect(reports.entries.map(\.sequence) == Array(1...10))
    #expect(reports.entries.suffix(2).map(\.reason) == [.stopped, .stopped])
    #expect(stream.buffersHeld == 0)
  }

  @Test func aLongBufferIsReportedWithItsLastPacket() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.opus { $0.bufferMilliseconds = 100 })
    let reports = Journal<FrameReport>()
    for _ in 0..<3 {
      try stream.sendLevel(completion: .closure { reports.add($0) })
      try call.advance(100 * millisecond)
    }
    #expect(reports.entries.map(\.outcome) == [.encoded, .encoded, .encoded])
    #expect(stream.stats.counters.packets == 15)
    #expect(reports.entries.map(\.bytes).reduce(0, +) == incoming.stats.counters.bytesReceived)
    #expect(incoming.stats.counters.received == 15)
  }

  @Test func nothingIsEncodedForNobody() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.opus())
    try stream.sendLevel()
    try call.advance(20 * millisecond)
    #expect(stream.allReports().map(\.reason) == [.noReceiver])
    #expect(stream.stats.counters.packets == 0)
    let sizes = Journal<UInt64>()
    try stream.setEncodedCallback { sizes.add($0.native.pointee.size) }
    for _ in 0..<3 {
      try stream.sendLevel()
      try call.advance(20 * millisecond)
    }
    #expect(sizes.entries.count == 3)
    #expect(stream.allReports().map(\.outcome) == [.encoded, .encoded, .encoded])
    try stream.setEncodedCallback(nil)
    try stream.sendLevel()
    try call.advance(20 * millisecond)
    #expect(sizes.entries.count == 3)
    #expect(stream.allReports().map(\.reason) == [.noReceiver])
    #expect(stream.buffersHeld == 0)
  }

  /// However long a callback takes, its time is not the encoder's.
  @Test func theEncoderHasItsOwnTimeOnly() throws {
    let call = try Call().connect()
    let stream = try call.startSound(Make.opus())
    let elsewhere = Journal<Int64>()
    try stream.setEncodedCallback { _ in elsewhere.add(spend(20 * millisecond)) }
    let start = MediaTime.monotonic()
    for _ in 0..<10 {
      try stream.sendLevel()
      try call.advance(20 * millisecond)
    }
    let rest = MediaTime.monotonic() - start - elsewhere.entries.reduce(0, +)
    let spent = Int64(stream.stats.counters.totalEncodeTime)
    #expect(elsewhere.entries.count == 10 && spent > 0 && spent <= rest, "\(spent) of \(rest) ns")
  }

  @Test func silenceThatIsLeftOutIsReportedSo() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound(Make.opus { ($0.dtx, $0.bitrate) = (true, 16_000) })
    let reports = Journal<FrameReport>()
    for _ in 0..<150 {
      try stream.sendLevel(0, completion: .closure { reports.add($0) })
      try call.advance(20 * millisecond)
    }
    #expect(reports.entries.count == 150)
    let left = reports.entries.filter { $0.reason == .encoder }.count
    #expect(left > 80)
    #expect(incoming.stats.counters.received == UInt64(150 - left))
    #expect(incoming.stats.counters.lost == 0)
    #expect(incoming.stats.counters.concealed == 0)
  }

  @Test func mutingForgetsWhatWasGathered() throws {
    let call = try Call().connect()
    let (stream, _) = try call.sound(Make.opus { ($0.bufferMilliseconds, $0.packetMilliseconds) = (10, 60) })
    let reports = Journal<FrameReport>()
    for index in 0..<8 {
      if index == 2 { stream.setMuted(true) }
      try stream.sendLevel(completion: .closure { reports.add($0) })
      try call.advance(10 * millisecond)
    }
    #expect(reports.entries.map(\.sequence) == Array(1...8))
    #expect(reports.entries.allSatisfy { $0.reason == .muted })
    #expect(stream.buffersHeld == 0)
  }

  @Test func aStreamThatStopsInItsEncodedCallbackEndsWell() throws {
    let call = try Call().connect()
    let (stream, _) = try call.sound(Make.opus { $0.bufferMilliseconds = 100 })
    let reports = Journal<FrameReport>()
    let anna = call.anna
    try stream.setEncodedCallback { _ in try? anna.stop(stream) }
    for _ in 0..<3 { try stream.sendLevel(completion: .closure { reports.add($0) }) }
    try call.advance(second)
    #expect(stream.state == .stopped)
    #expect(reports.entries.map(\.sequence).sorted() == [1, 2, 3])
    #expect(stream.buffersHeld == 0)
  }
}
