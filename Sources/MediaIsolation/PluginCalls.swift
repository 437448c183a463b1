import CLinux
import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins

/// Makes the library's calls to the plugin of this process.
final class PluginCalls {
  let events: PluginEvents
  var reply = WireWriter()
  var errorText: String?
  var keepsSlot = false
  var delay: Int32 = 0
  private var descriptor: ClassDescriptor?
  private var me: OpaquePointer?
  /// Pictures that the library lends.
  private var lent: (memory: CommonMemory, generation: UInt32)?
  /// What was made in one piece and is handed over in parts.
  private var sound: (frame: AudioFrame, done: Int)?

  init(_ events: PluginEvents) {
    self.events = events
  }

  func begin() {
    reply.begin()
    errorText = nil
    keepsSlot = false
    events.setErrorText(nil)
  }

  private var unsupported: msdk_result { msdk_result(MSDK_E_UNSUPPORTED) }

  func serve(_ op: Op, _ reader: inout WireReader, _ memory: Int32) throws(MediaError) -> msdk_result {
    if op == .create { return try create(&reader) }
    guard let descriptor, let me else { throw MediaError(.state, "nothing was created") }
    switch op {
    case .create: return msdk_result(MSDK_E_STATE)
    case .destroy:
      descriptor.table.destroy?(me)
      return msdk_result(MSDK_OK)
    case .setParam:
      let (name, value) = (try reader.getText(), try reader.getValue())
      return name.withCString { name in value.withForeign { descriptor.table.set_param?(me, name, $0) ?? unsupported } }
    case .getParam: return try getParam(reader.getText(), descriptor, me)
    case .paramChoice: return try choice(reader.getText(), reader.get(UInt32.self), descriptor, me)
    case .downPool:
      let (generation, size) = (try reader.get(UInt32.self), try reader.get(UInt64.self))
      lent = (try CommonMemory.map(memory, slotSize: Int(clamping: size), writable: true), generation)
      return msdk_result(MSDK_OK)
    case .initCapture, .releaseCapture, .startCapture, .stopCapture, .captureSettings, .enumFormats, .setFormat, .produceFrame:
      guard let table = descriptor.producer else { return unsupported }
      return try producer(op, &reader, table, me)
    case .initRender, .releaseRender, .acceptsFormat, .renderFrame, .flush, .snapshotFormat, .snapshot, .acceptsCodec, .renderEncoded,
      .updateInput, .removeInput, .renderInput:
      guard let table = descriptor.renderer else { return unsupported }
      return try renderer(op, &reader, table, me)
    case .initAudioCapture, .releaseAudioCapture, .startAudioCapture, .stopAudioCapture, .audioCaptureSettings, .setAudioFormat,
      .produceAudio:
      guard let table = descriptor.audioProducer else { return unsupported }
      return try audioProducer(op, &reader, table, me)
    case .initAudioRender, .releaseAudioRender, .startAudioRender, .stopAudioRender, .renderSettings, .renderAudio, .acceptsAudioCodec,
      .renderPacket:
      guard let table = descriptor.audioRenderer else { return unsupported }
      return try audioRenderer(op, &reader, table, me)
    }
  }

  private func create(_ reader: inout WireReader) throws(MediaError) -> msdk_result {
    guard me == nil else { throw MediaError(.state, "created already") }
    let (path, classID) = (try reader.getText(), try reader.getText())
    let mayFork = try reader.get(UInt32.self) == 1
    if try reader.get(UInt32.self) == 1 { events.useVirtualClock() }
    PluginSide.confine(memory: try reader.get(UInt32.self), processorTime: try reader.get(UInt32.self), mayFork: mayFork)
    events.start()
    let module = try PluginFile.load(path)
    guard let found = module.classes.first(where: { $0.id == classID }) else {
      throw MediaError(.notFound, "plugin \(path) has no class \(classID) any more")
    }
    try found.module.initialise()
    var made: OpaquePointer?
    let result = found.table.create?(PluginHost.pointer, PluginHost.context, &made) ?? msdk_result(MSDK_E_ABI)
    guard result >= 0 else { return result }
    guard let made else { throw MediaError(.abi, "create made no instance") }
    (descriptor, me) = (found, made)
    return result
  }

  // MARK: Parameters

