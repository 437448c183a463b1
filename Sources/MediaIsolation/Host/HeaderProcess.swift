import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins
import MediaRuntime

/// Reads headers of encoded data for classes whose code is in no process of ours: each in a process that is started when it is asked, and ends when
/// nobody asked for a while.
final class HeaderProcess: EncodedHeaders {
  private struct State {
    var instances: [String: IsolatedInstance] = [:]
    /// While there are any.
    var worker: (any Worker)?
    /// When somebody asked last.
    var asked: Int64 = 0
  }

  static let idle: Int64 = 5_000_000_000
  private let program: String
  private let path: String
  private let clock: any MediaClock
  private let begin: @Sendable (IsolatedInstance) throws(MediaError) -> Void
  private let state = Monitor(State())

  /// `begin`: starts an instance's process.
  init(
    program: String, path: String, clock: any MediaClock = IsolationPlan.systemClock,
    begin: @escaping @Sendable (IsolatedInstance) throws(MediaError) -> Void = PluginSupervisor.begin
  ) {
    (self.program, self.path, self.clock, self.begin) = (program, path, clock, begin)
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
    let now = clock.now()
    let known = state.withLock { state in
      state.asked = now
      return state.instances[classID]
    }
    if let known { return known }
    let plan = IsolationPlan(
      program: program, path: path, classID: classID, options: InstanceOptions(), isVirtualClock: false, pushes: false, hasInstance: false,
      clock: clock)
    let made = IsolatedInstance(plan, host: HostTable.pointer, context: nil)
    try begin(made)
    let (present, worker): (IsolatedInstance, any Worker) = state.withLock { state in
      let present = state.instances[classID] ?? made
      let worker = state.worker ?? clock.makeWorker("msdk-headers") { [self] in watch() }
      (state.instances[classID], state.worker, state.asked) = (present, worker, clock.now())
      return (present, worker)
    }
    // Without a thread they stay.
    worker.poke()
    if present !== made { made.close() }
    return present
  }

  /// A step of the worker's: when it is to look again.
  private func watch() -> Int64 {
    let now = clock.now()
    let (next, ended, worker): (Int64, [IsolatedInstance], (any Worker)?) = state.withLock { state in
      let next = state.asked + HeaderProcess.idle
      guard next <= now else { return (next, [], nil) }
      defer { (state.instances, state.worker) = ([:], nil) }
      return (.max, Array(state.instances.values), state.worker)
    }
    for instance in ended { instance.close() }
    // From inside of itself: its thread ends with this step.
    worker?.stop()
    return next
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
