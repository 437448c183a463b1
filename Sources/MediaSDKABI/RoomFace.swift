import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

// room.h

@c @implementation
public func msdk_room_configure(
  _ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!, _ options: UnsafePointer<msdk_room_options>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let url = try ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url")
    guard let options else { return try engine.configureRoom(url, nil) }
    try engine.configureRoom(url, RoomOptions(ForeignStruct.read(options, argument: "options")))
  }
}

extension RoomOptions {
  fileprivate init(_ native: msdk_room_options) throws(MediaError) {
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    self.init()
    if native.capacity != 0 { capacity = Int(native.capacity) }
    guard native.duplicates <= UInt32(MSDK_DUPLICATE_REPLACE) else {
      throw MediaError(.unsupported, "options.duplicates is \(native.duplicates); accepted: MSDK_DUPLICATE_REFUSE, MSDK_DUPLICATE_REPLACE")
    }
    replacesDuplicates = native.duplicates == UInt32(MSDK_DUPLICATE_REPLACE)
    permissions = try Permissions(foreign: native.permissions, default: permissions, argument: "options.permissions")
    let isPulled = try flag(native.pulled, "options.pulled")
    guard let verify = native.verify else {
      verification = isPulled ? .pulled : .none
      return
    }
    guard !isPulled else { throw MediaError(.invalid, "options.pulled is 1 and options.verify is set; accepted: one of them") }
    let user = ForeignUser(pointer: native.user)
    verification = .function { request in
      var grant = msdk_access_grant()
      grant.struct_size = UInt32(MemoryLayout<msdk_access_grant>.size)
      grant.permissions = request.permissions.foreign
      let result = withUnsafePointer(to: request.foreign) { verify(user.pointer, $0, &grant) }
      // A refusal stands, whatever its reason is.
      return request.answer(result, grant, (try? AccessGrant.reason(of: grant)) ?? "")
    }
  }
}

@c @implementation
public func msdk_room_next_request(
  _ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!, _ timeout: UInt32, _ out: UnsafeMutablePointer<msdk_access_request>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let url = try ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url")
    let out = try required(out, "out")
    // A struct that cannot be filled must not cost a request.
    try ForeignStruct.check(out, argument: "out")
    let request = try pulled(timeout) { deadline throws(MediaError) in try engine.nextAccessRequest(url, deadline: deadline) }
    try ForeignStruct.write(request.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_room_get_request_fd(
  _ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!, _ out: UnsafeMutablePointer<Int32>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let url = try ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url")
    try required(out, "out").pointee = try engine.accessDescriptor(url)
  }
}

@c @implementation
public func msdk_room_answer(
  _ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!, _ id: UInt64, _ result: msdk_result,
  _ grant: UnsafePointer<msdk_access_grant>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let url = try ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url")
    guard result != msdk_result(MSDK_E_AGAIN) else {
      throw MediaError(.invalid, "result is MSDK_E_AGAIN; accepted: MSDK_OK or another error")
    }
    guard result <= MSDK_OK else { throw MediaError(.invalid, "result is \(result); accepted: MSDK_OK, or the error to refuse with") }
    let native = if let grant { try ForeignStruct.read(grant, argument: "grant") } else { msdk_access_grant() }
    let reason = try AccessGrant.reason(of: native)
    if result == MSDK_OK { _ = try AccessGrant(native, default: []) }
    try engine.answer(url, id) { $0.answer(result, native, reason) }
  }
}

extension AccessGrant {
  fileprivate init(_ native: msdk_access_grant, default ordinary: Permissions) throws(MediaError) {
    let permissions = try Permissions(foreign: native.permissions, default: ordinary, argument: "grant.permissions")
    try AccessGrant.check(lifetime: native.lifetime_ns, argument: "grant.lifetime_ns")
    self.init(permissions, lifetime: native.lifetime_ns)
  }

  fileprivate static func reason(of native: msdk_access_grant) throws(MediaError) -> String {
    try ForeignText.readOptional(native.reason, limit: Int(MSDK_NAME_MAX), argument: "grant.reason") ?? ""
  }
}

extension AccessRequest {
  fileprivate var foreign: msdk_access_request {
    var native = msdk_access_request()
    native.struct_size = UInt32(MemoryLayout<msdk_access_request>.size)
    native.permissions = permissions.foreign
    native.id = id
    native.flags = isRenewal ? UInt32(MSDK_ACCESS_RENEWAL) : 0
    withUnsafeMutableBytes(of: &native.room) { ForeignText.write(room, to: $0) }
    withUnsafeMutableBytes(of: &native.user_id) { ForeignText.write(member.userID, to: $0) }
    withUnsafeMutableBytes(of: &native.display_name) { ForeignText.write(member.displayName, to: $0) }
    withUnsafeMutableBytes(of: &native.access_token) { ForeignText.write(token.value, to: $0) }
    return native
  }

  /// What the program said, in our words; on a guess nobody is let in.
  fileprivate func answer(_ result: msdk_result, _ grant: msdk_access_grant, _ reason: String) -> Answer {
    // Whoever returns a boolean, or what strcmp(3) gives, must not open the room by that.
    guard result == MSDK_OK else {
      guard result < 0 else {
        return .failure(.refused(self, "its verifier returned \(result); accepted: MSDK_OK to accept, an error to refuse"))
      }
      let status = Status(foreign: result)
      if status == .again { return .failure(MediaError(.again, "")) }
      return .failure(.refused(self, "its verifier returned \(status.name)\(reason.isEmpty ? "" : ": \(reason)")"))
    }
    do throws(MediaError) {
      return .success(try AccessGrant(grant, default: permissions))
    } catch {
      return .failure(.refused(self, "its verifier's answer is invalid; \(error.text)"))
    }
  }
}

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
  for (index, step) in native.enumerated() {
    guard step.flags & ~UInt32(MSDK_NETWORK_DISCONNECTED) == 0 else {
      throw MediaError(.unsupported, "script.steps[\(index)].flags is \(step.flags); accepted: 0, MSDK_NETWORK_DISCONNECTED")
    }
    try ForeignStruct.checkReserved(step.reserved0, "script.steps[\(index)].reserved0")
  }
  return native.map { step in
    NetworkScript.Step(
      at: step.at_ns, isDisconnected: step.flags & UInt32(MSDK_NETWORK_DISCONNECTED) != 0, bandwidth: step.bandwidth_bps,
      delay: step.delay_ns, jitter: step.jitter_ns, loss: step.loss_ppm,
      queue: step.queue_ns == 0 ? 300_000_000 : step.queue_ns)
  }
}

/// Copies an array of sized structs, whose elements are as far apart as the first one says it is long.
func foreignArray<Element>(_ base: UnsafePointer<Element>?, count: UInt32, name: StaticString) throws(MediaError) -> [Element] {
  guard count > 0 else { return [] }
  guard let base else { throw MediaError(.invalid, "\(name) is NULL; accepted: \(count) elements, as its count declares") }
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
