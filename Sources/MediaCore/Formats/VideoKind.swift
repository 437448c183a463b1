/// What a stream of pictures shows; MSDK_VIDEO_* of outgoing_video.h.
public enum VideoKind: UInt32, Sendable {
  /// A picture made by the program, in place of a camera's.
  case virtual = 1
  /// A display, a window, a document.
  case screenShare = 2
}
