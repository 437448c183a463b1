import CMediaSDK
import Glibc
import MediaCore

/// The functions of the host's table that are of sound.
enum AudioHostTable {
  static func add(to host: inout msdk_host) {
    addFrames(to: &host)
    host.consume_audio_frame = { token, pointer in AudioHostTable.consume(token, pointer) }
    host.read_render_data = { token, destination, count in AudioHostTable.read(token, destination, count) }
  }

  private static func addFrames(to host: inout msdk_host) {
    host.audio_frame_acquire = { token, format, sampleCount, out in
      HostTable.result(token) { instance throws(MediaError) in
        guard let format, let out else { throw MediaError(.invalid, "format or out is NULL") }
        let wanted = try AudioFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format")
        guard let frame = try AudioFrame.make(wanted, sampleCount: Int(sampleCount), from: instance.audioPool, deadline: 0) else {
          throw MediaError(.again, "all \(instance.audioPool.limit) audio frames of the instance's pool are in use")
        }
        if let base = frame.bytes.baseAddress { memset(base, 0, frame.bytes.count) }
        out.pointee = frame.native
      }
    }
    host.audio_frame_make_writable = { token, input, out in
      HostTable.result(token) { instance throws(MediaError) in
        guard let out else { throw MediaError(.invalid, "out is NULL") }
        let frame = try AudioFrame.retained(foreign: input)
        defer { frame.release() }
        if frame.isWritable, frame.references == 2 || instance.mayWrite(to: frame) {
          out.pointee = frame.native
          return
        }
        guard let copy = try AudioFrame.make(frame.format, sampleCount: frame.sampleCount, from: instance.audioPool, deadline: 0) else {
          throw MediaError(.again, "all \(instance.audioPool.limit) audio frames of the instance's pool are in use")
        }
        copy.bytes.copyMemory(from: UnsafeRawBufferPointer(frame.bytes))
        copy.copyIdentity(from: frame)
        frame.release()
        out.pointee = copy.native
      }
    }
    host.audio_frame_ref = { frame in _ = try? AudioFrame.retained(foreign: frame) }
    host.audio_frame_unref = { frame in
      if let frame { _ = AudioFrame.release(foreign: frame) }
    }
  }

  private static func consume(_ token: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_audio_frame>?) -> msdk_result {
    guard let frame = try? AudioFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
    // One reference is the plugin's, taken whatever comes of it, the other ours for the time of the call.
    defer {
      frame.release()
      frame.release()
    }
    guard let instance = HostTable.instance(token), let sink = instance.state.withLock({ $0.audioSink }) else {
      return msdk_result(MSDK_E_CLOSED)
    }
    do throws(MediaError) {
      try instance.checkProduced(frame)
    } catch {
      instance.context.errorText.withLock { $0 = error.text }
      return error.status.rawValue
    }
    frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
    return sink.take(frame)?.rawValue ?? msdk_result(MSDK_OK)
  }

  /// For a thread that must not wait: nothing is allocated, and only a few instructions are under a lock.
  private static func read(_ token: OpaquePointer?, _ destination: UnsafeMutableRawPointer?, _ sampleCount: UInt32) -> Int32 {
    guard let instance = HostTable.instance(token) else { return msdk_result(MSDK_E_HANDLE) }
    guard let destination, sampleCount <= AudioFormat.mostSamples else { return msdk_result(MSDK_E_INVALID) }
    guard let count = instance.renderQueue.read(into: destination, sampleCount: Int(sampleCount)) else {
      return msdk_result(MSDK_E_CLOSED)
    }
    return Int32(clamping: count)
  }
}
