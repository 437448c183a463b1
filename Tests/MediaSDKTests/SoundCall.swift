import CMediaSDK
import Glibc
import MediaTransport

@testable import MediaCodecs
@testable import MediaCore
@testable import MediaSDK

extension Call {
  /// A stream of sound of anna's, started, that bert receives.
  func sound(
    _ options: OutgoingAudioOptions = Make.sound(), _ wanted: IncomingAudioOptions = IncomingAudioOptions()
  ) throws -> (OutgoingAudio, IncomingAudio) {
    let outgoing = try startSound(options)
    guard let incoming = bert.incomingAudios.last else { throw MediaError(.notFound, "no stream came") }
    try incoming.start(wanted)
    try advance()
    return (outgoing, incoming)
  }

  /// A stream of sound, started; anna's unless said otherwise.
  func startSound(_ options: OutgoingAudioOptions = Make.sound(), by session: Session? = nil) throws -> OutgoingAudio {
    let outgoing = try engine.makeOutgoingAudio(options)
    try (session ?? anna).start(outgoing)
    try advance()
    return outgoing
  }

  /// One more member of the room, connected.
  func join(_ userID: String, encrypts: Bool = false) throws -> Session {
    var options = SessionOptions(url: room, userID: userID)
    options.encrypts = encrypts
    let session = try engine.makeSession(options)
    try session.connect()
    try advance()
    return session
  }
}

extension Make {
  static func sound(_ change: (inout OutgoingAudioOptions) -> Void = { _ in }) -> OutgoingAudioOptions {
    var options = OutgoingAudioOptions()
    change(&options)
    return options
  }

  static func opus(_ change: (inout OutgoingAudioOptions) -> Void = { _ in }) -> OutgoingAudioOptions {
    var options = OutgoingAudioOptions()
    options.codec = UInt32(MSDK_CODEC_OPUS)
    change(&options)
    return options
  }

  static func hearing(_ change: (inout IncomingAudioOptions) -> Void = { _ in }) -> IncomingAudioOptions {
    var options = IncomingAudioOptions()
    change(&options)
    return options
  }

  /// A buffer, its samples all of one value; the caller releases it.
  static func frame(_ format: AudioFormat, _ value: Float = 0, samples: Int? = nil, at timestamp: Int64 = 0) throws -> AudioFrame {
    let frame = try AudioFrame.make(format, sampleCount: samples ?? Int(format.samplesPerBuffer))
    frame.write { _ in value }
    frame.native.pointee.timestamp_ns = timestamp
    return frame
  }
}

extension AudioFrame {
  /// The same in all channels; `value` gives the sample of an index.
  func write(_ value: (Int) -> Float) {
    let channels = Int(format.channels)
    for index in 0..<sampleCount {
      let sample = value(index)
      for channel in index * channels..<(index + 1) * channels {
        switch format.sampleFormat {
        case .s16: s16[channel] = Int16(max(-32768, min(32767, (sample * 32768).rounded())))
        case .f32: f32[channel] = sample
        }
      }
    }
  }
}

/// A buffer that came, copied.
struct HeardBuffer: Sendable {
  var timestamp: Int64
  var sequence: UInt64
  var flags: UInt32
  var level: UInt32
  var format: AudioFormat
  /// Interleaved.
  var samples: [Float]

  init(_ frame: AudioFrame) {
    timestamp = frame.timestamp
    sequence = frame.native.pointee.sequence
    flags = frame.native.pointee.flags
    level = frame.native.pointee.level
    format = frame.format
    switch frame.format.sampleFormat {
    case .s16: samples = frame.s16.map { Float($0) / 32768 }
    case .f32: samples = Array(frame.f32)
    }
  }

  /// Per channel.
  var count: Int { samples.count / Int(format.channels) }
  /// The first channel.
  var left: [Float] { stride(from: 0, to: samples.count, by: Int(format.channels)).map { samples[$0] } }
  var isAfterGap: Bool { flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0 }
  var isMadeUp: Bool { flags & UInt32(MSDK_FRAME_CORRUPT) != 0 }
}

extension IncomingAudio {
  /// What waits, taken out.
  func heard() -> [HeardBuffer] {
    var all: [HeardBuffer] = []
    while let frame = try? read(deadline: 0) {
      all.append(HeardBuffer(frame))
      frame.release()
    }
    return all
  }
}

extension OutgoingAudio {
  /// One buffer, the same in all channels; `value` gives the sample of an index.
  func send(
    timestamp: Int64 = 0, deadline: Int64 = 0, completion: Completion = .queued(), _ value: (Int) -> Float
  ) throws {
    let frame = try AudioFrame.make(format, sampleCount: Int(format.samplesPerBuffer))
    defer { frame.release() }
    frame.write(value)
    try send(UnsafeRawBufferPointer(frame.bytes), timestamp: timestamp, deadline: deadline, completion: completion)
  }

  /// One buffer, its samples all of one value.
  func sendLevel(_ value: Float = 0.25, timestamp: Int64 = 0, deadline: Int64 = 0, completion: Completion = .queued()) throws {
    try send(timestamp: timestamp, deadline: deadline, completion: completion) { _ in value }
  }

  var bufferDuration: Int64 { format.duration(ofSamples: Int(format.samplesPerBuffer)) }

  func allReports() -> [FrameReport] {
    var all: [FrameReport] = []
    while let report = try? readReport(deadline: 0) { all.append(report) }
    return all
  }

  /// How many of the pool's buffers nobody has given back.
  var buffersHeld: Int { pool.inUse }
}

/// Keeps this thread busy for so long, at least, and says for how long it was, in nanoseconds.
func spend(_ time: Int64) -> Int64 {
  let start = MediaTime.monotonic()
  while true {
    let spent = MediaTime.monotonic() - start
    if spent >= time { return spent }
  }
}

/// A tone, sent buffer after buffer.
struct ToneSender {
  let stream: OutgoingAudio
  let frequency: Float
  let amplitude: Float
  private var position = 0

  init(_ stream: OutgoingAudio, _ frequency: Float = 440, amplitude: Float = 0.4) {
    self.stream = stream
    self.frequency = frequency
    self.amplitude = amplitude
  }

  mutating func send(timestamp: Int64 = 0, completion: Completion = .queued()) throws {
    let rate = Float(stream.format.sampleRate)
    let start = position
    try stream.send(timestamp: timestamp, completion: completion) { index in
      amplitude * sinf(2 * .pi * (frequency * Float(start + index) / rate).truncatingRemainder(dividingBy: 1))
    }
    position += Int(stream.format.samplesPerBuffer)
  }
}

/// Opus packets of 20 ms of a tone.
struct OpusPackets {
  var all: [EncodedFrame] = []

  static func tone(count: Int, frequency: Float = 440) throws -> OpusPackets {
    let encoder = try OpusEncoder(OutgoingAudioOptions().encoderSettings)
    var packets = OpusPackets()
    for number in 0..<count {
      let samples = (0..<960).map { 0.4 * sinf(2 * .pi * frequency * Float(number * 960 + $0) / 48_000) }
      var attributes = msdk_encoded_frame()
      attributes.codec = UInt32(MSDK_CODEC_OPUS)
      let packet: EncodedFrame?? = try samples.withUnsafeBufferPointer { samples throws(MediaError) in
        try encoder.encode(samples) { bytes throws(MediaError) in
          try EncodedFrame.make(copying: bytes, attributes: attributes, from: BufferPool(limit: 1), deadline: 0)
        }
      }
      if let packet, let packet { packets.all.append(packet) }
    }
    return packets
  }

  func release() {
    for packet in all { packet.release() }
  }
}
