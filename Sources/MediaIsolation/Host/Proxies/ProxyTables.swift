import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Tables that look like a plugin's and say on to its process what the core calls. A function that the plugin does not have is not there either.
enum ProxyTables {
  /// Those of a twin, side by side while a class is made of them.
  private struct Kinds {
    var videoProducer = msdk_video_producer()
    var videoRenderer = msdk_video_renderer()
    var audioProducer = msdk_audio_producer()
    var audioRenderer = msdk_audio_renderer()
    var videoFilter = msdk_video_filter()
    var audioFilter = msdk_audio_filter()
    var videoEncoder = msdk_video_encoder()
    var videoDecoder = msdk_video_decoder()
    var audioEncoder = msdk_audio_encoder()
    var audioDecoder = msdk_audio_decoder()

    init(like descriptor: ClassDescriptor) {
      if let table = descriptor.producer { videoProducer = ProxyVideoProducer.table(like: table) }
      if let table = descriptor.renderer { videoRenderer = ProxyVideoRenderer.table(like: table) }
      if let table = descriptor.audioProducer { audioProducer = ProxyAudioProducer.table(like: table) }
      if let table = descriptor.audioRenderer { audioRenderer = ProxyAudioRenderer.table(like: table) }
      if let table = descriptor.videoFilter { videoFilter = ProxyVideoFilter.table(like: table) }
      if let table = descriptor.audioFilter { audioFilter = ProxyAudioFilter.table(like: table) }
      if let table = descriptor.videoEncoder { videoEncoder = ProxyVideoEncoder.table(like: table) }
      if let table = descriptor.videoDecoder { videoDecoder = ProxyVideoDecoder.table(like: table) }
      if let table = descriptor.audioEncoder { audioEncoder = ProxyAudioEncoder.table(like: table) }
      if let table = descriptor.audioDecoder { audioDecoder = ProxyAudioDecoder.table(like: table) }
    }
  }

  /// The twin of a class that runs as the plan says.
  static func twin(of descriptor: ClassDescriptor, plan: IsolationPlan) throws(MediaError) -> ClassDescriptor {
    var table = descriptor.table
    table.struct_size = UInt32(MemoryLayout<msdk_class>.size)
    table.flags &= ~UInt32(MSDK_CLASS_PREFERS_ISOLATION)
    table.create = { _, host, context, out in ProxyTables.create(host, context, out) }
    table.destroy = { me in
      guard let instance = ProxyTables.instance(me) else { return }
      HandleTable.shared.remove(me, .isolated)
      instance.close()
    }
    table.set_param = table.set_param == nil ? nil : { ProxyParameters.set($0, $1, $2) }
    table.get_param = table.get_param == nil ? nil : { ProxyParameters.get($0, $1, $2) }
    table.param_choice = table.param_choice == nil ? nil : { ProxyParameters.choice($0, $1, $2, $3) }
    table.get_extension = nil
    // The core has those of the class, and `ProxyCommands` in place of their functions.
    (table.commands, table.command_count) = (nil, 0)
    var kinds = Kinds(like: descriptor)
    return try withUnsafePointer(to: &kinds) { kinds throws(MediaError) in
      table.video_producer = kinds.pointer(to: \.videoProducer)
      table.video_renderer = kinds.pointer(to: \.videoRenderer)
      table.audio_producer = kinds.pointer(to: \.audioProducer)
      table.audio_renderer = kinds.pointer(to: \.audioRenderer)
      table.video_filter = kinds.pointer(to: \.videoFilter)
      table.audio_filter = kinds.pointer(to: \.audioFilter)
      table.video_encoder = kinds.pointer(to: \.videoEncoder)
      table.video_decoder = kinds.pointer(to: \.videoDecoder)
      table.audio_encoder = kinds.pointer(to: \.audioEncoder)
      table.audio_decoder = kinds.pointer(to: \.audioDecoder)
      return try ClassDescriptor(table, isolation: plan, like: descriptor, commands: { ProxyCommands.call($0, $1, $2, &$3) })
    }
  }

  private static func create(
    _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    make(PluginInstance.isolation(of: context), host, context, out)
  }

  fileprivate static func make(
    _ plan: AnyObject?, _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    guard let host, let out, let plan = plan as? IsolationPlan else { return msdk_result(MSDK_E_INVALID) }
    let instance = IsolatedInstance(plan, host: host, context: context)
    do throws(MediaError) {
      try PluginSupervisor.begin(instance)
    } catch {
      return instance.fail(error.status, error.text)
    }
    guard let token = HandleTable.shared.insert(instance, .isolated) else {
      instance.close()
      return instance.fail(.noMemory, "1,048,576 handles exist in this process, the maximum")
    }
    out.pointee = token
    return msdk_result(MSDK_OK)
  }

  @inline(__always)
  static func instance(_ me: OpaquePointer?) -> IsolatedInstance? {
    HandleTable.shared.object(me, .isolated).map { unsafeDowncast($0, to: IsolatedInstance.self) }
  }

