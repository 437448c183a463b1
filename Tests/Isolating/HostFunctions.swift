import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins

/// The functions that the proxies are given: words and time are the host's, frames the library's until they are handed over.
enum HostFunctions {
  nonisolated(unsafe) static let pointer: UnsafePointer<msdk_host> = UnsafePointer(KeptMemory.copy([make()]))

  private static func make() -> msdk_host {
    var table = HostTable.copy
    addWords(to: &table)
    addPictures(to: &table)
    addSound(to: &table)
    return table
  }

  private static func result(
    _ token: OpaquePointer?, _ body: (HostedInstance) throws(MediaError) -> msdk_result
  ) -> msdk_result {
    guard let instance = HostedInstance.named(token) else { return msdk_result(MSDK_E_HANDLE) }
    return instance.run { () throws(MediaError) in try body(instance) }
  }

  private static func addWords(to table: inout msdk_host) {
    table.log = { token, level, text in
      guard let instance = HostedInstance.named(token) else { return }
      instance.host.log?(instance.context, level, text)
    }
    table.set_error = { token, result, text in
      guard let instance = HostedInstance.named(token) else { return }
      instance.host.set_error?(instance.context, result, text)
    }
    table.post_event = { token, event, result, detail in
      guard let instance = HostedInstance.named(token) else { return }
      instance.host.post_event?(instance.context, event, result, detail)
    }
    table.now_ns = { token in
      HostedInstance.named(token).flatMap { $0.host.now_ns?($0.context) } ?? MediaTime.monotonic()
    }
    table.get_extension = { _, _ in nil }
  }

  private static func addPictures(to table: inout msdk_host) {
    table.video_frame_acquire = { token, format, timeout, out in
      HostFunctions.result(token) { instance throws(MediaError) in
        guard let format, let out else { throw MediaError(.invalid, "format or out is NULL") }
        let wanted = try VideoFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format")
        out.pointee = try instance.picture(wanted).native
        return msdk_result(MSDK_OK)
      }
    }
    table.video_frame_wrap = { token, external, out in
      HostFunctions.result(token) { _ throws(MediaError) in
        guard let external, let out else { throw MediaError(.invalid, "external or out is NULL") }
        out.pointee = try VideoFrame.wrap(checking: ForeignStruct.read(external, argument: "external")).native
        return msdk_result(MSDK_OK)
      }
    }
    table.video_frame_make_writable = { token, input, out in
      HostFunctions.result(token) { instance throws(MediaError) in
        guard let out else { throw MediaError(.invalid, "out is NULL") }
        let frame = try VideoFrame.retained(foreign: input)
        defer { frame.release() }
        if frame.isWritable, frame.references == 2 {
          out.pointee = frame.native
          return msdk_result(MSDK_OK)
        }
        let copy = try instance.picture(frame.format)
        try copy.copyPixels(from: frame)
        copy.copyIdentity(from: frame)
        frame.release()
        out.pointee = copy.native
        return msdk_result(MSDK_OK)
      }
    }
    table.consume_video_frame = { token, pointer in
      HostFunctions.result(token) { instance throws(MediaError) in
        let given = try instance.hostFrame(from: pointer)
        let result = instance.host.consume_video_frame?(instance.context, given) ?? msdk_result(MSDK_E_UNSUPPORTED)
        // A plugin that is told so ends by itself, and who told it knows.
        if result == msdk_result(MSDK_E_CLOSED) { instance.hasEnded(MSDK_KIND_VIDEO_PRODUCER) }
        return result
      }
    }
    table.consume_encoded_frame = { token, pointer in
      HostFunctions.result(token) { instance throws(MediaError) in
        guard let pointer else { throw MediaError(.handle, "frame is NULL") }
        let given = try instance.hostPacket(from: pointer)
        let result = instance.host.consume_encoded_frame?(instance.context, given) ?? msdk_result(MSDK_E_UNSUPPORTED)
        if result == msdk_result(MSDK_E_CLOSED) { instance.hasEnded(MSDK_KIND_VIDEO_PRODUCER) }
        return result
      }
    }
    table.encoded_frame_create = { token, attributes, out in
      HostFunctions.result(token) { instance throws(MediaError) in
        guard let attributes, let out else { throw MediaError(.invalid, "attributes or out is NULL") }
        out.pointee = try instance.packet(of: ForeignStruct.read(attributes, argument: "attributes")).native
        return msdk_result(MSDK_OK)
      }
    }
  }

  private static func addSound(to table: inout msdk_host) {
    table.audio_frame_acquire = { token, format, sampleCount, out in
      HostFunctions.result(token) { instance throws(MediaError) in
        guard let format, let out else { throw MediaError(.invalid, "format or out is NULL") }
        let wanted = try AudioFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format")
        out.pointee = try instance.sound(wanted, Int(sampleCount)).native
        return msdk_result(MSDK_OK)
      }
    }
    table.audio_frame_make_writable = { token, input, out in
      HostFunctions.result(token) { instance throws(MediaError) in
        guard let out else { throw MediaError(.invalid, "out is NULL") }
        let frame = try AudioFrame.retained(foreign: input)
        defer { frame.release() }
        if frame.isWritable, frame.references == 2 {
          out.pointee = frame.native
          return msdk_result(MSDK_OK)
        }
        let copy = try instance.sound(frame.format, frame.sampleCount)
        copy.bytes.copyMemory(from: UnsafeRawBufferPointer(frame.bytes))
        copy.copyIdentity(from: frame)
        frame.release()
        out.pointee = copy.native
        return msdk_result(MSDK_OK)
      }
    }
    table.consume_audio_frame = { token, pointer in
      HostFunctions.result(token) { instance throws(MediaError) in
        let given = try instance.hostSound(from: pointer)
        return instance.host.consume_audio_frame?(instance.context, given) ?? msdk_result(MSDK_E_UNSUPPORTED)
      }
    }
    table.read_render_data = { token, destination, count in
      guard let instance = HostedInstance.named(token) else { return msdk_result(MSDK_E_HANDLE) }
      return instance.host.read_render_data?(instance.context, destination, count) ?? msdk_result(MSDK_E_UNSUPPORTED)
    }
  }
}
