import CFFI
import CMediaSDK
import MediaCore

/// An ordinary C function of a plugin, R fn(msdk_self *, A1, ... An), called through libffi. What libffi needs to know of it is made once.
final class NativeCall: @unchecked Sendable {
  typealias Function = @convention(c) () -> Void

  private let function: Function
  private let result: Int
  private let types: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>
  private let interface: UnsafeMutablePointer<ffi_cif>

  /// nil when libffi does not know how to make such a call. `result` was checked: MSDK_T_VOID to MSDK_T_STATUS.
  init?(_ function: @escaping Function, result: msdk_type, arguments: [ParameterType]) {
    self.function = function
    self.result = Int(result)
    types = .allocate(capacity: arguments.count + 1)
    types.initialize(to: cffi_pointer())
    for (index, type) in arguments.enumerated() { (types + index + 1).initialize(to: NativeCall.type(Int(type.rawValue))) }
    interface = .allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    guard cffi_prepare(interface, UInt32(arguments.count + 1), NativeCall.type(self.result), types) != 0 else { return nil }
  }

  deinit {
    types.deallocate()
    interface.deallocate()
  }

  /// As the macros of plugin.h, MSDK_C_*, have them.
  private static func type(_ type: Int) -> UnsafeMutablePointer<ffi_type> {
    switch type {
    case MSDK_T_BOOL: cffi_uint8()
    case MSDK_T_I32, MSDK_T_STATUS: cffi_sint32()
    case MSDK_T_I64: cffi_sint64()
    case MSDK_T_U32: cffi_uint32()
    case MSDK_T_U64: cffi_uint64()
    case MSDK_T_F64: cffi_double()
    case MSDK_T_STRING, MSDK_T_BYTES: cffi_pointer()
    default: cffi_void()
    }
  }

  /// Calls it with values of the types declared. A NULL that stands for bytes becomes a value of no data and one byte, which is none.
  func call(_ plugin: OpaquePointer, _ values: UnsafeMutableBufferPointer<msdk_value>, into answer: inout msdk_value) -> msdk_result {
    var plugin: OpaquePointer? = plugin
    // Integers narrower than a register come back as a whole one (ffi_arg); room for the widest there is.
    var room: (UInt64, UInt64) = (0, 0)
    withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: values.count + 1) { pointers in
      withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: values.count + 1) { bytes in
        withUnsafeMutablePointer(to: &plugin) { plugin in
          pointers[0] = UnsafeMutableRawPointer(plugin)
          for index in 0..<values.count {
            guard let base = values.baseAddress else { continue }
            // Each member of the union begins where the union does; bytes are given by address.
            let member = UnsafeMutableRawPointer(base + index) + NativeCall.offsetOfUnion
            if Int(values[index].type) == MSDK_T_BYTES {
              bytes[index] = member
              pointers[index + 1] = bytes.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
            } else {
              pointers[index + 1] = member
            }
          }
          withUnsafeMutableBytes(of: &room) { ffi_call(interface, function, $0.baseAddress, pointers.baseAddress) }
        }
      }
    }
    return withUnsafeBytes(of: &room) { read($0, into: &answer) }
  }

  private static let offsetOfUnion = MemoryLayout<msdk_value>.offset(of: \.u) ?? 8

  private func read(_ room: UnsafeRawBufferPointer, into answer: inout msdk_value) -> msdk_result {
    let register = room.load(as: ffi_arg.self)
    switch result {
    case MSDK_T_STATUS: return msdk_result(truncatingIfNeeded: register)
    case MSDK_T_BOOL: answer.u.b = UInt8(truncatingIfNeeded: register)
    case MSDK_T_I32: answer.u.i32 = Int32(truncatingIfNeeded: register)
    case MSDK_T_U32: answer.u.u32 = UInt32(truncatingIfNeeded: register)
    case MSDK_T_I64: answer.u.i64 = room.load(as: Int64.self)
    case MSDK_T_U64: answer.u.u64 = room.load(as: UInt64.self)
    case MSDK_T_F64: answer.u.f64 = room.load(as: Double.self)
    case MSDK_T_STRING: answer.u.str = room.load(as: UnsafePointer<CChar>?.self)
    case MSDK_T_BYTES: answer.u.bytes = room.load(as: UnsafePointer<msdk_bytes>?.self)?.pointee ?? msdk_bytes(data: nil, size: 1)
    default: return msdk_result(MSDK_OK)
    }
    answer.type = msdk_type(result)
    return msdk_result(MSDK_OK)
  }
}
