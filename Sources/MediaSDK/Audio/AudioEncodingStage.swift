import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins

/// The encoder of one start of a stream: buffers in, packets out, which need not be of the same length. Used by the stream's worker, one step at a
/// time.
final class AudioEncodingStage: @unchecked Sendable {
  /// What became of a packet's worth of sound.
  struct Packet {
    /// Borrowed; nil for silence that is not sent.
    let frame: EncodedFrame?
    /// When the sound in it ends.
    let end: Int64
  }

  /// Times of sound that goes on may be off by so much.
  private static let tolerance: Int64 = 20_000_000

  private let options: OutgoingAudioOptions
  private let encoder: PluginAudioEncoder
  private let converter: AudioConverter
  private let packetSamples: Int
  /// By which decoded sound is late; taken off the packets' timestamps.
  private let lookahead: Int64
  private var settings: AudioEncoderSettings
  private var sequence: UInt64 = 0
  /// Where the next packet begins, while the encoder holds the end of the sound before; nil when it holds nothing.
  private var tail: Int64?
  private var silence: [Float] = []
  /// Where the sound that was handed in ends; and what was flushed after it, if anything, until it is known whether the sound goes on before that.
  private var end: Int64 = 0
  private var silentUntil: Int64?
  private var rejoin: AudioRejoin?
  private let pool = BufferPool(limit: 4)
  /// Bytes of packets that left, and that no buffer was told of yet.
  var untold: UInt64 = 0

  init(
    _ options: OutgoingAudioOptions, _ settings: AudioEncoderSettings, _ codecs: Codecs = .builtIn,
    events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) {
    self.options = options
    self.settings = settings
    encoder = try codecs.encodableAudio(options.encodedCodec).makeEncoder(settings, events: events)
    packetSamples = Int(AudioLimits.samples(sampleRate: settings.sampleRate, milliseconds: options.packetDuration))
    let format = AudioFormat(
      .f32, sampleRate: settings.sampleRate, channels: options.channels, samplesPerBuffer: UInt32(packetSamples))
    converter = AudioConverter(to: format, pool: BufferPool(limit: 16))
    lookahead = format.duration(ofSamples: encoder.lookahead)
  }

  func apply(_ wanted: AudioEncoderSettings) throws(MediaError) {
    if wanted.bitrate != settings.bitrate || wanted.expectedLoss != settings.expectedLoss {
      try encoder.setRate(wanted.bitrate, expectedLoss: wanted.expectedLoss)
    }
    settings = wanted
  }

  /// What was gathered for the next packet is forgotten.
  func reset() {
    converter.reset()
    (tail, silentUntil, rejoin) = (nil, nil, nil)
  }

  /// Calls `body` for each packet that is whole now.
  func encode(_ frame: AudioFrame, _ body: (Packet) throws(MediaError) -> Void) throws(MediaError) {
    let (beginning, most) = (silentUntil, (silentUntil ?? 0) &- end &+ AudioEncodingStage.tolerance)
    end = frame.timestamp &+ frame.native.pointee.duration_ns
    if rejoin == nil || rejoin?.fits(frame) == false {
      rejoin = beginning.flatMap { AudioRejoin(frame, silentUntil: $0, most: most) }
    }
    guard rejoin != nil else {
      silentUntil = nil
      return try convert(frame, body)
    }
    let rest = try rejoin?.take(frame, from: pool)
    if rejoin?.isOver ?? true { (silentUntil, rejoin) = (nil, nil) }
    guard let rest else { return }
    defer { rest.release() }
    try convert(rest, body)
  }

  private func convert(_ frame: AudioFrame, _ body: (Packet) throws(MediaError) -> Void) throws(MediaError) {
    try converter.convert(frame) { piece throws(MediaError) in try encode(piece: piece, body) }
  }

  /// Nothing follows for the time being: what waits for a whole packet is padded with silence, and one packet of silence brings out what the encoder
  /// still holds, unless the padding did.
  func flush(_ body: (Packet) throws(MediaError) -> Void) throws(MediaError) {
    try converter.flush { piece throws(MediaError) in try encode(piece: piece, body) }
    // What was kept of sound that is late again has its silence.
    rejoin = nil
    guard let start = tail else { return }
    tail = nil
    silentUntil = start
    guard start &- end < lookahead else { return }
    silentUntil = start &+ converter.wanted.duration(ofSamples: packetSamples)
    if silence.isEmpty { silence = Array(repeating: 0, count: packetSamples * Int(options.channels)) }
    let duration = converter.wanted.duration(ofSamples: packetSamples)
    try silence.withUnsafeBufferPointer { samples throws(MediaError) in
      try encode(samples, at: start, duration: duration, level: AudioFrame.silentLevel, flags: 0, body)
    }
  }

  private func encode(piece: AudioFrame, _ body: (Packet) throws(MediaError) -> Void) throws(MediaError) {
    let duration = piece.native.pointee.duration_ns
    let isAfterGap = piece.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0
    tail = piece.timestamp + duration
    try encode(
      UnsafeBufferPointer(piece.f32), at: piece.timestamp, duration: duration, level: piece.native.pointee.level,
      flags: isAfterGap ? UInt32(MSDK_ENCODED_DISCONTINUITY) : 0, body)
  }

  private func encode(
    _ samples: UnsafeBufferPointer<Float>, at time: Int64, duration: Int64, level: UInt32, flags: UInt32,
    _ body: (Packet) throws(MediaError) -> Void
  ) throws(MediaError) {
    sequence += 1
    guard let encoded = try encoder.encode(samples) else { return try body(Packet(frame: nil, end: time + duration)) }
    defer { encoded.release() }
    let native = encoded.native
    native.pointee.codec = options.encodedCodec
    native.pointee.timestamp_ns = time - lookahead
    native.pointee.duration_ns = duration
    native.pointee.sample_rate = 48_000
    native.pointee.channels = options.channels
    native.pointee.level = level
    native.pointee.flags = flags
    native.pointee.sequence = sequence
    encoded.seal()
    try body(Packet(frame: encoded, end: time + duration))
  }
}
