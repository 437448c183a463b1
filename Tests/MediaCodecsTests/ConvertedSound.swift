import CMediaSDK
import MediaCore
import Testing

@testable import MediaCodecs

/// What came out of a converter, copied.
struct ConvertedSound {
  struct Buffer {
    var native: UnsafeMutablePointer<msdk_audio_frame>
    var timestamp: Int64
    var flags: UInt32
    var sequence: UInt64
    var level: UInt32
    var format: AudioFormat
    /// Interleaved.
    var samples: [Float]

    var count: Int { samples.count / Int(format.channels) }
    var isAfterGap: Bool { flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0 }
  }

  var buffers: [Buffer] = []

  mutating func add(_ frame: AudioFrame) {
    let format = frame.format
    var samples: [Float]
    switch format.sampleFormat {
    case .f32: samples = Array(frame.f32)
    case .s16: samples = frame.s16.map { Float($0) / 32768 }
    }
    let native = frame.native.pointee
    #expect(native.duration_ns == format.duration(ofSamples: frame.sampleCount))
    buffers.append(
      Buffer(
        native: frame.native, timestamp: native.timestamp_ns, flags: native.flags, sequence: native.sequence, level: native.level,
        format: format, samples: samples))
  }

  func channel(_ index: Int) -> [Float] {
    buffers.flatMap { Tone.channel(index, of: Int($0.format.channels), $0.samples) }
  }

  var count: Int { buffers.reduce(0) { $0 + $1.count } }
}

extension AudioConverter {
  func convert(_ frame: AudioFrame, into sound: inout ConvertedSound) throws(MediaError) {
    var found = sound
    defer { sound = found }
    try convert(frame) { found.add($0) }
  }

  func flush(into sound: inout ConvertedSound) throws(MediaError) {
    var found = sound
    defer { sound = found }
    try flush { found.add($0) }
  }
}

/// A tone of 1 kHz, the same on both sides, buffer by buffer.
struct ToneSource {
  static let start: Int64 = 5_000_000_000
  let format: AudioFormat
  let frequency = 1000.0
  var position = 0
  var sequence: UInt64 = 0
  /// Added to the times, of which the tone knows nothing.
  var shift: Int64 = 0

  init(_ format: AudioFormat) { self.format = format }

  /// The caller releases it.
  mutating func next(_ count: Int? = nil, flags: UInt32 = 0) throws -> AudioFrame {
    let count = count ?? Int(format.samplesPerBuffer)
    let frame = try AudioFrame.make(format, sampleCount: count)
    let tone = Tone.samples(frequency, rate: Double(format.sampleRate), count: count, from: position)
    let all = format.channels == 1 ? tone : Tone.interleaved(tone, tone)
    switch format.sampleFormat {
    case .f32: for index in all.indices { frame.f32[index] = all[index] }
    case .s16: for index in all.indices { frame.s16[index] = Int16((all[index] * 32768).rounded()) }
    }
    sequence += 1
    frame.native.pointee.sequence = sequence
    frame.native.pointee.flags |= flags
    frame.native.pointee.timestamp_ns = Self.start + MediaTime.nanoseconds(fromUnits: Int64(position), rate: format.sampleRate) + shift
    position += count
    return frame
  }

  mutating func send(_ count: Int? = nil, flags: UInt32 = 0, to converter: AudioConverter, _ sound: inout ConvertedSound) throws {
    let frame = try next(count, flags: flags)
    defer { frame.release() }
    try converter.convert(frame, into: &sound)
  }
}
