import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Makes the library's calls to the plugin of this process. One at a time, on the main thread, or on a thread of the plugin that waits (`NestedCalls`).
final class PluginCalls {
  let events: PluginEvents
  /// The call's arguments, as far as they were not read yet.
  var reader = WireReader(UnsafeRawBufferPointer(start: nil, count: 0))
  var reply = WireWriter()
  var errorText: String?
  var keepsSlot = false
  var delay: Int64 = 0
  var descriptor: ClassDescriptor?
  var me: OpaquePointer?
  /// Where the frames are that the library lends.
  var input: (memory: SharedMemory, generation: UInt32)?
  /// What was made in one piece and is handed over in parts.
  var pendingAudio: (frame: AudioFrame, done: Int)?
  /// What was made while there was no slot to copy it to, of memory that the plugin wrapped.
  var pendingFrame: VideoFrame?
  /// What was lent for this call.
  var lease: InputLease?
  let packets = BufferPool(limit: 64)
  /// What came, or goes, in several messages.
  var longArguments: [UInt8] = []
  var longAnswer: [UInt8] = []
  var answer = WireWriter()
  /// What the filter gives.
  var agreed: VideoFormat?
  let samples = Samples()
  /// Of an audio codec, as it was opened.
  var channels: UInt32 = 1

  var message = WireWriter()
  private(set) var sandbox: SandboxReport

  init(_ events: PluginEvents, _ sandbox: SandboxReport) {
    self.events = events
    self.sandbox = sandbox
  }

  /// A call with those arguments; `memory` is the descriptor that came with it.
  func serve(_ op: Op, _ arguments: WireReader, _ memory: Int32) throws(MediaError) -> msdk_result {
    reader = arguments
    reply.begin()
    errorText = nil
    keepsSlot = false
    events.setError(nil)
    return try answer(op, memory) ?? msdk_result(MSDK_E_UNSUPPORTED)
  }

  /// What came of it; nil when the plugin does not have the function.
  private func answer(_ op: Op, _ memory: Int32) throws(MediaError) -> msdk_result? {
    switch op {
    case .create: return try create()
    case .load: return try load()
    case .inputPool: return try adopt(memory)
    default: break
    }
    guard let descriptor, me != nil || op == .parseVideo || op == .parseAudio else { throw MediaError(.state, "no instance was created") }
    switch op {
    case .parseVideo: return try parse { descriptor.videoDecoder?.parse_header?($0, $1, $2) }
    case .parseAudio: return try parse { descriptor.audioDecoder?.parse_header?($0, $1, $2) }
    default: break
    }
    guard let me else { return nil }
    switch op.kind {
    case .instance: return try instance(op, descriptor, me)
    case .videoProducer: return try descriptor.producer.flatMap { table throws(MediaError) in try videoProducer(op, table, me) }
    case .videoRenderer: return try descriptor.renderer.flatMap { table throws(MediaError) in try videoRenderer(op, table, me) }
    case .videoFilter: return try descriptor.videoFilter.flatMap { table throws(MediaError) in try videoFilter(op, table, me) }
    case .videoEncoder: return try descriptor.videoEncoder.flatMap { table throws(MediaError) in try videoEncoder(op, table, me) }
    case .videoDecoder: return try descriptor.videoDecoder.flatMap { table throws(MediaError) in try videoDecoder(op, table, me) }
    case .audioProducer: return try descriptor.audioProducer.flatMap { table throws(MediaError) in try audioProducer(op, table, me) }
    case .audioRenderer: return try descriptor.audioRenderer.flatMap { table throws(MediaError) in try audioRenderer(op, table, me) }
    case .audioFilter: return try descriptor.audioFilter.flatMap { table throws(MediaError) in try audioFilter(op, table, me) }
    case .audioEncoder: return try descriptor.audioEncoder.flatMap { table throws(MediaError) in try audioEncoder(op, table, me) }
    case .audioDecoder: return try descriptor.audioDecoder.flatMap { table throws(MediaError) in try audioDecoder(op, table, me) }
    }
  }

