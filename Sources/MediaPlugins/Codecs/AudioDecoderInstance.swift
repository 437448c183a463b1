import CMediaSDK
import MediaCodecs
import MediaCore

/// An instance that decodes one stream of sound to interleaved f32 at 48,000 Hz, from its making to its end. Used by one thread at a time, which
/// may change. Counts are samples per channel.
public final class PluginAudioDecoder: Sendable {
  let instance: PluginInstance
  private let headers: (any EncodedHeaders)?
  private let channels: Int

  init(_ descriptor: ClassDescriptor, channels: Int, _ host: CodecHost, events: PluginInstance.EventHandler? = nil) throws(MediaError) {
    self.channels = channels
    let count = UInt32(clamping: channels)
    instance = try host.makeInstance(descriptor, MSDK_KIND_AUDIO_DECODER, events) { $0.audioDecoder?.open_decoder?($1, count) }
    headers = instance.headers
  }

  deinit {
    instance.destroy()
  }

  /// What a packet tells without being decoded, read where the decoder is.
  public func parse(_ packet: UnsafeRawBufferPointer) throws(MediaError) -> AudioPacketHeader {
    try instance.descriptor.parseAudio(packet, by: headers)
  }

  /// Decodes one packet, and returns how many samples per channel it wrote. `.corrupt` for a packet without samples, for samples that are
  /// not finite, and for more than there is room for; else what the plugin failed with.
  public func decode(_ packet: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int {
    let capacity = UInt32(clamping: output.count / max(1, channels))
    let made = try call("decode", into: output) { table, plugin in
      table.decode?(plugin, packet.baseAddress, UInt64(packet.count), output.baseAddress, capacity) ?? 0
    }
    guard made > 0 else { throw MediaError(.corrupt, "\(instance.descriptor.id): a packet of \(packet.count) bytes without samples") }
    return made
  }

  /// Makes up what was lost: a multiple of 120, up to 5,760. What a plugin leaves out is silent.
  public func conceal(sampleCount: Int, into output: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int {
    try check(sampleCount, output)
    let count = UInt32(clamping: sampleCount)
    let made = try call("conceal", into: output) { table, plugin in
      table.conceal?(plugin, count, output.baseAddress) ?? 0
    }
    return fill(output, from: made, to: sampleCount)
  }

  /// The same from what the packet after the loss carries of it, to be called before that is decoded; nil when it carries nothing of it.
  public func recover(
    sampleCount: Int, from next: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<Float>
  ) throws(MediaError) -> Int? {
    guard instance.descriptor.audioDecoder?.recover != nil else { return nil }
    try check(sampleCount, output)
    let count = UInt32(clamping: sampleCount)
    let made = try call("recover", into: output) { table, plugin in
      table.recover?(plugin, count, next.baseAddress, UInt64(next.count), output.baseAddress) ?? 0
    }
    return made == 0 ? nil : fill(output, from: made, to: sampleCount)
  }

  /// Samples per channel that the plugin says it wrote: as many as there is room for at most, all of them numbers.
  @inline(__always)
  private func call(
    _ function: String, into output: UnsafeMutableBufferPointer<Float>, _ body: (msdk_audio_decoder, OpaquePointer) -> Int32
  ) throws(MediaError) -> Int {
    let descriptor = instance.descriptor
    var made: Int32 = 0
    try instance.callCodec(MSDK_KIND_AUDIO_DECODER, function) { plugin in
      made = descriptor.audioDecoder.map { body($0, plugin) } ?? 0
      return made
    }
    let room = output.count / max(1, channels)
    guard made <= room else { throw MediaError(.corrupt, "\(descriptor.id): \(function) returned \(made) samples, with room for \(room)") }
    if let start = output.baseAddress, let index = SampleMath.firstNotFinite(start, count: Int(made) * channels) {
      throw MediaError(.corrupt, "\(descriptor.id): sample \(index) of \(function) is \(start[index]); accepted: numbers")
    }
    return Int(made)
  }

  private func check(_ sampleCount: Int, _ output: UnsafeMutableBufferPointer<Float>) throws(MediaError) {
    guard 1...5760 ~= sampleCount, sampleCount % 120 == 0 else {
      throw MediaError(.invalid, "\(sampleCount) samples to conceal; accepted: multiples of 120, up to 5760")
    }
    guard output.count >= sampleCount * channels else {
      throw MediaError(.bufferSmall, "room for \(output.count) samples; needed: \(sampleCount) for each of \(channels) channels")
    }
  }

  private func fill(_ output: UnsafeMutableBufferPointer<Float>, from made: Int, to wanted: Int) -> Int {
    guard made < wanted else { return min(made, wanted) }
    for index in made * channels..<wanted * channels { output[index] = 0 }
    return wanted
  }
}
