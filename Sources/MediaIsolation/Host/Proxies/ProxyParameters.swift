import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Parameters of a plugin that lives in another process.
enum ProxyParameters {
  static func set(_ me: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<msdk_value>?) -> msdk_result {
    Proxy.with(me) { instance in
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
      while true {
        switch instance.call(.setParam, { $0.setParameter(name, value, of: instance) }) {
        case .result(let result):
          if result >= 0 { instance.state.withLock { $0.desired.set(name, value) } }
          return result
        case .away:
          if keep(name, value, for: instance) { return msdk_result(MSDK_OK) }
        case .died:
          // What it died of is not set again.
          return instance.fail(.pluginDied, "its process died in setParam; parameter \"\(name)\" keeps its value")
        }
      }
    }
  }

  /// For when the process comes back; false: it is coming back just now, with what was kept before.
  private static func keep(_ name: String, _ value: ParameterValue, for instance: IsolatedInstance) -> Bool {
    instance.state.withLock { state in
      guard state.link.process == nil else { return false }
      state.desired.set(name, value)
      return true
    }
  }

  static func get(_ me: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<msdk_value>?) -> msdk_result {
    Proxy.with(me) { instance in
      guard let out else { return msdk_result(MSDK_E_INVALID) }
      let name = ForeignText.readLossy(name, limit: 64)
      var value: ParameterValue?
      var payload = WireWriter()
      payload.put(text: name)
      let result = instance.ask(.getParam) { process in
        process.callLong(
          .getParam, now: instance.now(), deadline: instance.plan.options.controlDeadline, payload: payload,
          most: ParameterValue.mostBytes + 64
        ) { reader throws(MediaError) in value = try reader.getValue() }
      }
      guard result >= 0, let value else { return result }
      lend(value, instance, out)
      return result
    }
  }

  static func choice(
    _ me: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_choice>?
  ) -> msdk_result {
    Proxy.with(me) { instance in
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

extension PluginProcess {
  func setParameter(_ name: String, _ value: ParameterValue, of instance: IsolatedInstance) -> Answer {
    var payload = WireWriter()
    payload.put(text: name)
    payload.put(value: value)
    return callLong(.setParam, now: instance.now(), deadline: instance.plan.options.controlDeadline, payload: payload, most: 0) { _ in }
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
    keptText.deallocate()
    keptText = .allocate(byteCount: max(1, bytes.count), alignment: 8)
    keptText.copyBytes(from: bytes)
    if let base = keptText.baseAddress { body(UnsafeRawPointer(base)) }
  }
}
