import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Reads headers of encoded data for classes whose code is in no process of ours: each in a process that is started when it is asked, and ends when
/// nobody asked for a while.
final class HeaderProcess: EncodedHeaders {
  private struct State {
    var instances: [String: IsolatedInstance] = [:]
    var isWatched = false
    /// When somebody asked last.
    var asked: Int64 = 0
  }

  private static let idle: Int64 = 5_000_000_000
  private let program: String
  private let path: String
  private let state = Monitor(State())

  init(program: String, path: String) {
    (self.program, self.path) = (program, path)
  }

  func parseVideo(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_encoded_header
  ) throws(MediaError) -> msdk_result {
    try instance(classID).parse(.parseVideo, data, &out)
  }

  func parseAudio(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_packet_header
  ) throws(MediaError) -> msdk_result {
    try instance(classID).parse(.parseAudio, data, &out)
  }

  private func instance(_ classID: String) throws(MediaError) -> IsolatedInstance {
    let (known, mustWatch): (IsolatedInstance?, Bool) = state.withLock { state in
      state.asked = MediaTime.monotonic()
      defer { state.isWatched = true }
      return (state.instances[classID], !state.isWatched)
    }
    // Without a thread they stay.
    if mustWatch, !OwnedThread.start("msdk-headers", for: self, { [self] in watch() }) { state.withLock { $0.isWatched = false } }
    if let known { return known }
    let plan = IsolationPlan(
      program: program, path: path, classID: classID, options: InstanceOptions(), isVirtualClock: false, pushes: false, hasInstance: false)
    let made = IsolatedInstance(plan, host: HostTable.pointer, context: nil)
    try PluginSupervisor.begin(made)
    let present = state.withLock { state in
      let present = state.instances[classID] ?? made
      state.instances[classID] = present
      return present
    }
    if present !== made { made.close() }
    return present
  }

  private func watch() {
    while true {
      let deadline = state.withLock { $0.asked } + HeaderProcess.idle
      let _: Bool? = state.wait(until: deadline) { _ in nil }
      let ended: [IsolatedInstance]? = state.withLock { state in
        guard state.asked + HeaderProcess.idle <= MediaTime.monotonic() else { return nil }
        defer { (state.instances, state.isWatched) = ([:], false) }
        return Array(state.instances.values)
      }
      guard let ended else { continue }
      for instance in ended { instance.close() }
      return
    }
  }
}

extension IsolatedInstance: EncodedHeaders {
  func parseVideo(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_encoded_header
  ) throws(MediaError) -> msdk_result {
    try parse(.parseVideo, data, &out)
  }

  func parseAudio(
    _ data: UnsafeRawBufferPointer, of classID: String, _ out: inout msdk_packet_header
  ) throws(MediaError) -> msdk_result {
    try parse(.parseAudio, data, &out)
  }

  /// The plugin's own refusals are results; what is not is thrown.
  fileprivate func parse<Header: BitwiseCopyable>(_ op: Op, _ data: UnsafeRawBufferPointer, _ out: inout Header) throws(MediaError)
    -> msdk_result
  {
    var header: Header?
    let outcome = exchange(op, data, .sized, shortage: .noMemory, waits: true) { _, reader, _ throws(MediaError) in
      header = try reader.get(Header.self)
    }
    let result = settleCodec(op, outcome)
    if result == msdk_result(MSDK_E_PLUGIN_DIED) {
      throw MediaError(.pluginDied, "\(plan.classID): its process died while it parsed a header of \(data.count) bytes, or is gone")
    }
    if let header { out = header }
    return result
  }
}

extension IsolationPlan: InstanceHeaders {
  func headers(of plugin: OpaquePointer) -> (any EncodedHeaders)? { Proxy.instance(plugin) }
}
