import CMediaSDK
import IsolationProtocol
import MediaCore

/// A renderer of video that lives in another process. What comes while that is gone is not shown.
enum ProxyVideoRenderer {
  static func table(like table: msdk_video_renderer) -> msdk_video_renderer {
    var proxy = msdk_video_renderer()
    proxy.struct_size = UInt32(MemoryLayout<msdk_video_renderer>.size)
    proxy.flags = table.flags
    proxy.init_render = { me in ProxyTables.with(me) { $0.change(.initRender) { $0.renderer = 1 } } }
    proxy.release_render = { me in
      ProxyTables.with(me) { instance in
        instance.takeDown(.releaseRender) { wanted in
          wanted.renderer = 0
          wanted.inputs = [:]
        }
      }
    }
    if table.accepts_format != nil {
      proxy.accepts_format = { me, format in
        guard let format = format?.pointee else { return 0 }
        return ProxyTables.with(me) { $0.ask(.acceptsFormat, write: { $0.put(VideoFormatHeader(format)) }) { _, _ in } }
      }
    }
    proxy.render_video_frame = { me, frame in ProxyVideoRenderer.render(.renderFrame, me, 0, frame) }
    if table.flush != nil { proxy.flush = { me in ProxyTables.with(me) { $0.takeDown(.flush) { _ in } } } }
    if table.snapshot_format != nil {
      proxy.snapshot_format = { me, out in
        guard let out else { return msdk_result(MSDK_E_INVALID) }
        return ProxyTables.with(me) { instance in
          instance.ask(.snapshotFormat) { reader, _ throws(MediaError) in out.pointee = try reader.get(VideoFormatHeader.self).native }
        }
      }
    }
    if table.snapshot != nil { proxy.snapshot = { me, into in ProxyVideoRenderer.snapshot(me, into) } }
    if table.accepts_codec != nil {
      proxy.accepts_codec = { me, codec in ProxyTables.with(me) { $0.ask(.acceptsCodec, write: { $0.put(codec) }) { _, _ in } } }
    }
    if table.render_encoded_frame != nil { proxy.render_encoded_frame = { me, frame in ProxyPackets.render(.renderEncoded, me, frame) } }
    if table.update_input != nil {
      proxy.update_input = { me, number, input in ProxyVideoRenderer.update(me, number, input) }
      proxy.remove_input = { me, number in
        ProxyTables.with(me) { instance in
          instance.state.withLock { $0.wanted.inputs[number] = nil }
          return instance.tell(.removeInput) { $0.put(number) }
        }
      }
      proxy.render_input_frame = { me, number, frame in ProxyVideoRenderer.render(.renderInput, me, number, frame) }
    }
    return proxy
  }

  private static func render(
    _ op: Op, _ me: OpaquePointer?, _ number: UInt32, _ pointer: UnsafePointer<msdk_video_frame>?
  ) -> msdk_result {
    ProxyTables.with(me) { instance in
      guard let frame = try? VideoFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      return instance.lend(op, { () throws(MediaError) in try InputPool.capacity(for: frame) }) { pool, slot, writer throws(MediaError) in
        writer.put(try pool.put(frame, in: slot))
        writer.put(number)
      }
    }
  }

  private static func snapshot(_ me: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_video_frame>?) -> msdk_result {
    ProxyTables.with(me) { instance in
      guard let frame = try? VideoFrame.retained(foreign: pointer.map { UnsafePointer($0) }) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      var sent: (InputPool, VideoFrameHeader)?
      let result = instance.lend(.snapshot, quiet: MSDK_E_AGAIN, { () throws(MediaError) in try InputPool.capacity(for: frame) }) {
        pool, slot, writer throws(MediaError) in
        let header = try pool.put(frame, in: slot)
        sent = (pool, header)
        writer.put(header)
        writer.put(UInt32(0))
      } read: { reader, _ throws(MediaError) in
        let shown = try reader.get(VideoFrameHeader.self)
        guard shown.orientation <= UInt32(MSDK_ROTATE_270 | MSDK_MIRROR) else {
          throw MediaError(.corrupt, "its snapshot has the orientation \(shown.orientation)")
        }
        if let (pool, header) = sent { pool.copy(header, into: frame) }
        frame.native.pointee.orientation = shown.orientation
        (frame.native.pointee.timestamp_ns, frame.native.pointee.duration_ns) = (shown.timestamp, shown.duration)
        frame.native.pointee.sequence = shown.sequence
      }
      return result
    }
  }

  private static func update(_ me: OpaquePointer?, _ number: UInt32, _ input: UnsafePointer<msdk_input>?) -> msdk_result {
    guard let input = input?.pointee else { return msdk_result(MSDK_E_INVALID) }
    var writer = WireWriter()
    writer.put(input.kind)
    writer.put(input.is_local)
    writer.put(input.has_video)
    writer.put(input.is_speaking)
    writer.put(input.is_muted)
    writer.put(text: ForeignText.readLossy(input.user_id, limit: 256))
    writer.put(text: ForeignText.readLossy(input.display_name, limit: 256))
    let bytes = writer.bytes
    return ProxyTables.with(me) { instance in
      instance.state.withLock { $0.wanted.inputs[number] = bytes }
      return instance.tell(.updateInput) { writer in
        writer.put(number)
        bytes.withUnsafeBytes { writer.put(bytes: $0) }
      }
    }
  }
}

extension IsolatedInstance {
  /// On a frame's way, where nothing is lost when the plugin does not hear of it now.
  func tell(_ op: Op, write: Write) -> msdk_result {
    switch call(op, { $0.call(op, now: now(), deadline: plan.options.mediaDeadline, write: write) }) {
    case .result(let result): return result
    case .away, .died: return meanwhile(MSDK_OK)
    }
  }

  /// Calls with something in a slot of shared memory.
  func lend(
    _ op: Op, quiet: Int = MSDK_OK, _ capacity: () throws(MediaError) -> Int,
    put: (InputPool, UInt32, inout WireWriter) throws(MediaError) -> Void, read: Read = { _, _ in }
  ) -> msdk_result {
    var failure: MediaError?
    let outcome = callNow(op) { process in
      do throws(MediaError) {
        guard let (pool, slot) = try process.lend(try capacity(), now: now()) else {
          let count = process.inputPool?.memory.count ?? Wire.slotCount
          throw MediaError(.again, "the renderer holds all of its \(count) frames: it must release some (rule P4)")
        }
        // Written before the call is: a failure here is nobody's death.
        process.body.begin()
        do throws(MediaError) {
          try put(pool, slot, &process.body)
        } catch {
          _ = pool.giveBack(1 << slot)
          throw error
        }
        return process.call(
          op, now: now(), deadline: plan.options.mediaDeadline, lending: slot, write: { $0.append(process.body) }, read: read)
      } catch {
        failure = error
        return process.isEnding ? .gone : .result(error.status.rawValue)
      }
    }
    switch outcome {
    case .result(let result):
      if let failure { return fail(failure.status, failure.text) }
      return result
    case .away, .died: return meanwhile(quiet)
    }
  }
}
