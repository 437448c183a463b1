import CMediaSDK
import MediaCodecs
import MediaCore

/// What a filter may give for a frame: checked in the process in which it runs. Errors say what it did.
package enum FilterRules {
  /// The other frame that a filter gave, with its reference; nil when it is `input`, whose reference is let go of then: the filter's, which was
  /// taken beside ours before the call.
  package static func accept(
    _ out: UnsafeMutablePointer<msdk_video_frame>?, for input: VideoFrame, agreed format: VideoFormat
  ) throws(MediaError) -> VideoFrame? {
    guard let out else { throw picture(.invalid, "succeeded and returned no frame") }
    if out == input.native {
      guard input.references > 1 else { throw picture(.handle, "returned the frame whose reference it had released") }
      input.release()
      try input.check(argument: "what it returned")
      guard input.fits(format) else { throw picture(.format, "returned \(input.format); agreed: \(format)") }
      return nil
    }
    guard let given = try? VideoFrame.retained(foreign: out) else { throw picture(.handle, "returned a frame that is not live") }
    // Whose reference this would be is not known: it stays where it is.
    defer { given.release() }
    guard given.isWritable || given.native.pointee.sequence == 0 else {
      throw picture(.invalid, "returned a frame that it had returned before; accepted: its input, or a new frame")
    }
    guard given.references > 1 else { throw picture(.handle, "returned a frame without a reference") }
    do throws(MediaError) {
      try given.check(argument: "what it returned")
    } catch {
      given.release()
      throw error
    }
    guard given.fits(format) else {
      let was = given.format
      given.release()
      throw picture(.format, "returned \(was); agreed: \(format)")
    }
    given.copyIdentity(from: input)
    given.setWritable(false)
    return given
  }

  /// The same of sound. `held` are the references that `input` had before the filter got its own.
  package static func accept(
    _ out: UnsafeMutablePointer<msdk_audio_frame>?, for input: AudioFrame, isWritable: Bool, held: UInt32
  ) throws(MediaError) -> AudioFrame? {
    guard let out else { throw sound(.invalid, "succeeded and returned no buffer") }
    if out == input.native {
      guard !isWritable || input.references > held else {
        throw sound(.handle, "returned the buffer whose reference it had released")
      }
      input.release()
      try input.checkNumbers(argument: given)
      return nil
    }
    guard let other = try? AudioFrame.retained(foreign: out) else { throw sound(.handle, "returned a buffer that is not live") }
    // Whose reference this would be is not known: it stays where it is.
    defer { other.release() }
    guard other.isWritable else {
      throw sound(.invalid, "returned a buffer that it had returned before; accepted: its input, or a new buffer")
    }
    guard other.references > 1 else { throw sound(.handle, "returned a buffer without a reference") }
    do throws(MediaError) {
      guard other.sampleCount == input.sampleCount, other.format.isSameSound(as: input.format) else {
        throw sound(.format, "returned \(other.sampleCount) samples of \(other.format); agreed: \(input.sampleCount) of \(input.format)")
      }
      try other.checkNumbers(argument: given)
    } catch {
      other.release()
      throw error
    }
    other.copyIdentity(from: input)
    other.setWritable(false)
    return other
  }

  private static let given = "what filter_audio_frame returned"

  private static func picture(_ status: Status, _ text: String) -> MediaError { MediaError(status, "filter_video_frame \(text)") }
  private static func sound(_ status: Status, _ text: String) -> MediaError { MediaError(status, "filter_audio_frame \(text)") }
}
