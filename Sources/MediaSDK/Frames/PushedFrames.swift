import CMediaSDK
import MediaCore
import MediaTransport

/// What frames that a program pushes in encoded do not say of themselves: their colour, which is as declared, and of those that are no key
/// frames the size, which is as that of the last one.
struct PushedFrames {
  private var width: UInt32 = 0
  private var height: UInt32 = 0
  /// What the room knows, of which publication.
  private var announced: (stream: StreamID?, width: UInt32, height: UInt32) = (nil, 0, 0)

  /// Gives a frame that nobody else has yet the size of the last key frame.
  mutating func follow(_ frame: EncodedFrame) {
    guard !frame.isKeyFrame else {
      (width, height) = (frame.native.pointee.width, frame.native.pointee.height)
      return
    }
    guard width > 0 else { return }
    (frame.native.pointee.width, frame.native.pointee.height) = (width, height)
    frame.seal()
  }

  /// Where it is unspecified.
  static func color(_ frame: inout msdk_encoded_frame, as declared: VideoFormat) {
    ColorSpace(frame).completed(by: declared.color).tell(&frame)
  }

  /// Whether that is news to the room.
  mutating func announce(_ width: UInt32, _ height: UInt32, to stream: StreamID?) -> Bool {
    defer { announced = (stream, width, height) }
    return announced != (stream, width, height)
  }
}

extension OutgoingVideoOptions {
  /// A key frame that is pushed in has the sender's size or that of another format that was declared; under extended limits any that these accept.
  func checkPushed(width: UInt32, height: UInt32, to declared: VideoFormat) throws(MediaError) {
    if width == declared.width, height == declared.height { return }
    if formats.contains(where: { $0.width == width && $0.height == height }) { return }
    var format = declared
    (format.width, format.height) = (width, height)
    if limits == .extended, (try? limits.check(format, of: kind, argument: "the key frame")) != nil { return }
    let sizes = formats.map { "\($0.width)x\($0.height)" }.joined(separator: ", ")
    let others = limits == .extended ? ", or what MSDK_LIMITS_EXTENDED accepts" : ""
    throw MediaError(.format, "the key frame is \(width)x\(height); accepted: the declared sizes, \(sizes)\(others)")
  }
}
