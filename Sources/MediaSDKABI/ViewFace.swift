import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaSDK

// view.h

@c @implementation
public func msdk_view_place(
  _ view: UnsafePointer<msdk_view>!, _ width: UInt32, _ height: UInt32, _ orientation: UInt32, _ out: UnsafeMutablePointer<msdk_placement>!
) -> msdk_result {
  face { () throws(MediaError) in
    let out = try required(out, "out")
    let view = try View(checking: required(view, "view"))
    guard Dimensions.accepted.contains(width), Dimensions.accepted.contains(height) else {
      throw MediaError(.range, "the frame is \(width)x\(height); accepted: width and height \(Dimensions.accepted)")
    }
    let placement = try view.place(
      width: Int(width), height: Int(height), orientation: Orientation(checking: orientation, argument: "orientation"))
    var native = msdk_placement()
    native.orientation = placement.orientation.foreign
    native.source = placement.source.foreign
    native.target = placement.target.foreign
    try ForeignStruct.write(native, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_video_frame_compose(
  _ frame: UnsafePointer<msdk_video_frame>!, _ view: UnsafePointer<msdk_view>!,
  _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let out = try required(out, "out")
    let view = try View(checking: required(view, "view"))
    let frame = try VideoFrame.checked(foreign: frame)
    defer { frame.release() }
    out.pointee = try ViewComposer(limit: 1).compose(frame, in: view).native
  }
}

@c @implementation
public func msdk_session_start_screen_view(
  _ session: OpaquePointer!, _ userID: UnsafePointer<CChar>!, _ renderer: OpaquePointer!, _ view: UnsafePointer<msdk_view>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let userID = try ForeignText.read(userID, limit: 255, argument: "user_id")
    try session.startScreenView(
      of: userID, Handles.instance(renderer, "renderer"), through: View(checking: required(view, "view")))
  }
}

@c @implementation
public func msdk_session_stop_screen_view(_ session: OpaquePointer!, _ userID: UnsafePointer<CChar>!, _ renderer: OpaquePointer!)
  -> msdk_result
{
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let userID = try ForeignText.read(userID, limit: 255, argument: "user_id")
    try session.stopScreenView(of: userID, Handles.instance(renderer, "renderer"))
  }
}

extension View {
  fileprivate init(checking pointer: UnsafePointer<msdk_view>) throws(MediaError) {
    let native = try ForeignStruct.read(pointer, argument: "view")
    guard let scale = Scale(rawValue: native.scale) else {
      throw MediaError(.unsupported, "view.scale is \(native.scale); accepted: MSDK_SCALE_FIT, _FILL, _STRETCH")
    }
    let orientation = try Orientation(checking: native.orientation, argument: "view.orientation")
    try self.init(
      width: native.width, height: native.height, scale: scale, orientation: orientation, background: native.background)
  }

  /// NULL is no view.
  init?(optional pointer: UnsafePointer<msdk_view>?) throws(MediaError) {
    guard let pointer else { return nil }
    try self.init(checking: pointer)
  }
}

extension Orientation {
  fileprivate init(checking foreign: UInt32, argument: String) throws(MediaError) {
    guard let orientation = Orientation(foreign: foreign) else {
      throw MediaError(.unsupported, "\(argument) is \(foreign); accepted: MSDK_ROTATE_*, with or without MSDK_MIRROR")
    }
    self = orientation
  }
}

extension Rectangle {
  fileprivate var foreign: msdk_rectangle {
    msdk_rectangle(x: UInt32(clamping: x), y: UInt32(clamping: y), width: UInt32(clamping: width), height: UInt32(clamping: height))
  }
}
