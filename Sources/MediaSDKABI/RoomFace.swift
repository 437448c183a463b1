import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

// room.h

@c @implementation
public func msdk_room_script_network(
  _ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!, _ script: UnsafePointer<msdk_network_script>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let url = try ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url")
    let native = try ForeignStruct.read(required(script, "script"), argument: "script")
    let user = try ForeignText.readOptional(native.user_id, limit: Int(MSDK_NAME_MAX), argument: "script.user_id")
    try engine.scriptNetwork(url, steps(of: native), seed: native.seed, userID: user)
  }
}

private func steps(of script: msdk_network_script) throws(MediaError) -> [NetworkScript.Step] {
  guard script.step_count <= 1024 else { throw MediaError(.range, "script.step_count is \(script.step_count); accepted: 0..1024") }
  let native: [msdk_network_step] = try foreignArray(script.steps, count: script.step_count, name: "script.steps")
  for (index, step) in native.enumerated() where step.flags & ~UInt32(MSDK_NETWORK_DISCONNECTED) != 0 {
    throw MediaError(.invalid, "script.steps[\(index)].flags is \(step.flags); accepted: 0, MSDK_NETWORK_DISCONNECTED")
  }
  return native.map { step in
    NetworkScript.Step(
      at: step.at_ns, isDisconnected: step.flags & UInt32(MSDK_NETWORK_DISCONNECTED) != 0, bandwidth: step.bandwidth_bps,
      delay: step.delay_ns, jitter: step.jitter_ns, loss: step.loss_ppm,
      queue: Int64(step.queue_ms == 0 ? 300 : step.queue_ms) * 1_000_000)
  }
}

/// Copies an array of sized structs, whose elements are as far apart as the first one says it is long.
func foreignArray<Element>(_ base: UnsafePointer<Element>?, count: UInt32, name: StaticString) throws(MediaError) -> [Element] {
  guard count > 0 else { return [] }
  guard let base else { throw MediaError(.invalid, "\(name) is NULL; accepted: \(count) elements, as its count says") }
  let stride = Int(UnsafeRawPointer(base).loadUnaligned(as: UInt32.self))
  guard stride % MemoryLayout<Element>.alignment == 0 else {
    throw MediaError(.invalid, "\(name)[0].struct_size is \(stride); accepted: a multiple of \(MemoryLayout<Element>.alignment)")
  }
  var elements: [Element] = []
  for index in 0..<Int(count) {
    let element = (UnsafeRawPointer(base) + index * stride).assumingMemoryBound(to: Element.self)
    elements.append(try ForeignStruct.read(element, argument: "\(name)[\(index)]"))
  }
  return elements
}
