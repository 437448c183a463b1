import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins
import MediaSDK

// instance.h, commands

@c @implementation
public func msdk_instance_call(
  _ instance: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ args: UnsafePointer<msdk_value>!, _ argCount: UInt32,
  _ result: UnsafeMutablePointer<msdk_value>!
) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    let value = try instance.call(foreign: name, args, count: argCount)
    guard let result else { return }
    guard let native = LastResult.keep(value) else { throw MediaError(.noMemory, "no memory for the command's result") }
    result.pointee = native
  }
}

/// The text or bytes of each thread's last result, in memory that goes with the thread.
private enum LastResult {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { free($0) }
    return key
  }()

  /// The value in the foreign shape; nil when there is no memory for it.
  static func keep(_ value: ParameterValue?) -> msdk_value? {
    var native = msdk_value()
    guard let value else { return native }
    native.type = value.type.rawValue
    switch value {
    case .string(var text):
      let kept: UnsafeMutableRawPointer? = text.withUTF8 { copy($0, and: 1) }
      guard let kept else { return nil }
      native.u.str = UnsafePointer(kept.assumingMemoryBound(to: CChar.self))
    case .bytes(let bytes):
      let kept: UnsafeMutableRawPointer? = bytes.withUnsafeBufferPointer { copy($0, and: 0) }
      guard let kept else { return nil }
      native.u.bytes = msdk_bytes(data: kept, size: UInt64(bytes.count))
    default:
      native = value.withForeign { $0.pointee }
    }
    return native
  }

  /// In the place of what was there, with so many zeros behind.
  private static func copy(_ bytes: UnsafeBufferPointer<UInt8>, and zeros: Int) -> UnsafeMutableRawPointer? {
    let memory = realloc(pthread_getspecific(key), max(1, bytes.count + zeros))
    guard let memory else { return nil }
    pthread_setspecific(key, memory)
    UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyBytes(from: bytes)
    if zeros > 0 { memset(memory + bytes.count, 0, zeros) }
    return memory
  }
}
