import CMediaSDK
import MediaCodecs
import MediaCore

/// Sound of the sample format that a filter takes, and what it was before the filter had it. Used inside the instance's turn only.
final class AudioFilterAdapter: @unchecked Sendable {
  /// What waits to be read may be so many.
  static let buffers = 2048

  private let pool = BufferPool(limit: AudioFilterAdapter.buffers)
  private var asked: AudioFormat?
  private var offered: AudioFormat?
  private var saved: [UInt8] = []

  func reset() {
    asked = nil
  }

  /// Agrees on a sample format anew when other sound comes. `ask` says whether the filter takes that.
  func agree(on frame: AudioFrame, _ ask: (AudioFormat) throws(MediaError) -> Bool) throws(MediaError) {
    var format = frame.format
    format.samplesPerBuffer = 0
    guard asked != format else { return }
    asked = nil
    for candidate in [format.sampleFormat, format.sampleFormat == .s16 ? .f32 : .s16] {
      var offer = format
      offer.sampleFormat = candidate
      guard try ask(offer) else { continue }
      (asked, offered) = (format, offer)
      return
    }
    throw MediaError(.format, "the filter accepts no sample format at \(format.sampleRate) Hz with \(format.channels) channels")
  }

  /// The buffer in the format that was offered, of its own; nil when it is of that already.
  func converted(_ frame: AudioFrame) throws(MediaError) -> AudioFrame? {
    guard let offered, offered.sampleFormat != frame.format.sampleFormat else { return nil }
    return try convert(frame, to: offered.sampleFormat)
  }

  func convert(_ frame: AudioFrame, to sampleFormat: SampleFormat) throws(MediaError) -> AudioFrame {
    let result = try make(like: frame, sampleFormat)
    switch sampleFormat {
    case .f32:
      if let from = frame.s16.baseAddress, let to = result.f32.baseAddress { SampleMath.toFloat(from, to, count: frame.s16.count) }
    case .s16:
      if let from = frame.f32.baseAddress, let to = result.s16.baseAddress { SampleMath.toS16(from, to, count: frame.f32.count) }
    }
    return result
  }

  func copy(_ frame: AudioFrame) throws(MediaError) -> AudioFrame {
    let result = try make(like: frame, frame.format.sampleFormat)
    result.bytes.copyMemory(from: UnsafeRawBufferPointer(frame.bytes))
    return result
  }

  private func make(like frame: AudioFrame, _ sampleFormat: SampleFormat) throws(MediaError) -> AudioFrame {
    var format = frame.format
    format.sampleFormat = sampleFormat
    guard let result = try AudioFrame.make(format, sampleCount: frame.sampleCount, from: pool, deadline: 0) else {
      throw MediaError(.again, "all \(pool.limit) buffers for converted audio are in use")
    }
    result.copyIdentity(from: frame)
    return result
  }

  // MARK: As it was

  func save(_ frame: AudioFrame) {
    let bytes = frame.bytes
    if saved.count < bytes.count { saved = Array(repeating: 0, count: bytes.count) }
    saved.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
  }

  func restore(_ frame: AudioFrame) {
    let bytes = frame.bytes
    guard saved.count >= bytes.count else { return }
    saved.withUnsafeBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<bytes.count])) }
  }
}
