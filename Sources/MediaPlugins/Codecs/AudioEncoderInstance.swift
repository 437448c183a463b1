import CMediaSDK
import MediaCodecs
import MediaCore

/// The states and packets of an encoder of sound.
extension PluginInstance {
  func openAudioEncoder(_ settings: AudioEncoderSettings) throws(MediaError) {
    guard let table = descriptor.audioEncoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not an audio encoder") }
    try turn.take("open_encoder") { () throws(MediaError) in
      try checkAlive()
      try checkRequired()
      var native = settings.foreign
      try call("open_encoder") { table.open_encoder?($0, &native) ?? 0 }
      state.withLock { $0.audioEncoder = .ready }
    }
  }

  func closeAudioEncoder() throws(MediaError) {
    guard let table = descriptor.audioEncoder else { return }
    try turn.take("close_encoder") { () throws(MediaError) in
      guard state.withLock({ $0.audioEncoder }) > .created else { return }
      state.withLock { $0.audioEncoder = .created }
      try call("close_encoder") { table.close_encoder?($0) ?? 0 }
    }
  }

  /// A second at most: what is longer is no lookahead, but a plugin's mistake.
  func audioLookahead(sampleRate: UInt32) -> Int {
    guard let lookahead = descriptor.audioEncoder?.lookahead else { return 0 }
    return Int(min(ForeignCode.run { lookahead(plugin) }, sampleRate))
  }

  func setAudioRate(_ bitrate: Int, expectedLoss: Int) throws(MediaError) {
    try withOpenAudioEncoder("set_rate") { table throws(MediaError) in
      try call("set_rate") { table.set_rate?($0, UInt64(clamping: bitrate), UInt32(clamping: expectedLoss)) ?? 0 }
    }
  }

  /// With a reference for the caller; nil for what need not be sent.
  func encode(_ samples: UnsafeBufferPointer<Float>, channels: Int) throws(MediaError) -> EncodedFrame? {
    var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
    do throws(MediaError) {
      try withOpenAudioEncoder("encode") { table throws(MediaError) in
        let count = UInt32(clamping: samples.count / max(1, channels))
        try call("encode") { table.encode?($0, samples.baseAddress, count, &pointer) ?? 0 }
      }
    } catch {
      if error.status == .again { return nil }
      throw error
    }
    let packet = try takeEncoded(pointer)
    guard packet.bytes.count <= AudioCodec.largestPacket else {
      defer { packet.release() }
      throw MediaError(.abi, "\(descriptor.id): a packet of \(packet.bytes.count) bytes; accepted: 1..\(AudioCodec.largestPacket)")
    }
    return packet
  }

  private func withOpenAudioEncoder(_ what: String, _ body: (msdk_audio_encoder) throws(MediaError) -> Void) throws(MediaError) {
    guard let table = descriptor.audioEncoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not an audio encoder") }
    try turn.take(what) { () throws(MediaError) in
      guard state.withLock({ $0.audioEncoder }) > .created else { throw MediaError(.closed, "the encoder of \(descriptor.id) is closed") }
      try body(table)
    }
  }
}

extension AudioEncoderSettings {
  var foreign: msdk_audio_encoder_settings {
    msdk_audio_encoder_settings(
      struct_size: UInt32(MemoryLayout<msdk_audio_encoder_settings>.size), sample_rate: sampleRate, channels: UInt32(clamping: channels),
      application: application.rawValue, bitrate: UInt64(clamping: bitrate), complexity: UInt32(clamping: complexity), fec: fec ? 1 : 0,
      expected_loss: UInt32(clamping: expectedLoss), dtx: dtx ? 1 : 0)
  }

  init(_ native: msdk_audio_encoder_settings) throws(MediaError) {
    guard let application = OpusApplication(rawValue: native.application) else {
      throw MediaError(.range, "the encoder's application is \(native.application); accepted: MSDK_OPUS_*, 0..2")
    }
    self.init(
      sampleRate: native.sample_rate, channels: Int(native.channels), application: application, bitrate: Int(clamping: native.bitrate),
      complexity: Int(native.complexity), fec: native.fec != 0, expectedLoss: Int(native.expected_loss), dtx: native.dtx != 0)
  }
}

/// An instance that encodes one stream of sound, from its making to its end. Used by one thread at a time, which may change.
public final class PluginAudioEncoder: Sendable {
  /// Samples per channel, at the encoder's rate, by which the decoded sound is late.
  public let lookahead: Int
  private let instance: PluginInstance
  private let channels: Int

  init(_ descriptor: ClassDescriptor, _ settings: AudioEncoderSettings, _ host: CodecHost, events: PluginInstance.EventHandler? = nil)
    throws(MediaError)
  {
    channels = settings.channels
    instance = try host.makeInstance(descriptor, .audio, events)
    do throws(MediaError) {
      try instance.openAudioEncoder(settings)
    } catch {
      instance.destroy()
      throw error
    }
    lookahead = instance.audioLookahead(sampleRate: settings.sampleRate)
  }

  deinit {
    instance.destroy()
  }

  /// From the next packet on.
  public func setRate(_ bitsPerSecond: Int, expectedLoss: Int) throws(MediaError) {
    try instance.setAudioRate(bitsPerSecond, expectedLoss: expectedLoss)
  }

  /// One packet of interleaved samples, with a reference for the caller; nil for what need not be sent.
  public func encode(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) -> EncodedFrame? {
    try instance.encode(samples, channels: channels)
  }
}
