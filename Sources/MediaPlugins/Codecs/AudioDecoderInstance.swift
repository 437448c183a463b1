import CMediaSDK
import MediaCodecs
import MediaCore

/// The states and sound of a decoder of sound.
extension PluginInstance {
  typealias DecodeCall = (msdk_audio_decoder, OpaquePointer) -> Int32

  func openAudioDecoder(channels: Int) throws(MediaError) {
    guard let table = descriptor.audioDecoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not an audio decoder") }
    try turn.take("open_decoder") { () throws(MediaError) in
      try checkAlive()
      try checkRequired()
      try call("open_decoder") { table.open_decoder?($0, UInt32(clamping: channels)) ?? 0 }
      state.withLock { $0.audioDecoder = .ready }
    }
  }

  func closeAudioDecoder() throws(MediaError) {
    guard let table = descriptor.audioDecoder else { return }
    try turn.take("close_decoder") { () throws(MediaError) in
      guard state.withLock({ $0.audioDecoder }) > .created else { return }
      state.withLock { $0.audioDecoder = .created }
      try call("close_decoder") { table.close_decoder?($0) ?? 0 }
    }
  }

  /// Samples per channel that the plugin says it wrote: as many as there is room for at most, all of them numbers.
  func decodeAudio(
    _ function: String, into output: UnsafeMutableBufferPointer<Float>, channels: Int, _ body: DecodeCall
  ) throws(MediaError) -> Int {
    guard let table = descriptor.audioDecoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not an audio decoder") }
    var made: Int32 = 0
    try turn.take(function) { () throws(MediaError) in
      guard state.withLock({ $0.audioDecoder }) > .created else { throw MediaError(.closed, "the decoder of \(descriptor.id) is closed") }
      try call(function) { plugin in
        made = body(table, plugin)
        return made
      }
    }
    let room = output.count / max(1, channels)
    guard made <= room else { throw MediaError(.corrupt, "\(descriptor.id): \(function) returned \(made) samples, with room for \(room)") }
    if let start = output.baseAddress, let index = SampleMath.firstNotFinite(start, count: Int(made) * channels) {
      throw MediaError(.corrupt, "\(descriptor.id): sample \(index) of \(function) is \(start[index]); accepted: numbers")
    }
    return Int(made)
  }
}

/// An instance that decodes one stream of sound to interleaved f32 at 48,000 Hz, from its making to its end. Used by one thread at a time, which
/// may change. Counts are samples per channel.
public final class PluginAudioDecoder: Sendable {
  private let instance: PluginInstance
  private let headers: (any EncodedHeaders)?
  private let channels: Int

  init(_ descriptor: ClassDescriptor, channels: Int, _ host: CodecHost, events: PluginInstance.EventHandler? = nil) throws(MediaError) {
    self.channels = channels
    instance = try host.makeInstance(descriptor, .audio, events)
    headers = instance.headers
    do throws(MediaError) {
      try instance.openAudioDecoder(channels: channels)
    } catch {
      instance.destroy()
      throw error
    }
  }

  deinit {
    instance.destroy()
  }

  /// What a packet tells without being decoded, read where the decoder is.
  public func parse(_ packet: UnsafeRawBufferPointer) throws(MediaError) -> AudioPacketHeader {
    try instance.descriptor.parseAudio(packet, by: headers)
  }

  public func decode(_ packet: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int {
    let capacity = UInt32(clamping: output.count / max(1, channels))
    let made = try instance.decodeAudio("decode", into: output, channels: channels) { table, plugin in
      table.decode?(plugin, packet.baseAddress, UInt64(packet.count), output.baseAddress, capacity) ?? 0
    }
    guard made > 0 else { throw MediaError(.corrupt, "\(instance.descriptor.id): a packet of \(packet.count) bytes without samples") }
    return made
  }

  /// Makes up what was lost: a multiple of 120, up to 5,760. What a plugin leaves out is silent.
  public func conceal(sampleCount: Int, into output: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int {
    try check(sampleCount, output)
    let count = UInt32(clamping: sampleCount)
    let made = try instance.decodeAudio("conceal", into: output, channels: channels) { table, plugin in
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
    let made = try instance.decodeAudio("recover", into: output, channels: channels) { table, plugin in
      table.recover?(plugin, count, next.baseAddress, UInt64(next.count), output.baseAddress) ?? 0
    }
    return made == 0 ? nil : fill(output, from: made, to: sampleCount)
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

extension ClassDescriptor {
  /// What a packet tells without being decoded. Without an instance; the bytes may be anything.
  func parseAudio(_ data: UnsafeRawBufferPointer, by headers: (any EncodedHeaders)? = nil) throws(MediaError) -> AudioPacketHeader {
    var native = msdk_packet_header()
    native.struct_size = UInt32(MemoryLayout<msdk_packet_header>.size)
    let result: msdk_result
    if let headers = headers ?? module.headers {
      result = try headers.parseAudio(data, of: id, &native)
    } else {
      result = ForeignCode.run {
        audioDecoder?.parse_header?(data.baseAddress, UInt64(data.count), &native) ?? msdk_result(MSDK_E_UNSUPPORTED)
      }
    }
    guard result >= 0 else {
      if module === BuiltInModule.loaded?.module { try BuiltInModule.explainAudio(data, id) }
      throw MediaError(Status(foreign: result), "\(id): the \(data.count) bytes are not a packet")
    }
    guard 1...5760 ~= native.sample_count, 1...2 ~= native.channels else {
      throw MediaError(
        .corrupt, "\(id): the header declares \(native.sample_count) samples of \(native.channels) channels; accepted: 1..5760 of 1 or 2")
    }
    return AudioPacketHeader(
      sampleCount: Int(native.sample_count), channels: Int(native.channels), hasRedundancy: native.has_redundancy != 0)
  }
}
