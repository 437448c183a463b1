import CMediaSDK
import MediaCodecs
import MediaCore

/// An instance that encodes one stream of sound, from its making to its end. Used by one thread at a time, which may change.
public final class PluginAudioEncoder: Sendable {
  /// Samples per channel, at the encoder's rate, by which the decoded sound is late.
  public let lookahead: Int
  let instance: PluginInstance
  private let channels: Int
  private var table: msdk_audio_encoder? { instance.descriptor.audioEncoder }

  init(_ descriptor: ClassDescriptor, _ settings: AudioEncoderSettings, _ host: CodecHost, events: PluginInstance.EventHandler? = nil)
    throws(MediaError)
  {
    channels = settings.channels
    var native = settings.foreign
    let instance = try host.makeInstance(descriptor, MSDK_KIND_AUDIO_ENCODER, events) { $0.audioEncoder?.open_encoder?($1, &native) }
    self.instance = instance
    // A second at most: what is longer is no lookahead, but a plugin's mistake.
    lookahead = Int(min(ForeignCode.run { instance.descriptor.audioEncoder?.lookahead?(instance.plugin) ?? 0 }, settings.sampleRate))
  }

  deinit {
    instance.destroy()
  }

  /// From the next packet on.
  public func setRate(_ bitsPerSecond: Int, expectedLoss: Int) throws(MediaError) {
    try instance.callCodec(MSDK_KIND_AUDIO_ENCODER, "set_rate") {
      table?.set_rate?($0, UInt64(clamping: bitsPerSecond), UInt32(clamping: expectedLoss))
    }
  }

  /// One packet of interleaved samples, with a reference for the caller; nil for what need not be sent.
  public func encode(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) -> EncodedFrame? {
    let count = UInt32(clamping: samples.count / max(1, channels))
    let packet = try instance.encode(MSDK_KIND_AUDIO_ENCODER) { table?.encode?($0, samples.baseAddress, count, $1) }
    guard let packet, packet.bytes.count > AudioPacketHeader.largestPacket else { return packet }
    defer { packet.release() }
    throw MediaError(
      .abi, "\(instance.descriptor.id): a packet of \(packet.bytes.count) bytes; accepted: 1..\(AudioPacketHeader.largestPacket)")
  }
}
