import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins
import Synchronization

/// The functions that an isolated plugin is given: what they do is done here, or sent to the library.
enum PluginHost {
  /// Names nothing: there is one instance in the process.
  nonisolated(unsafe) static let context = OpaquePointer(bitPattern: UInt(0xE7) << 56 | 0x1507A7ED)

  nonisolated(unsafe) static let pointer: UnsafePointer<msdk_host> = {
    let table = UnsafeMutablePointer<msdk_host>.allocate(capacity: 1)
    table.initialize(to: make())
    return UnsafePointer(table)
  }()

  /// A thread delivers audio.
  private static let delivers = Atomic(false)

  private static func events(_ token: OpaquePointer?) -> PluginEvents? {
    token == context ? PluginEvents.shared : nil
  }

  private static func result(_ token: OpaquePointer?, _ body: (PluginEvents) throws(MediaError) -> msdk_result) -> msdk_result {
    guard let events = events(token) else { return msdk_result(MSDK_E_HANDLE) }
    do throws(MediaError) {
      return try body(events)
    } catch {
      events.setError(error)
      return error.status.rawValue
    }
  }

  private static func make() -> msdk_host {
    var host = HostTable.copy
    addDiagnostics(to: &host)
    addFrames(to: &host)
    addSound(to: &host)
    addCodecs(to: &host)
    host.get_extension = { _, _ in nil }
    return host
  }

  private static func addDiagnostics(to host: inout msdk_host) {
    host.log = { token, level, text in
      let text = ForeignText.readLossy(text, limit: 4096)
      PluginHost.events(token)?.say(.log) { writer in
        writer.put(min(max(level, Int32(MSDK_LOG_DEBUG)), Int32(MSDK_LOG_ERROR)))
        writer.put(text: text)
      }
    }
    host.set_error = { token, result, text in
      let error = MediaError(result < 0 ? Status(foreign: result) : .fail, ForeignText.readLossy(text, limit: 1024))
      PluginHost.events(token)?.setError(error)
    }
    host.post_event = { token, event, result, detail in
      guard let events = PluginHost.events(token) else { return }
      let value = detail.flatMap { try? ParameterValue(foreign: $0.pointee, argument: "detail") }
      events.say(.event) { writer in
        writer.put(event)
        writer.put(result)
        if let value { writer.put(value: value) }
      }
    }
    host.now_ns = { token in PluginHost.events(token)?.now ?? MediaTime.monotonic() }
  }

  private static func addFrames(to host: inout msdk_host) {
    host.video_frame_acquire = { token, format, timeout, out in
      PluginHost.result(token) { events throws(MediaError) in
        guard let format, let out else { throw MediaError(.invalid, "format or out is NULL") }
        let wanted = try VideoFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format")
        guard let frame = try events.acquire(wanted, deadline: Deadline.after(milliseconds: timeout)) else {
          throw MediaError(.again, "all \(events.frameCount) frames of the instance's pool are in use")
        }
        out.pointee = frame.native
        return msdk_result(MSDK_OK)
      }
    }
    host.video_frame_wrap = { token, external, out in
      PluginHost.result(token) { _ throws(MediaError) in
        guard let external, let out else { throw MediaError(.invalid, "external or out is NULL") }
        out.pointee = try VideoFrame.wrap(checking: ForeignStruct.read(external, argument: "external")).native
        return msdk_result(MSDK_OK)
      }
    }
    host.video_frame_make_writable = { token, input, out in
      PluginHost.result(token) { events throws(MediaError) in
        guard let out else { throw MediaError(.invalid, "out is NULL") }
        let frame = try VideoFrame.retained(foreign: input)
        defer { frame.release() }
        if frame.isWritable, frame.references == 2 || events.mayWrite(to: frame.native, references: frame.references) {
          out.pointee = frame.native
          return msdk_result(MSDK_OK)
        }
        guard let copy = try events.acquire(frame.format, deadline: 0) else {
          throw MediaError(.again, "all \(events.frameCount) frames of the instance's pool are in use")
        }
        try copy.copyPixels(from: frame)
        copy.copyIdentity(from: frame)
        frame.release()
        out.pointee = copy.native
        return msdk_result(MSDK_OK)
      }
    }
    host.consume_video_frame = { token, pointer in
      guard let frame = try? VideoFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer {
        frame.release()
        frame.release()
      }
      return PluginHost.result(token) { events throws(MediaError) in
        frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
        if frame.native.pointee.timestamp_ns == 0 { frame.native.pointee.timestamp_ns = events.now }
        let (header, copy) = try events.deliverable(frame)
        defer { copy?.release() }
        return events.ask(.consumeVideo) { $0.put(header) }.result
      }
    }
  }