  private func instance(_ op: Op, _ descriptor: ClassDescriptor, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    let table = descriptor.table
    switch op {
    case .destroy:
      events.concurrent.withLock { $0 = nil }
      dropPendingFrame()
      table.destroy?(me)
      return msdk_result(MSDK_OK)
    case .setParam:
      return try withLong { reader throws(MediaError) in
        let (name, value) = (try reader.getText(), try reader.getValue())
        let result = name.withCString { name in value.withForeign { table.set_param?(me, name, $0) } }
        answer = WireWriter()
        giveLong()
        return result
      }
    case .getParam:
      return try withLong { reader throws(MediaError) in try getParam(reader.getText(), table, me) }
    case .paramChoice:
      var choice = msdk_choice.sized
      let (name, index) = (try reader.getText(), try reader.get(UInt32.self))
      let result = name.withCString { table.param_choice?(me, $0, index, &choice) }
      guard let result, result >= 0 else { return result }
      reply.put(text: try ForeignText.read(choice.value, limit: 1024, argument: "the choice"))
      reply.put(text: ForeignText.readLossy(choice.label, limit: 1024))
      return result
    case .part: return try takePart()
    case .rest: return try giveRest(reader.get(UInt64.self))
    case .command: return try command(descriptor, me)
    default: return msdk_result(MSDK_E_STATE)
    }
  }

  private func getParam(_ name: String, _ table: msdk_class, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    var value = msdk_value()
    let result = name.withCString { table.get_param?(me, $0, &value) }
    guard let result, result >= 0 else { return result }
    answer = WireWriter()
    answer.put(value: try ParameterValue(foreign: value, argument: "parameter \"\(name)\""))
    giveLong()
    return result
  }

  // MARK: Forms of calls

  /// A function that is given a struct.
  func given<Value: WireValue>(_ call: (UnsafePointer<Value>) -> msdk_result?) throws(MediaError) -> msdk_result? {
    let value = try Value(reading: &reader)
    return withUnsafePointer(to: value) { call($0) }
  }

  /// A function that fills a struct, which is the answer.
  func filled<Value: WireValue>(_ value: Value = .sized, _ call: (UnsafeMutablePointer<Value>) -> msdk_result?) -> msdk_result? {
    var value = value
    let result = call(&value)
    if let result, result >= 0 { value.write(to: &reply) }
    return result
  }

  /// A function that says yes or no.
  func accepted(_ answer: Int32?, otherwise: Int32 = 0) -> msdk_result { (answer ?? otherwise) > 0 ? 1 : 0 }

  /// A function that reads the header of encoded data.
  private func parse<Header: WireValue>(
    _ call: (UnsafePointer<UInt8>?, UInt64, UnsafeMutablePointer<Header>) -> msdk_result?
  ) throws(MediaError) -> msdk_result? {
    let bytes = try packetBytes().bytes
    return filled { call(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count), $0) }
  }

  // MARK: The beginning

  private func create() throws(MediaError) -> msdk_result {
    guard me == nil else { throw MediaError(.state, "an instance was already created") }
    _ = try load()
    guard let descriptor else { throw MediaError(.state, "no plugin was loaded") }
    var made: OpaquePointer?
    let result = descriptor.create(PluginHost.pointer, PluginHost.context, &made)
    guard result >= 0 else { return result }
    guard let made else { throw MediaError(.abi, "create returned no instance") }
    me = made
    reply.put(sandbox.containment.rawValue)
    reply.put(text: sandbox.refusal)
    events.concurrent.withLock { $0 = ConcurrentCommands(descriptor, made) }
    let inner = PluginCalls.Copies(of: self)
    events.copies.withLock { $0 = inner }
    return result
  }

  private func load() throws(MediaError) -> msdk_result {
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

  private func adopt(_ memory: Int32) throws(MediaError) -> msdk_result {
    let (generation, size, count) = (try reader.get(UInt32.self), try reader.get(UInt64.self), try reader.get(UInt32.self))
    input = (try SharedMemory.map(memory, slotSize: Int(clamping: size), count: count, writable: true), generation)
    return msdk_result(MSDK_OK)
  }
}
