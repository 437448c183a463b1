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
    guard let out else { throw picture(.invalid, "succeeded and gave no frame") }
    if out == input.native {
      guard input.references > 1 else { throw picture(.handle, "gave the frame back whose reference it had given away") }
      input.release()
      try input.check(argument: "what it gave")
      guard input.fits(format) else { throw picture(.format, "gave \(input.format); agreed: \(format)") }
      return nil
    }
    guard let given = try? VideoFrame.retained(foreign: out) else { throw picture(.handle, "gave a frame that is not live") }
    // Whose reference this would be is not known: it stays where it is.
    defer { given.release() }
    guard given.isWritable || given.native.pointee.sequence == 0 else {
      throw picture(.invalid, "gave a frame that was given before; accepted: the one that came, or a new one")
    }
    guard given.references > 1 else { throw picture(.handle, "gave a frame without a reference") }
    do throws(MediaError) {
      try given.check(argument: "what it gave")
    } catch {
      given.release()
      throw error
    }
    guard given.fits(format) else {
      let was = given.format
      given.release()
      throw picture(.format, "gave \(was); agreed: \(format)")
    }
    given.copyIdentity(from: input)
    given.setWritable(false)
    return given
  }

  /// The same of sound. `held` are the references that `input` had before the filter got its own.
  package static func accept(
    _ out: UnsafeMutablePointer<msdk_audio_frame>?, for input: AudioFrame, isWritable: Bool, held: UInt32
  ) throws(MediaError) -> AudioFrame? {
    guard let out else { throw sound(.invalid, "succeeded and gave no buffer") }
    if out == input.native {
      guard !isWritable || input.references > held else {
        throw sound(.handle, "gave the buffer back whose reference it had given away")
      }
      input.release()
      try input.checkNumbers(argument: given)
      return nil
    }
    guard let other = try? AudioFrame.retained(foreign: out) else { throw sound(.handle, "gave a buffer that is not live") }
    // Whose reference this would be is not known: it stays where it is.
    defer { other.release() }
    guard other.isWritable else {
      throw sound(.invalid, "gave a buffer that was given before; accepted: the one that came, or a new one")
    }
    guard other.references > 1 else { throw sound(.handle, "gave a buffer without a reference") }
    do throws(MediaError) {
      guard other.sampleCount == input.sampleCount, other.format.isSameSound(as: input.format) else {
        throw sound(.format, "gave \(other.sampleCount) samples of \(other.format); agreed: \(input.sampleCount) of \(input.format)")
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

  private static let given = "what filter_audio_frame gave"

  private static func picture(_ status: Status, _ text: String) -> MediaError { MediaError(status, "filter_video_frame \(text)") }
  private static func sound(_ status: Status, _ text: String) -> MediaError { MediaError(status, "filter_audio_frame \(text)") }
}