  private static func addSound(to host: inout msdk_host) {
    host.audio_frame_acquire = { token, format, sampleCount, out in
      PluginHost.result(token) { events throws(MediaError) in
        guard let format, let out else { throw MediaError(.invalid, "format or out is NULL") }
        let wanted = try AudioFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format")
        guard let frame = try AudioFrame.make(wanted, sampleCount: Int(sampleCount), from: events.audioPool, deadline: 0) else {
          throw MediaError(.again, "all \(events.audioPool.limit) audio frames of the instance's pool are in use")
        }
        if let base = frame.bytes.baseAddress { memset(base, 0, frame.bytes.count) }
        out.pointee = frame.native
        return msdk_result(MSDK_OK)
      }
    }
    host.audio_frame_make_writable = { token, input, out in
      PluginHost.result(token) { events throws(MediaError) in
        guard let out else { throw MediaError(.invalid, "out is NULL") }
        let frame = try AudioFrame.retained(foreign: input)
        defer { frame.release() }
        if frame.isWritable, frame.references == 2 || events.mayWrite(to: frame.native, references: frame.references) {
          out.pointee = frame.native
          return msdk_result(MSDK_OK)
        }
        guard let copy = try AudioFrame.make(frame.format, sampleCount: frame.sampleCount, from: events.audioPool, deadline: 0) else {
          throw MediaError(.again, "all \(events.audioPool.limit) audio frames of the instance's pool are in use")
        }
        copy.bytes.copyMemory(from: UnsafeRawBufferPointer(frame.bytes))
        copy.copyIdentity(from: frame)
        frame.release()
        out.pointee = copy.native
        return msdk_result(MSDK_OK)
      }
    }
    host.consume_audio_frame = { token, pointer in
      guard let frame = try? AudioFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer {
        frame.release()
        frame.release()
      }
      return PluginHost.result(token) { events throws(MediaError) in
        // The parts of two frames would be mixed up.
        guard !PluginHost.delivers.exchange(true, ordering: .acquiring) else { return msdk_result(MSDK_E_THREAD) }
        defer { PluginHost.delivers.store(false, ordering: .releasing) }
        var first = 0
        while first < frame.sampleCount {
          let answer = events.ask(.consumeAudio) { first += AudioParts.write(frame, from: first, to: &$0) }
          if answer.result < 0 { return answer.result }
        }
        return msdk_result(MSDK_OK)
      }
    }
    host.read_render_data = { token, destination, count in PluginHost.read(token, destination, count) }
  }

  private static func addCodecs(to host: inout msdk_host) {
    host.encoded_frame_create = { token, attributes, out in
      PluginHost.result(token) { _ throws(MediaError) in
        let encoder = PluginHost.encoder.withLock { $0 }
        try CodecHostTable.create(attributes, out, of: encoder?.descriptor, from: encoder?.pool)
        return msdk_result(MSDK_OK)
      }
    }
    host.consume_encoded_frame = { token, pointer in
      guard let frame = try? EncodedFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer {
        frame.release()
        frame.release()
      }
      return PluginHost.result(token) { events throws(MediaError) in
        if frame.native.pointee.timestamp_ns == 0 { frame.native.pointee.timestamp_ns = events.now }
        var message = WireWriter()
        try events.deliver(frame, in: &message)
        return events.ask(.consumeEncoded) { $0.append(message) }.result
      }
    }
  }

  /// The class, and room for what it makes, where it encodes.
  static let encoder = Monitor<(descriptor: ClassDescriptor, pool: BufferPool)?>(nil)
  /// Bytes of a sample of all channels, as the renderer settled on.
  static let stride = Monitor<Int>(0)

  private static func read(_ token: OpaquePointer?, _ destination: UnsafeMutableRawPointer?, _ count: UInt32) -> Int32 {
    guard let events = events(token) else { return msdk_result(MSDK_E_HANDLE) }
    let stride = self.stride.withLock { $0 }
    guard let destination, stride > 0, count <= AudioFormat.mostSamples else { return msdk_result(MSDK_E_INVALID) }
    var (first, got) = (0, 0)
    while first < Int(count) {
      let part = min(8_192, Int(count) - first)
      let room = UnsafeMutableRawBufferPointer(start: destination + first * stride, count: part * stride)
      let answer = events.ask(.read, into: room) { writer in
        writer.put(UInt32(part))
        writer.put(UInt32(stride))
      }
      if answer.result < 0 { return answer.result }
      got += Int(answer.result)
      first += part
    }
    return Int32(clamping: got)
  }
}
