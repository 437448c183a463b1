import CMediaSDK
import MediaCodecs
import MediaCore

/// Gives a renderer sound of the format that it asked for. Used inside the instance's turn only.
final class AudioRendererAdapter: @unchecked Sendable {
  /// What a renderer is started for.
  enum Arriving {
    case samples(AudioFormat)
    case packets

    /// Buffers of another length are no reason to start anew: the converter cuts them.
    func isServed(by other: Arriving) -> Bool {
      switch (self, other) {
      case (.samples(let format), .samples(let started)): format.isSameSound(as: started)
      case (.packets, .packets): true
      default: false
      }
    }
  }

  /// Eight that the renderer may keep (rule P4), and as many on their way.
  private let pool = BufferPool(limit: 16)
  private var arriving: Arriving?
  private var converter: AudioConverter?

  func isOpen(for arriving: Arriving) -> Bool {
    self.arriving.map { arriving.isServed(by: $0) } ?? false
  }

  /// `wanted` is of samples; packets are not converted.
  func open(for arriving: Arriving, wanted: AudioFormat?) {
    self.arriving = arriving
    converter = wanted.map { AudioConverter(to: $0, pool: pool) }
  }

  func close() {
    arriving = nil
    converter = nil
  }

  /// Calls body with each buffer that is whole. What body throws is thrown when the converter has given all it has: only a renderer that is
  /// busy is asked again meanwhile.
  func adapt(_ frame: AudioFrame, _ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    guard let converter else { return }
    var failure: MediaError?
    do throws(MediaError) {
      try converter.convert(frame) { buffer throws(MediaError) in
        if buffer != frame { buffer.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE) }
        hand(buffer, to: body, &failure)
      }
    } catch {
      throw AudioRendererAdapter.meaning(of: error)
    }
    try settle(failure)
  }

  /// What is still inside.
  func flush(_ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    guard let converter else { return }
    var failure: MediaError?
    do throws(MediaError) {
      try converter.flush { buffer throws(MediaError) in
        buffer.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
        hand(buffer, to: body, &failure)
      }
    } catch {
      throw AudioRendererAdapter.meaning(of: error)
    }
    try settle(failure)
  }

  private func hand(_ buffer: AudioFrame, to body: (AudioFrame) throws(MediaError) -> Void, _ failure: inout MediaError?) {
    guard failure == nil || failure?.status == .again else { return }
    do throws(MediaError) {
      try body(buffer)
    } catch {
      failure = error
    }
  }

  private func settle(_ failure: MediaError?) throws(MediaError) {
    guard let failure else { return }
    // Whoever failed is not given the rest when he is stopped.
    if failure.status != .again { converter?.reset() }
    throw failure
  }

  private static func meaning(of error: MediaError) -> MediaError {
    guard error.status == .noMemory else { return error }
    return MediaError(.again, "the renderer holds all of its 16 buffers: it must release some (rule P4)")
  }
}
