import COpus
import MediaCore

/// libopus' decoder: interleaved, 48,000 Hz, of so many channels whatever the packets have. Counts are samples per channel. Used by one thread at a
/// time, which may change.
final class OpusDecoder: @unchecked Sendable {
  let channels: Int
  private let state: OpaquePointer
  /// After a packet without SILK libopus conceals where it is asked to recover.
  private var isInCELT = false

  init(channels: Int) throws(MediaError) {
    guard (1...2).contains(channels) else { throw MediaError(.range, "the Opus decoder's channels are \(channels); accepted: 1, 2") }
    var code: Int32 = OPUS_OK
    guard let state = opus_decoder_create(48_000, Int32(channels), &code) else { throw opusError("making an Opus decoder", code) }
    self.state = state
    self.channels = channels
  }

  deinit { opus_decoder_destroy(state) }

  /// Data that is no packet is `.corrupt`, and leaves the decoder as it was; `.bufferSmall` when `into` cannot hold the packet's samples.
  func decode(_ packet: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int {
    let toc = try OpusPacket(parsing: packet).toc
    let count = try run(packet, count: toc.duration, recovers: false, into: output)
    isInCELT = toc.mode == .celt
    return count
  }

  /// Makes up what was lost: a multiple of 2.5 ms, 120 samples, up to 120 ms.
  func conceal(sampleCount: Int, into output: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int {
    try check(sampleCount)
    return try run(UnsafeRawBufferPointer(start: nil, count: 0), count: sampleCount, recovers: false, into: output)
  }

  /// The same from what the packet after the loss carries of it, to be called before that is decoded; nil when it carries nothing of it, or what it
  /// carries cannot be used: then `conceal`.
  func recover(
    sampleCount: Int, from next: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<Float>
  ) throws(MediaError) -> Int? {
    try check(sampleCount)
    let header = try OpusPacket(parsing: next)
    guard header.hasRedundancy, !isInCELT, sampleCount >= header.toc.samplesPerFrame else { return nil }
    return try run(next, count: sampleCount, recovers: true, into: output)
  }

  /// Forgets the sound.
  func reset() {
    copus_decoder_reset(state)
    isInCELT = false
  }

  private func run(
    _ packet: UnsafeRawBufferPointer, count: Int, recovers: Bool, into output: UnsafeMutableBufferPointer<Float>
  ) throws(MediaError) -> Int {
    guard let target = output.baseAddress, output.count >= count * channels else {
      throw MediaError(.bufferSmall, "room for \(output.count) samples; needed: \(count) for each of \(channels) channels")
    }
    let bytes = packet.assumingMemoryBound(to: UInt8.self).baseAddress
    let made = opus_decode_float(state, bytes, Int32(packet.count), target, Int32(count), recovers ? 1 : 0)
    guard made >= 0 else {
      let error = opusError("decoding an Opus packet of \(packet.count) bytes", made)
      throw error.status == .noMemory ? error : MediaError(.corrupt, error.text)
    }
    return Int(made)
  }

  private func check(_ sampleCount: Int) throws(MediaError) {
    guard sampleCount > 0, sampleCount <= OpusTOC.longest, sampleCount % 120 == 0 else {
      throw MediaError(.invalid, "\(sampleCount) samples to conceal; accepted: multiples of 120, up to \(OpusTOC.longest)")
    }
  }
}
