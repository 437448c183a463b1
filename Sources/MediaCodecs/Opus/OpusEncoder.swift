import COpus
import MediaCore

/// libopus' encoder: variable bit rate around the aim. Used by one thread at a time, which may change.
final class OpusEncoder: @unchecked Sendable {
  /// 60 ms are three frames of 20 ms at most, and their lengths.
  private static let largestPacket = 3 * OpusPacket.largestFrame + 7
  static let sampleRates: [UInt32] = [8_000, 12_000, 16_000, 24_000, 48_000]
  static let bitrates = 6_000...510_000

  private let settings: AudioEncoderSettings
  private let state: OpaquePointer
  private let packet: UnsafeMutablePointer<UInt8>
  /// Samples per channel, at the encoder's rate, by which the decoded sound is late.
  let lookahead: Int
  var channels: Int { settings.channels }

  init(_ settings: AudioEncoderSettings) throws(MediaError) {
    guard OpusEncoder.sampleRates.contains(settings.sampleRate) else {
      throw MediaError(.range, "the Opus encoder's sample rate is \(settings.sampleRate); accepted: 8000, 12000, 16000, 24000, 48000")
    }
    guard (1...2).contains(settings.channels) else {
      throw MediaError(.range, "the Opus encoder's channels are \(settings.channels); accepted: 1, 2")
    }
    guard (0...10).contains(settings.complexity) else {
      throw MediaError(.range, "the Opus encoder's complexity is \(settings.complexity); accepted: 0..10")
    }
    try OpusEncoder.check(bitrate: settings.bitrate)
    try OpusEncoder.check(expectedLoss: settings.expectedLoss)
    let application =
      switch settings.application {
      case .voip: OPUS_APPLICATION_VOIP
      case .audio: OPUS_APPLICATION_AUDIO
      case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
      }
    var code: Int32 = OPUS_OK
    guard let state = opus_encoder_create(Int32(settings.sampleRate), Int32(settings.channels), application, &code) else {
      throw opusError("making an Opus encoder", code)
    }
    self.settings = settings
    self.state = state
    packet = .allocate(capacity: OpusEncoder.largestPacket)
    var lookahead: Int32 = 0
    copus_encoder_get(state, OPUS_GET_LOOKAHEAD_REQUEST, &lookahead)
    self.lookahead = Int(lookahead)
    try set(OPUS_SET_BITRATE_REQUEST, settings.bitrate, "bit rate")
    try set(OPUS_SET_COMPLEXITY_REQUEST, settings.complexity, "complexity")
    try set(OPUS_SET_INBAND_FEC_REQUEST, settings.fec ? 1 : 0, "FEC")
    try set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, settings.expectedLoss, "expected loss")
    try set(OPUS_SET_DTX_REQUEST, settings.dtx ? 1 : 0, "DTX")
  }

  deinit {
    opus_encoder_destroy(state)
    packet.deallocate()
  }

  /// One packet of 2.5, 5, 10, 20, 40 or 60 ms of interleaved samples. Its bytes are valid inside `body` only; nil when DTX drops it.
  func encode<Result>(
    _ samples: UnsafeBufferPointer<Float>, body: (UnsafeRawBufferPointer) throws(MediaError) -> Result
  ) throws(MediaError) -> Result? {
    let count = samples.count / settings.channels
    // In units of 2.5 ms, which are a whole number of samples at every rate.
    let unit = Int(settings.sampleRate) / 400
    guard let start = samples.baseAddress, samples.count % (unit * settings.channels) == 0, isLength(count / unit) else {
      throw MediaError(
        .invalid,
        "\(count) samples to encode at \(settings.sampleRate) Hz; accepted: 2.5, 5, 10, 20, 40 or 60 ms, each \(unit) or a multiple")
    }
    // One such sample would spoil all that the encoder makes afterwards.
    if let index = SampleMath.firstNotFinite(start, count: samples.count) {
      throw MediaError(.invalid, "sample \(index) to encode is \(start[index]); accepted: numbers")
    }
    let size = opus_encode_float(state, start, Int32(count), packet, Int32(OpusEncoder.largestPacket))
    guard size >= 0 else { throw opusError("encoding \(count) samples", size) }
    // libopus' way to say that this packet need not be sent.
    if settings.dtx, size <= 2 { return nil }
    return try body(UnsafeRawBufferPointer(start: packet, count: Int(size)))
  }

  /// From the next packet on.
  func setBitrate(_ bitsPerSecond: Int) throws(MediaError) {
    try OpusEncoder.check(bitrate: bitsPerSecond)
    try set(OPUS_SET_BITRATE_REQUEST, bitsPerSecond, "bit rate")
  }

  /// Per cent of packets, which steers how much is spent on redundancy.
  func setExpectedLoss(_ percent: Int) throws(MediaError) {
    try OpusEncoder.check(expectedLoss: percent)
    try set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, percent, "expected loss")
  }

  private func isLength(_ units: Int) -> Bool {
    switch units {
    case 1, 2, 4, 8, 16, 24: true
    default: false
    }
  }

  private func set(_ request: Int32, _ value: Int, _ name: String) throws(MediaError) {
    let code = copus_encoder_set(state, request, Int32(clamping: value))
    guard code == OPUS_OK else { throw opusError("setting the Opus encoder's \(name) to \(value)", code) }
  }

  private static func check(bitrate: Int) throws(MediaError) {
    guard bitrates.contains(bitrate) else {
      throw MediaError(.range, "the Opus bit rate is \(bitrate); accepted: \(bitrates.lowerBound)..\(bitrates.upperBound) bits a second")
    }
  }

  private static func check(expectedLoss: Int) throws(MediaError) {
    guard (0...100).contains(expectedLoss) else {
      throw MediaError(.range, "the expected loss is \(expectedLoss); accepted: 0..100 per cent")
    }
  }
}
