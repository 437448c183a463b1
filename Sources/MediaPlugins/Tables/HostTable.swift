import CMediaSDK
import MediaCore

/// The functions that a plugin is given. They trust nothing: contexts and frames are checked by their place in our tables.
package enum HostTable {
  /// Lives as long as the process.
  package nonisolated(unsafe) static let pointer: UnsafePointer<msdk_host> = {
    let table = UnsafeMutablePointer<msdk_host>.allocate(capacity: 1)
    table.initialize(to: make())
    return UnsafePointer(table)
  }()

  /// For a process that has its own ways of some of them.
  package static var copy: msdk_host { pointer.pointee }

  private static let name: StaticString = "mediasdk"

  private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  static func context(_ token: OpaquePointer?) -> PluginInstance.Context? {
    HandleTable.shared.object(token, .hostContext).map { unsafeDowncast($0, to: PluginInstance.Context.self) }
  }

  static func instance(_ token: OpaquePointer?) -> PluginInstance? {
    context(token)?.instance.withLock { $0.instance }
  }

  /// Runs a host function; what it throws becomes the instance's error text and a code.
  static func result(_ token: OpaquePointer?, _ body: (PluginInstance) throws(MediaError) -> Void) -> msdk_result {
    guard let instance = instance(token) else { return msdk_result(MSDK_E_HANDLE) }
    do throws(MediaError) {
      try body(instance)
      return msdk_result(MSDK_OK)
    } catch {
      instance.context.say(error.text, error.status.rawValue)
      return error.status.rawValue
    }
  }

  private static func make() -> msdk_host {
    var host = msdk_host()
    host.struct_size = UInt32(MemoryLayout<msdk_host>.size)
    host.abi_minor = UInt32(MSDK_ABI_MINOR)
    host.name = text(name)
    host.version = SDKVersion.cString
    addDiagnostics(to: &host)
    addFrames(to: &host)
    addDelivery(to: &host)
    AudioHostTable.add(to: &host)
    CodecHostTable.add(to: &host)
    host.get_extension = { _, _ in nil }
    return host
  }

  private static func addDiagnostics(to host: inout msdk_host) {
    host.log = { token, level, text in
      let level = min(max(level, MSDK_LOG_DEBUG.level), MSDK_LOG_ERROR.level)
      HostTable.context(token)?.log(level, ForeignText.readLossy(text, limit: 4096))
    }
    host.set_error = { token, result, text in
      HostTable.context(token)?.say(ForeignText.readLossy(text, limit: 1024), result)
    }
    host.post_event = { token, event, result, detail in
      guard let instance = HostTable.instance(token) else { return }
      var text = ""
      if let detail, let value = try? ParameterValue(foreign: detail.pointee, argument: "detail") {
        if case .string(let string) = value { text = string } else { text = value.description }
      }
      guard instance.knows(event, of: text) else { return }
      let error = result < 0 ? MediaError(Status(foreign: result), text) : nil
      instance.reportFromPlugin(event, error, text: text)
    }
    host.now_ns = { token in HostTable.instance(token)?.clock() ?? MediaTime.monotonic() }
  }

  private static func addFrames(to host: inout msdk_host) {
    host.video_frame_acquire = { token, format, timeout, out in
      HostTable.result(token) { instance throws(MediaError) in
        guard let format, let out else { throw MediaError(.invalid, "format or out is NULL") }
        let wanted = try VideoFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format")
        guard let frame = try VideoFrame.make(wanted, from: instance.pool, deadline: Deadline.after(milliseconds: timeout)) else {
          throw MediaError(.again, "all \(instance.pool.limit) frames of the instance's pool are in use")
        }
        out.pointee = frame.native
      }
    }
    host.video_frame_wrap = { token, external, out in
      HostTable.result(token) { _ throws(MediaError) in
        guard let external, let out else { throw MediaError(.invalid, "external or out is NULL") }
        out.pointee = try VideoFrame.wrap(checking: ForeignStruct.read(external, argument: "external")).native
      }
    }
    host.video_frame_ref = { frame in _ = try? VideoFrame.retained(foreign: frame) }
    host.video_frame_unref = { frame in
      if let frame { _ = VideoFrame.release(foreign: frame) }
    }
    host.video_frame_make_writable = { token, input, out in
      HostTable.result(token) { instance throws(MediaError) in
        guard let out else { throw MediaError(.invalid, "out is NULL") }
        let frame = try VideoFrame.checked(foreign: input)
        defer { frame.release() }
        if frame.isWritable, frame.references == 2 || instance.mayWrite(to: frame) {
          out.pointee = frame.native
          return
        }
        guard let copy = try VideoFrame.make(frame.format, from: instance.pool, deadline: 0) else {
          throw MediaError(.again, "all \(instance.pool.limit) frames of the instance's pool are in use")
        }
        try copy.copyPixels(from: frame)
        copy.copyIdentity(from: frame)
        frame.release()
        out.pointee = copy.native
      }
    }
    host.encoded_frame_ref = { frame in _ = try? EncodedFrame.retained(foreign: frame) }
    host.encoded_frame_unref = { frame in
      if let frame { _ = EncodedFrame.release(foreign: frame) }
    }
  }

  private static func addDelivery(to host: inout msdk_host) {
    host.consume_video_frame = { token, pointer in
      guard let frame = try? VideoFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      // One reference is the plugin's, taken whatever comes of it, the other ours for the time of the call.
      defer {
        frame.release()
        frame.release()
      }
      guard let instance = HostTable.instance(token), let sink = instance.state.withLock({ $0.sink }) else {
        return msdk_result(MSDK_E_CLOSED)
      }
      do throws(MediaError) {
        try frame.check()
      } catch {
        return error.status.rawValue
      }
      frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
      if frame.native.pointee.timestamp_ns == 0 { frame.native.pointee.timestamp_ns = instance.clock() }
      return sink.take(frame)?.rawValue ?? msdk_result(MSDK_OK)
    }
  }
}
