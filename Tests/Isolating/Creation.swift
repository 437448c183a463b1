import CMediaSDK
import MediaCore
import MediaIsolation
import MediaPlugins

/// Making instances of the class behind `user`.
enum Creation {
  /// What lies behind a class for as long as the process lives.
  private final class Twins {
    let twins: IsolatedClass
    init(_ twins: IsolatedClass) { self.twins = twins }
  }

  static func user(for twins: IsolatedClass) -> UnsafeMutableRawPointer { Unmanaged.passRetained(Twins(twins)).toOpaque() }

  static func create(
    _ type: UnsafePointer<msdk_class>?, _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    guard let user = type?.pointee.user else { return msdk_result(MSDK_E_INVALID) }
    let twins = Unmanaged<Twins>.fromOpaque(user).takeUnretainedValue().twins
    guard let host, let out else { return msdk_result(MSDK_E_INVALID) }
    // As plugins do: everything is used here.
    guard host.pointee.struct_size >= UInt32(MemoryLayout<msdk_host>.size) else { return msdk_result(MSDK_E_ABI) }
    let isReal = host.pointee.get_extension?(context, IsolatedClass.realTime) != nil
    let instance = HostedInstance(isReal ? twins.real : twins.virtual, host.pointee, context)
    var me: OpaquePointer?
    let result = Isolation.create(instance.twin, HostFunctions.pointer, instance.token, &me)
    guard result >= 0, let me else { return result }
    HostedInstance.all.withLock { $0[me] = instance }
    out.pointee = me
    return result
  }

  static func destroy(_ me: OpaquePointer?) {
    guard let me, let instance = HostedInstance.of(me) else { return }
    instance.twin.table.destroy?(me)
    HostedInstance.all.withLock { $0[me] = nil }
  }
}

/// An instance between the host of a test and the library's proxy.
final class HostedInstance: @unchecked Sendable {
  /// By the names that the proxies gave them.
  static let all = Monitor<[OpaquePointer: HostedInstance]>([:])

  let twin: ClassDescriptor
  let host: msdk_host
  let context: OpaquePointer?
  // As the core gives them.
  let pictures = BufferPool(limit: 96)
  let sounds = BufferPool(limit: 2_048)
  let packets = BufferPool(limit: 8_192)

  /// Kinds that are started. The host of a proxy knows that by itself.
  private let started = Monitor<UInt32>(0)

  init(_ twin: ClassDescriptor, _ host: msdk_host, _ context: OpaquePointer?) {
    (self.twin, self.host, self.context) = (twin, host, context)
  }

  static func of(_ me: OpaquePointer?) -> HostedInstance? {
    me.flatMap { me in all.withLock { $0[me] } }
  }

  /// Runs a function of a table for the instance that is named.
  static func with(_ me: OpaquePointer?, _ body: (HostedInstance) throws(MediaError) -> msdk_result) -> msdk_result {
    guard let instance = of(me) else { return msdk_result(MSDK_E_HANDLE) }
    return instance.run { () throws(MediaError) in try body(instance) }
  }

  func run(_ body: () throws(MediaError) -> msdk_result) -> msdk_result {
    do throws(MediaError) {
      return try body()
    } catch {
      // That the host has no room it knows.
      if error.status != .again { error.text.withCString { host.set_error?(context, error.status.rawValue, $0) } }
      return error.status.rawValue
    }
  }

  func isStarted(_ kind: Int) -> Int32 { started.withLock { $0 & UInt32(kind) != 0 ? 1 : 0 } }

  func hasEnded(_ kind: Int) { started.withLock { $0 &= ~UInt32(kind) } }

  /// Calls what starts or stops a kind.
  func set(_ kind: Int, started isStarted: Bool, _ function: (@convention(c) (OpaquePointer?) -> msdk_result)?, _ me: OpaquePointer?)
    -> msdk_result
  {
    // It may be stopped by its first delivery, before start returns.
    let wasStarted = self.isStarted(kind) == 1
    if isStarted { started.withLock { $0 |= UInt32(kind) } }
    let result = function?(me) ?? msdk_result(MSDK_E_UNSUPPORTED)
    if isStarted ? result < 0 && !wasStarted : result >= 0 { hasEnded(kind) }
    return result
  }

  /// What the proxies know it by. It lives until destroy returns.
  var token: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

  static func named(_ token: OpaquePointer?) -> HostedInstance? {
    token.map { Unmanaged<HostedInstance>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
  }
}