  private func getParam(_ name: String, _ descriptor: ClassDescriptor, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    var value = msdk_value()
    let result = name.withCString { descriptor.table.get_param?(me, $0, &value) ?? unsupported }
    if result >= 0 {
      let value = try ParameterValue(foreign: value, argument: "parameter \"\(name)\"")
      guard value.wireSize <= Wire.longestBytes else {
        throw MediaError(.range, "parameter \"\(name)\": a value of an isolated plugin has at most \(Wire.longestBytes) bytes")
      }
      reply.put(value: value)
    }
    return result
  }

  private func choice(
    _ name: String, _ index: UInt32, _ descriptor: ClassDescriptor, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    var choice = msdk_choice()
    choice.struct_size = UInt32(MemoryLayout<msdk_choice>.size)
    let result = name.withCString { descriptor.table.param_choice?(me, $0, index, &choice) ?? unsupported }
    if result >= 0 {
      reply.put(text: try ForeignText.read(choice.value, limit: 1024, argument: "the choice"))
      reply.put(text: ForeignText.readLossy(choice.label, limit: 1024))
    }
    return result
  }

  // MARK: Producers

  private func producer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_video_producer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    var format = msdk_video_format()
    format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
    switch op {
    case .initCapture: return table.init_capture?(me) ?? unsupported
    case .releaseCapture: return table.release_capture?(me) ?? unsupported
    case .startCapture: return table.start_capture?(me) ?? unsupported
    case .stopCapture: return table.stop_capture?(me) ?? unsupported
    case .captureSettings: return answer(table.capture_settings?(me, &format) ?? unsupported, format)
    case .enumFormats: return answer(table.enum_formats?(me, try reader.get(UInt32.self), &format) ?? unsupported, format)
    case .setFormat:
      format = try reader.get(FormatHeader.self).native
      return table.set_format?(me, &format) ?? unsupported
    default: return try produce(reader.get(Int64.self), table, me)
    }
  }

  private func answer(_ result: msdk_result, _ format: msdk_video_format) -> msdk_result {
    if result >= 0 { reply.put(FormatHeader(format)) }
    return result
  }

  private func produce(_ due: Int64, _ table: msdk_video_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    let result = table.produce_frame?(me, due, &pointer) ?? unsupported
    guard result >= 0 else { return result }
    reply.put(UInt32(pointer == nil ? 0 : 1))
    guard let pointer else { return result }
    // Its reference is ours to give back: what is told is where it lies.
    let frame = try VideoFrame.retained(foreign: pointer)
    defer {
      frame.release()
      frame.release()
    }
    let (header, copy) = try events.deliverable(frame)
    copy?.release()
    reply.put(header)
    return result
  }

  private func audioProducer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_audio_producer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    var format = msdk_audio_format()
    format.struct_size = UInt32(MemoryLayout<msdk_audio_format>.size)
    switch op {
    case .initAudioCapture: return table.init_capture?(me) ?? unsupported
    case .releaseAudioCapture: return table.release_capture?(me) ?? unsupported
    case .startAudioCapture: return table.start_capture?(me) ?? unsupported
    case .stopAudioCapture:
      dropSound()
      return table.stop_capture?(me) ?? unsupported
    case .audioCaptureSettings:
      let result = table.capture_settings?(me, &format) ?? unsupported
      if result >= 0 { reply.put(SoundHeader(format)) }
      return result
    case .setAudioFormat:
      format = try reader.get(SoundHeader.self).native
      return table.set_format?(me, &format) ?? unsupported
    default: return try produceSound(reader.get(Int64.self), table, me)
    }
  }

  private func produceSound(_ due: Int64, _ table: msdk_audio_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    if sound == nil {
      var pointer: UnsafeMutablePointer<msdk_audio_frame>?
      let result = table.produce_frame?(me, due, &pointer) ?? unsupported
      guard result >= 0, let pointer else {
        if result >= 0 { reply.put(UInt32(0)) }
        return result
      }
      let frame = try AudioFrame.retained(foreign: pointer)
      frame.release()
      sound = (frame, 0)
    }
    guard let (frame, done) = sound else { return unsupported }
    let count = min(SoundMessage.most(frame.format), frame.sampleCount - done)
    reply.put(UInt32(1))
    SoundMessage.write(frame, from: done, count: count, to: &reply)
    sound = (frame, done + count)
    if done + count >= frame.sampleCount { dropSound() }
    return msdk_result(MSDK_OK)
  }

  private func dropSound() {
    sound?.frame.release()
    sound = nil
  }

  // MARK: Renderers

  private func renderer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_video_renderer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .initRender: return table.init_render?(me) ?? unsupported
    case .releaseRender: return table.release_render?(me) ?? unsupported
    case .flush: return table.flush?(me) ?? unsupported
    case .acceptsFormat:
      var format = try reader.get(FormatHeader.self).native
      return (table.accepts_format?(me, &format) ?? 1) > 0 ? 1 : 0
    case .acceptsCodec: return (table.accepts_codec?(me, try reader.get(UInt32.self)) ?? 0) > 0 ? 1 : 0
    case .snapshotFormat:
      var format = msdk_video_format()
      format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
      let result = table.snapshot_format?(me, &format) ?? unsupported
      if result >= 0 { reply.put(FormatHeader(format)) }
      return result
    case .renderEncoded: return try withPacket(&reader) { table.render_encoded_frame?(me, $0) ?? unsupported }
    case .updateInput: return try update(&reader, table, me)
    case .removeInput: return table.remove_input?(me, try reader.get(UInt32.self)) ?? unsupported
    default: break
    }
    let frame = try lentFrame(reader.get(PictureHeader.self))
    let number = try reader.get(UInt32.self)
    defer { giveBack(frame) }
    switch op {
    case .renderFrame: return table.render_video_frame?(me, frame.native) ?? unsupported
    case .renderInput: return table.render_input_frame?(me, number, frame.native) ?? unsupported
    default:
      frame.native.pointee.flags |= UInt32(MSDK_FRAME_WRITABLE)
      return table.snapshot?(me, frame.native) ?? unsupported
    }
  }

  private func update(_ reader: inout WireReader, _ table: msdk_video_renderer, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    let number = try reader.get(UInt32.self)
    var inner = WireReader(try reader.getBytes())
    var input = msdk_input()
    input.struct_size = UInt32(MemoryLayout<msdk_input>.size)
    input.kind = try inner.get()
    input.is_local = try inner.get()
    input.has_video = try inner.get()
    input.is_speaking = try inner.get()
    input.is_muted = try inner.get()
    let (user, name) = (try inner.getText(), try inner.getText())
    return user.withCString { user in
      name.withCString { name in
        (input.user_id, input.display_name) = (user, name)
        return table.update_input?(me, number, &input) ?? unsupported
      }
    }
  }

  private func audioRenderer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_audio_renderer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .initAudioRender: return table.init_render?(me) ?? unsupported
    case .releaseAudioRender: return table.release_render?(me) ?? unsupported
    case .startAudioRender: return table.start_render?(me) ?? msdk_result(MSDK_OK)
    case .stopAudioRender: return table.stop_render?(me) ?? msdk_result(MSDK_OK)
    case .renderSettings:
      var format = try reader.get(SoundHeader.self).native
      // Whatever comes.
      if table.render_settings == nil { format.frames_per_buffer = 0 }
      let result = table.render_settings?(me, &format) ?? msdk_result(MSDK_OK)
      if result >= 0 {
        note(format)
        reply.put(SoundHeader(format))
      }
      return result
    case .acceptsAudioCodec: return (table.accepts_codec?(me, try reader.get(UInt32.self)) ?? 0) > 0 ? 1 : 0
    case .renderPacket:
      defer { delay = table.render_delay_ms?(me) ?? 0 }
      return try withPacket(&reader) { table.render_encoded_frame?(me, $0) ?? unsupported }
    default:
      guard let frame = try SoundMessage.read(&reader, PluginHost.pointer.pointee, PluginHost.context) else {
        throw MediaError(.again, "the renderer keeps all of its 16 buffers: it must give some back (rule P4)")
      }
      defer { frame.release() }
      frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
      defer { delay = table.render_delay_ms?(me) ?? 0 }
      return table.render_audio_frame?(me, frame.native) ?? unsupported
    }
  }

  /// What a renderer that pulls will read.
  private func note(_ format: msdk_audio_format) {
    guard let known = try? AudioFormat(checking: format, argument: "what render_settings gave") else { return }
    PluginHost.stride.withLock { $0 = known.stride }
  }

  // MARK: What is lent

  private func lentFrame(_ header: PictureHeader) throws(MediaError) -> VideoFrame {
    guard let (memory, generation) = lent, header.generation == generation, header.slot < Wire.slotCount else {
      throw MediaError(.corrupt, "there is no pool \(header.generation)")
    }
    let native = header.format.native
    let format = try VideoFormat(checking: native, argument: "the picture's format")
    let base = memory.slot(header.slot)
    var external = msdk_external_frame()
    external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
    external.plane_count = UInt32(format.pixelFormat.planeCount)
    external.orientation = header.orientation
    external.timestamp_ns = header.timestamp
    func plane(_ offset: UInt64, _ stride: Int32) -> msdk_plane {
      let isInside = offset < UInt64(memory.slotSize)
      return msdk_plane(
        data: (base + (isInside ? Int(offset) : 0)).assumingMemoryBound(to: UInt8.self),
        size: isInside ? UInt64(memory.slotSize) - offset : 0, stride: stride, fd: -1, offset: 0)
    }
    external.plane.0 = plane(header.offsets.0, header.strides.0)
    external.plane.1 = plane(header.offsets.1, header.strides.1)
    external.plane.2 = plane(header.offsets.2, header.strides.2)
    let loan = Loan(memory, generation, header.slot, events)
    external.opaque = Unmanaged.passRetained(loan).toOpaque()
    external.release = { opaque in
      if let opaque { Unmanaged<Loan>.fromOpaque(opaque).takeRetainedValue().end() }
    }
    let frame = try withUnsafePointer(to: native) { format throws(MediaError) in
      external.format = format
      return try VideoFrame.wrap(checking: external)
    }
    frame.native.pointee.flags = header.flags
    frame.native.pointee.duration_ns = header.duration
    frame.native.pointee.sequence = header.sequence
    present = loan
    return frame
  }

  private var present: Loan?

  /// Says with the reply, or later, when the plugin does not refer to it any more.
  private func giveBack(_ frame: VideoFrame) {
    frame.release()
    keepsSlot = present?.isKeptAfterCall() ?? false
    present = nil
  }

  private func withPacket(
    _ reader: inout WireReader, _ body: (UnsafePointer<msdk_encoded_frame>) -> msdk_result
  ) throws(MediaError) -> msdk_result {
    let header = try reader.get(EncodedHeader.self)
    let bytes: UnsafeRawBufferPointer
    if header.slot == .max {
      bytes = try reader.getBytes()
    } else {
      guard let (memory, generation) = lent, header.generation == generation, header.slot < Wire.slotCount, header.size <= memory.slotSize
      else { throw MediaError(.corrupt, "there is no pool \(header.generation)") }
      bytes = UnsafeRawBufferPointer(start: memory.slot(header.slot), count: Int(header.size))
    }
    guard let frame = try EncodedFrame.make(copying: bytes, attributes: header.native, from: packets, deadline: 0) else {
      throw MediaError(.again, "the renderer keeps 64 encoded frames: it must give some back (rule P4)")
    }
    defer { frame.release() }
    return body(frame.native)
  }

  private let packets = BufferPool(limit: 64)
}

/// A slot that the library lent for a call; kept longer when the plugin keeps the frame.
final class Loan: Sendable {
  private struct State {
    var isOver = false
    var isKept = false
  }

  private let memory: CommonMemory
  private let generation: UInt32
  private let slot: UInt32
  private let events: PluginEvents
  private let state = Monitor(State())

  init(_ memory: CommonMemory, _ generation: UInt32, _ slot: UInt32, _ events: PluginEvents) {
    (self.memory, self.generation, self.slot, self.events) = (memory, generation, slot, events)
  }

  /// The last reference is gone.
  func end() {
    let isKept = state.withLock { state in
      state.isOver = true
      return state.isKept
    }
    guard isKept else { return }
    events.say(.giveBack) { writer in
      writer.put(generation)
      writer.put(UInt32(1) << slot)
    }
  }

  func isKeptAfterCall() -> Bool {
    state.withLock { state in
      state.isKept = !state.isOver
      return state.isKept
    }
  }
}