  /// Runs a proxy's body with the instance that a token names.
  @inline(__always)
  static func with(_ me: OpaquePointer?, _ body: (IsolatedInstance) -> msdk_result) -> msdk_result {
    guard let instance = instance(me) else { return msdk_result(MSDK_E_HANDLE) }
    return body(instance)
  }
}

extension Isolation {
  /// The create of a twin, for a host that is not the core, and whose contexts are its own.
  package static func create(
    _ twin: ClassDescriptor, _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    ProxyTables.make(twin.isolation, host, context, out)
  }
}

enum ProxyParameters {
  static func set(_ me: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<msdk_value>?) -> msdk_result {
    ProxyTables.with(me) { instance in
      let name = ForeignText.readLossy(name, limit: 64)
      guard let foreign = value?.pointee else { return instance.fail(.invalid, "the value of parameter \"\(name)\" is NULL") }
      if foreign.type == UInt32(MSDK_T_STRING), foreign.u.str == nil {
        return instance.fail(.type, "parameter \"\(name)\" is a NULL string; accepted: a text")
      }
      let value: ParameterValue
      do throws(MediaError) {
        value = try ParameterValue(foreign: foreign, argument: "parameter \"\(name)\"")
      } catch {
        return instance.fail(error.status, error.text)
      }
      guard value.wireSize <= Wire.longestBytes else {
        return instance.fail(.range, "a value of an isolated plugin has at most \(Wire.longestBytes) bytes")
      }
      let outcome = instance.call(.setParam) { process in
        process.call(
          .setParam, now: instance.now(), deadline: instance.plan.options.controlDeadline,
          write: { writer in
            writer.put(text: name)
            writer.put(value: value)
          })
      }
      switch outcome {
      case .result(let result):
        if result >= 0 { instance.state.withLock { $0.wanted.set(name, value) } }
        return result
      case .away:
        // It is told when it comes back.
        instance.state.withLock { $0.wanted.set(name, value) }
        return msdk_result(MSDK_OK)
      case .died:
        // What it died of it is not told again.
        return instance.fail(.pluginDied, "its process died in setParam; parameter \"\(name)\" keeps its value")
      }
    }
  }

  static func get(_ me: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<msdk_value>?) -> msdk_result {
    ProxyTables.with(me) { instance in
      guard let out else { return msdk_result(MSDK_E_INVALID) }
      let name = ForeignText.readLossy(name, limit: 64)
      var value: ParameterValue?
      let result = instance.ask(.getParam, write: { $0.put(text: name) }) { reader, _ throws(MediaError) in value = try reader.getValue() }
      guard result >= 0, let value else { return result }
      lend(value, instance, out)
      return result
    }
  }

  static func choice(
    _ me: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_choice>?
  ) -> msdk_result {
    ProxyTables.with(me) { instance in
      guard let out else { return msdk_result(MSDK_E_INVALID) }
      let name = ForeignText.readLossy(name, limit: 64)
      var texts = ("", "")
      let result = instance.ask(
        .paramChoice,
        write: { writer in
          writer.put(text: name)
          writer.put(index)
        }
      ) { reader, _ throws(MediaError) in texts = (try reader.getText(), try reader.getText()) }
      guard result >= 0 else { return result }
      instance.keep([texts.0, texts.1]) { pointers in
        out.pointee.value = pointers[0]
        out.pointee.label = texts.1.isEmpty ? nil : pointers[1]
      }
      return result
    }
  }

  /// Texts stay here until the next call.
  private static func lend(_ value: ParameterValue, _ instance: IsolatedInstance, _ out: UnsafeMutablePointer<msdk_value>) {
    value.withForeign { out.pointee = $0.pointee }
    switch value {
    case .string(let text): instance.keep([text]) { out.pointee.u.str = $0[0] }
    case .bytes(let bytes):
      instance.keep(bytes: bytes) { out.pointee.u.bytes = msdk_bytes(data: $0, size: UInt64(bytes.count)) }
    default: break
    }
  }
}

extension IsolatedInstance {
  /// NUL-terminated copies that live until the next of this.
  func keep(_ texts: [String], _ body: ([UnsafePointer<CChar>]) -> Void) {
    var offsets: [Int] = []
    var bytes: [UInt8] = []
    for text in texts {
      offsets.append(bytes.count)
      bytes.append(contentsOf: text.utf8)
      bytes.append(0)
    }
    keep(bytes: bytes) { base in body(offsets.map { (base + $0).assumingMemoryBound(to: CChar.self) }) }
  }

  func keep(bytes: [UInt8], _ body: (UnsafeRawPointer) -> Void) {
    lent.deallocate()
    lent = .allocate(byteCount: max(1, bytes.count), alignment: 8)
    lent.copyBytes(from: bytes)
    if let base = lent.baseAddress { body(UnsafeRawPointer(base)) }
  }
}
