import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins
import MediaSDK

/// The one way through the face: refuses the child of a fork, and turns a typed error into its code and the thread's last-error text.
@inline(__always)
func face(_ body: () throws(MediaError) -> Void) -> msdk_result {
  guard !Fork.isChild else { return LastError.set(Fork.error) }
  do throws(MediaError) {
    try body()
    return msdk_result(MSDK_OK)
  } catch {
    return LastError.set(error)
  }
}

/// Objects behind handles, or the error that names the argument.
enum Handles {
  @inline(__always)
  private static func find<T: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, _ type: T.Type, _ name: StaticString)
    throws(MediaError) -> T
  {
    guard let object = HandleTable.shared.object(handle, kind) else { throw wrong(handle, kind, name) }
    return unsafeDowncast(object, to: type)
  }

  @inline(never)
  private static func wrong(_ handle: OpaquePointer?, _ kind: HandleKind, _ name: StaticString) -> MediaError {
    let said =
      switch HandleTable.shared.reason(handle, kind) {
      case .null: "is NULL"
      case .kind(let other): "is a \(typeName(other))"
      case .ended: "has ended or was destroyed"
      case .unknown: "was never a handle"
      }
    return MediaError(.handle, "\(name) \(said); accepted: a live \(typeName(kind))")
  }

  /// As the headers have it.
  private static func typeName(_ kind: HandleKind) -> String {
    switch kind {
    case .engine: "msdk_engine"
    case .session: "msdk_session"
    case .outgoingVideo: "msdk_outgoing_video"
    case .frameSender: "msdk_frame_sender"
    case .incomingVideo: "msdk_incoming_video"
    case .instance: "msdk_instance"
    case .outgoingAudio: "msdk_outgoing_audio"
    case .incomingAudio: "msdk_incoming_audio"
    case .hostContext, .isolated: "handle of a plugin's host"
    }
  }

  // Each once in the library, but that of the function that is called with each frame.
  @inline(never)
  static func engine(_ handle: OpaquePointer?) throws(MediaError) -> Engine {
    try find(handle, .engine, Engine.self, "engine")
  }

  @inline(never)
  static func session(_ handle: OpaquePointer?) throws(MediaError) -> Session {
    try find(handle, .session, Session.self, "session")
  }

  @inline(never)
  static func outgoing(_ handle: OpaquePointer?) throws(MediaError) -> OutgoingVideo {
    try find(handle, .outgoingVideo, OutgoingVideo.self, "stream")
  }

  @inline(never)
  static func incoming(_ handle: OpaquePointer?) throws(MediaError) -> IncomingVideo {
    try find(handle, .incomingVideo, IncomingVideo.self, "stream")
  }

  @inline(never)
  static func outgoingAudio(_ handle: OpaquePointer?) throws(MediaError) -> OutgoingAudio {
    try find(handle, .outgoingAudio, OutgoingAudio.self, "stream")
  }

  @inline(never)
  static func incomingAudio(_ handle: OpaquePointer?) throws(MediaError) -> IncomingAudio {
    try find(handle, .incomingAudio, IncomingAudio.self, "stream")
  }

  @inline(__always)
  static func sender(_ handle: OpaquePointer?) throws(MediaError) -> FrameSender {
    try find(handle, .frameSender, FrameSender.self, "sender")
  }

  @inline(never)
  static func instance(_ handle: OpaquePointer?, _ name: StaticString = "instance") throws(MediaError) -> PluginInstance {
    try find(handle, .instance, PluginInstance.self, name)
  }

  /// The handle of a new object, which is ended when there is no room for one more.
  static func publish(_ handle: OpaquePointer?, to out: UnsafeMutablePointer<OpaquePointer?>, orEnd end: () -> Void) throws(MediaError) {
    guard let handle else {
      end()
      throw MediaError(.full, "1,048,576 handles exist in this process, the maximum, or the object was destroyed meanwhile")
    }
    out.pointee = handle
  }
}

/// An out parameter that must be there.
func required<Pointer>(_ pointer: Pointer?, _ name: StaticString) throws(MediaError) -> Pointer {
  guard let pointer else { throw MediaError(.invalid, "\(name) is NULL; accepted: a pointer to fill or read") }
  return pointer
}

/// A member that must be 0 or 1.
func flag(_ value: UInt32, _ name: StaticString) throws(MediaError) -> Bool {
  guard value <= 1 else { throw MediaError(.unsupported, "\(name) is \(value); accepted: 0, 1") }
  return value == 1
}

/// A member that names one case of many.
func choice<Choice: RawRepresentable<UInt32>>(_ value: UInt32, _ name: StaticString, _ accepted: StaticString) throws(MediaError) -> Choice
{
  guard let choice = Choice(rawValue: value) else { throw MediaError(.unsupported, "\(name) is \(value); accepted: \(accepted)") }
  return choice
}

/// Waits for what `body` takes by a deadline. With a timeout of 0 nothing was waited for: what is not there is MSDK_E_AGAIN.
func pulled<Result>(_ timeout: UInt32, _ body: (Int64) throws(MediaError) -> Result) throws(MediaError) -> Result {
  do throws(MediaError) {
    return try body(Deadline.after(milliseconds: timeout))
  } catch {
    guard timeout == 0, error.status == .timeout else { throw error }
    throw MediaError(.again, error.text)
  }
}

/// What a callback was registered with; the program answers for its threads.
struct ForeignUser: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
}

/// A text of any length for a caller's buffer, and how long it is with its NUL.
func write(_ text: String, to buffer: UnsafeMutablePointer<CChar>?, _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>?)
  throws(MediaError)
{
  let text = Array(text.utf8CString)
  needed?.pointee = UInt64(text.count)
  guard UInt64(text.count) <= size, let buffer else {
    throw MediaError(.bufferSmall, "size is \(buffer == nil ? 0 : size); the text needs \(text.count) bytes")
  }
  buffer.update(from: text, count: text.count)
}

/// Lists are looked at by index, and end with MSDK_E_NOT_FOUND.
func element<Element>(of list: [Element], _ index: UInt32, _ name: StaticString) throws(MediaError) -> Element {
  guard index < list.count else { throw MediaError(.notFound, "index is \(index); there are \(list.count) \(name)") }
  return list[Int(index)]
}
