import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Makes the library's calls to the plugin of this process.
final class PluginCalls {
  let events: PluginEvents
  var reply = WireWriter()
  var errorText: String?
  var keepsSlot = false
  var delay: Int64 = 0
  var descriptor: ClassDescriptor?
  var me: OpaquePointer?
  /// Where what the library lends lies.
  var lent: (memory: SharedMemory, generation: UInt32)?
  /// What was made in one piece and is handed over in parts.
  var sound: (frame: AudioFrame, done: Int)?
  /// What was made while there was no slot to copy it to, of memory that the plugin wrapped.
  var picture: VideoFrame?
  /// What was lent for this call.
  var present: InputLease?
  let packets = BufferPool(limit: 64)
  /// What came, or goes, in several messages.
  var longArguments: [UInt8] = []
  var longAnswer: [UInt8] = []
  var answer = WireWriter()
  /// What the filter gives.
  var agreed: VideoFormat?
  let samples = Samples()
  /// Of a codec of sound, as it was opened.
  var channels: UInt32 = 1

  var message = WireWriter()
  private(set) var sandbox: SandboxReport

  init(_ events: PluginEvents, _ sandbox: SandboxReport) {
    self.events = events
    self.sandbox = sandbox
  }

  func begin() {
    reply.begin()
    errorText = nil
    keepsSlot = false
    events.setError(nil)
  }

  var unsupported: msdk_result { msdk_result(MSDK_E_UNSUPPORTED) }

  func serve(_ op: Op, _ reader: inout WireReader, _ memory: Int32) throws(MediaError) -> msdk_result {
    if op == .create { return try create(&reader) }
    if op == .load { return try load(&reader) }
    if op == .downPool {
      let (generation, size, count) = (try reader.get(UInt32.self), try reader.get(UInt64.self), try reader.get(UInt32.self))
      lent = (try SharedMemory.map(memory, slotSize: Int(clamping: size), count: count, writable: true), generation)
      return msdk_result(MSDK_OK)
    }
    if let descriptor, op == .parseVideo || op == .parseAudio { return try parse(op, &reader, descriptor) }
    guard let descriptor, let me else { throw MediaError(.state, "no instance was created") }
    switch op {
    case .create, .load, .downPool, .parseVideo, .parseAudio: return msdk_result(MSDK_E_STATE)
    case .destroy:
      events.beside.withLock { $0 = nil }
      dropPendingFrame()
      descriptor.table.destroy?(me)
      return msdk_result(MSDK_OK)
    case .setParam:
      let (name, value) = (try reader.getText(), try reader.getValue())
      return name.withCString { name in value.withForeign { descriptor.table.set_param?(me, name, $0) ?? unsupported } }
    case .getParam: return try getParam(reader.getText(), descriptor, me)
    case .paramChoice: return try choice(reader.getText(), reader.get(UInt32.self), descriptor, me)
    case .part: return try takePart(&reader)
    case .rest: return try giveRest(reader.get(UInt64.self))
    case .command: return try command(&reader, descriptor, me)
    case .initFilter, .releaseFilter, .setFilterFormat, .filterFrame, .flushFilter:
      guard let table = descriptor.videoFilter else { return unsupported }
      return try videoFilter(op, &reader, table, me)
    case .initAudioFilter, .releaseAudioFilter, .setAudioFilterFormat, .filterAudio, .flushAudioFilter:
      guard let table = descriptor.audioFilter else { return unsupported }
      return try audioFilter(op, &reader, table, me)
    case .initCapture, .releaseCapture, .startCapture, .stopCapture, .captureSettings, .enumFormats, .setFormat, .produceFrame,
      .requestKeyFrame:
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
    case .openVideoEncoder, .closeVideoEncoder, .setVideoRate, .encodeVideo, .setVideoBytes:
      guard let table = descriptor.videoEncoder else { return unsupported }
      return try videoEncoder(op, &reader, table, me)
    case .openVideoDecoder, .closeVideoDecoder, .decodeVideo:
      guard let table = descriptor.videoDecoder else { return unsupported }
      return try videoDecoder(op, &reader, table, me)
    case .openAudioEncoder, .closeAudioEncoder, .setAudioRate, .encodeAudio:
      guard let table = descriptor.audioEncoder else { return unsupported }
      return try audioEncoder(op, &reader, table, me)
    case .openAudioDecoder, .closeAudioDecoder, .decodeAudio, .concealAudio, .recoverAudio:
      guard let table = descriptor.audioDecoder else { return unsupported }
      return try audioDecoder(op, &reader, table, me)
    }
  }

  private func create(_ reader: inout WireReader) throws(MediaError) -> msdk_result {
    guard me == nil else { throw MediaError(.state, "an instance was already created") }
    _ = try load(&reader)
    guard let descriptor else { throw MediaError(.state, "no plugin was loaded") }
    var made: OpaquePointer?
    let result = descriptor.create(PluginHost.pointer, PluginHost.context, &made)
    guard result >= 0 else { return result }
    guard let made else { throw MediaError(.abi, "create returned no instance") }
    me = made
    reply.put(sandbox.containment.rawValue)
    reply.put(text: sandbox.refusal)
    events.beside.withLock { $0 = ConcurrentCommands(descriptor, made) }
    let inner = PluginCalls.Copies(of: self)
    events.copies.withLock { $0 = inner }
    return result
  }

  private func load(_ reader: inout WireReader) throws(MediaError) -> msdk_result {
    guard descriptor == nil else { throw MediaError(.state, "a plugin is already loaded") }
    let (path, classID) = (try reader.getText(), try reader.getText())
    let sandboxOptions = SandboxOptions(rawValue: try reader.get())
    if try reader.get(UInt32.self) == 1 { events.useVirtualClock() }
    sandbox.containment.formUnion(
      ChildMain.confine(memory: try reader.get(UInt32.self), processorTime: try reader.get(UInt32.self), sandboxOptions))
    if let missing = sandbox.require(sandboxOptions) { throw MediaError(.unsupported, missing) }
    events.start()
    let module = try PluginFile.load(path)
    guard let found = module.classes.first(where: { $0.id == classID }) else {
      throw MediaError(.notFound, "plugin \(path) no longer has the class \(classID)")
    }
    try found.module.initialise()
    events.prepare(for: found)
    PluginHost.encoder.withLock { $0 = found.mostEncodedFrames.map { (found, BufferPool(limit: $0)) } }
    descriptor = found
    return msdk_result(MSDK_OK)
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
}
