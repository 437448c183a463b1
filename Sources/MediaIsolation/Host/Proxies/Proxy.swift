import CMediaSDK
import IsolationProtocol
import MediaCore

/// What the functions of proxies' tables do: each finds the instance that its token names, and forwards its call in one of the forms of
/// `IsolatedInstance`. Called by the core as a plugin's functions are, on the threads that plugin.h names.
enum Proxy {
  @inline(__always)
  static func instance(_ me: OpaquePointer?) -> IsolatedInstance? {
    HandleTable.shared.object(me, .isolated).map { unsafeDowncast($0, to: IsolatedInstance.self) }
  }

  @inline(__always)
  static func with(_ me: OpaquePointer?, _ body: (IsolatedInstance) -> msdk_result) -> msdk_result {
    guard let instance = instance(me) else { return msdk_result(MSDK_E_HANDLE) }
    return body(instance)
  }

  /// With what is read or filled at an address.
  @inline(__always)
  static func with<Value>(
    _ me: OpaquePointer?, _ value: UnsafeMutablePointer<Value>?, _ body: (IsolatedInstance, UnsafeMutablePointer<Value>) -> msdk_result
  ) -> msdk_result {
    guard let value else { return msdk_result(MSDK_E_INVALID) }
    return with(me) { body($0, value) }
  }

  // MARK: Calls that bring the instance up

  static func change(_ me: OpaquePointer?, _ op: Op, _ payload: [UInt8] = []) -> msdk_result {
    with(me) { $0.change(op, payload) }
  }

  static func change<Value: WireValue>(_ me: OpaquePointer?, _ op: Op, _ value: UnsafePointer<Value>?) -> msdk_result {
    guard let value else { return msdk_result(MSDK_E_INVALID) }
    return change(me, op, value.pointee.payload)
  }

  // MARK: Calls that take it down

  static func takeDown(_ me: OpaquePointer?, _ op: Op) -> msdk_result {
    with(me) { $0.takeDown(op) }
  }

  // MARK: Questions

  static func ask<Value: WireValue>(
    _ me: OpaquePointer?, _ op: Op, _ out: UnsafeMutablePointer<Value>?, about index: UInt32 = 0
  ) -> msdk_result {
    with(me, out) { instance, out in
      instance.ask(op, write: { $0.put(index) }) { reader, _ throws(MediaError) in out.pointee = try Value(reading: &reader) }
    }
  }

  static func accepts(_ me: OpaquePointer?, _ op: Op, codec: UInt32) -> Int32 {
    with(me) { $0.ask(op, write: { $0.put(codec) }) }
  }
}
