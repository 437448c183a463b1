import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// The twin of a class: tables that look like a plugin's, whose functions forward the core's calls to its process. A function that the plugin does
/// not have is not there either. Called by the core when an instance is made.
enum ProxyTables {
  /// The twin of a class that runs as the plan says.
  static func twin(of descriptor: ClassDescriptor, plan: IsolationPlan) throws(MediaError) -> ClassDescriptor {
    var table = descriptor.table
    table.struct_size = UInt32(MemoryLayout<msdk_class>.size)
    table.flags &= ~UInt32(MSDK_CLASS_PREFERS_ISOLATION)
    table.create = { _, host, context, out in ProxyTables.create(host, context, out) }
    table.destroy = { me in
      guard let instance = Proxy.instance(me) else { return }
      HandleTable.shared.remove(me, .isolated)
      instance.close()
    }
    table.set_param = table.set_param == nil ? nil : { ProxyParameters.set($0, $1, $2) }
    table.get_param = table.get_param == nil ? nil : { ProxyParameters.get($0, $1, $2) }
    table.param_choice = table.param_choice == nil ? nil : { ProxyParameters.choice($0, $1, $2, $3) }
    table.get_extension = nil
    // The core has those of the class, and `ProxyCommands` in place of their functions.
    (table.commands, table.command_count) = (nil, 0)
    return try withUnsafePointer(to: proxies(of: ClassTables(of: descriptor))) { proxies throws(MediaError) in
      ClassTables.place(proxies, in: &table)
      return try ClassDescriptor(table, isolation: plan, like: descriptor, commands: { ProxyCommands.call($0, $1, $2, &$3) })
    }
  }

  private static func proxies(of tables: ClassTables) -> ClassTables {
    var proxies = ClassTables()
    proxies.videoProducer = .proxy(like: tables.videoProducer)
    proxies.videoRenderer = .proxy(like: tables.videoRenderer)
    proxies.videoFilter = .proxy(like: tables.videoFilter)
    proxies.videoEncoder = .proxy(like: tables.videoEncoder)
    proxies.videoDecoder = .proxy(like: tables.videoDecoder)
    proxies.audioProducer = .proxy(like: tables.audioProducer)
    proxies.audioRenderer = .proxy(like: tables.audioRenderer)
    proxies.audioFilter = .proxy(like: tables.audioFilter)
    proxies.audioEncoder = .proxy(like: tables.audioEncoder)
    proxies.audioDecoder = .proxy(like: tables.audioDecoder)
    return proxies
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
}

extension Isolation {
  /// The create of a twin, for a host that is not the core, and whose contexts are its own.
  package static func create(
    _ twin: ClassDescriptor, _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    ProxyTables.make(twin.isolation, host, context, out)
  }
}
