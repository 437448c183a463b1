import MediaCodecs
import MediaCore

/// The view through which a renderer is fed. Used by the thread that feeds it.
final class ViewSlot: @unchecked Sendable {
  private let view: View
  private let composer = ViewComposer(limit: 8)

  init(_ view: View) {
    self.view = view
  }

  /// With a reference for the caller. What fits as it is passes as it is.
  func show(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
    let format = frame.format
    let isUpright = frame.native.pointee.orientation == 0 && view.orientation == Orientation()
    guard isUpright, Int(format.width) == view.width, Int(format.height) == view.height else {
      return try composer.compose(frame, in: view)
    }
    frame.retain()
    return frame
  }
}
