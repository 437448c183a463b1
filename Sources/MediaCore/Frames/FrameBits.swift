import CMediaSDK

/// What makers of frames write into their structs: bits and values that this version does not know are refused, not carried.
public enum FrameBits {
  private static let raw = UInt32(MSDK_FRAME_WRITABLE | MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_CORRUPT | MSDK_FRAME_END)
  private static let encoded = UInt32(MSDK_ENCODED_KEY | MSDK_ENCODED_DISCONTINUITY | MSDK_ENCODED_DROPPABLE | MSDK_ENCODED_COARSE)

  static func check(_ flags: UInt32, argument: StaticString) throws(MediaError) {
    guard flags & ~raw == 0 else {
      throw MediaError(.unsupported, "\(argument)->flags is \(flags); accepted: a sum of MSDK_FRAME_*, 0..\(raw)")
    }
  }

  /// Flags of an encoded frame. `.unsupported`, with the argument's name in the text: a bit that is not of MSDK_ENCODED_*.
  public static func check(encoded flags: UInt32, argument: StaticString) throws(MediaError) {
    guard flags & ~encoded == 0 else {
      throw MediaError(.unsupported, "\(argument) is \(flags); accepted: a sum of MSDK_ENCODED_*, 0..\(encoded)")
    }
  }

  static func check(orientation: UInt32, argument: StaticString) throws(MediaError) {
    guard orientation < 8 else {
      throw MediaError(.unsupported, "\(argument)->orientation is \(orientation); accepted: MSDK_ROTATE_* | MSDK_MIRROR, 0..7")
    }
  }
}
