import CMediaSDK
import MediaCore
import MediaIsolation
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Which clock an engine has, and whether it reads the environment.
public struct EngineOptions: Sendable {
  /// For tests: time advances only in `advanceClock`, which does all work on the caller's thread; the engine makes no threads.
  public var isVirtualClock = false
  /// The environment variables of engine.h are not read, except MSDK_PLUGIN_ALLOW_WRITABLE.
  public var ignoresEnvironment = false

  /// The system's clock, and the environment is read.
  public init() {}
}

/// One per embedding: clock, log, plugins, and all that is made from it. `close` ends everything.
public final class Engine: Sendable {
  private struct Children {
    var sessions: [ObjectIdentifier: Session] = [:]
    var outgoing: [ObjectIdentifier: OutgoingVideo] = [:]
    var outgoingAudio: [ObjectIdentifier: OutgoingAudio] = [:]
    var instances: [ObjectIdentifier: PluginInstance] = [:]
    var isClosed = false
  }

  /// The handle of the C ABI, made when that first asks for it; it ends with the engine.
  public let handle = HandleSlot(.engine)
  /// The modules and classes that this engine knows.
  public let plugins: PluginRegistry
  private let isolation: Isolation
  /// The log of this engine and of all that is made from it.
  public let logger: Logger
  private let codecParameters = CodecParameters()
  let clock: any MediaClock
  let loop: EventLoop
  private let options: EngineOptions
  var ignoresEnvironment: Bool { options.ignoresEnvironment }
  private let children = Monitor(Children())
  /// Made when it is needed first.
  private let network = Monitor<Reactor?>(nil)
  /// Rooms that this engine opened to the network, by name.
  let servers = Monitor<[String: Serving]>([:])
  /// Of the rooms that this engine configured.
  let verifiers = Monitor(RoomVerifiers())

  /// The new engine knows the built-in classes only, until plugins are loaded. Its maker closes it.
  public init(_ options: EngineOptions = EngineOptions()) {
    self.options = options
    let clock: any MediaClock = options.isVirtualClock ? VirtualClock() : SystemClock()
    self.clock = clock
    logger = Logger(ignoringEnvironment: options.ignoresEnvironment) { clock.now() }
    let isolation = Isolation(ignoringEnvironment: options.ignoresEnvironment)
    self.isolation = isolation
    plugins = PluginRegistry(
      policy: .standard(ignoringEnvironment: options.ignoresEnvironment),
      scanner: .standard(ignoringEnvironment: options.ignoresEnvironment),
      describe: { path, wish, anew throws(MediaError) in try isolation.describe(path, wish: wish, anew: anew) })
    loop = EventLoop("msdk-loop", clock: clock)
    plugins.addBuiltIn()
  }

  var isClosed: Bool { children.withLock { $0.isClosed } }

  /// The time on the engine's clock in nanoseconds: CLOCK_MONOTONIC, or the virtual clock.
  public func now() -> Int64 {
    clock.now()
  }

  /// Moves the virtual clock on, and does on this thread all that falls due on the way.
  public func advanceClock(by nanoseconds: Int64) throws(MediaError) {
    guard let clock = clock as? VirtualClock else {
      throw MediaError(.unsupported, "the engine has the system clock; accepted: an engine with the virtual clock")
    }
    let longest: Int64 = 24 * 3_600_000_000_000
    guard (0...longest).contains(nanoseconds) else {
      throw MediaError(.range, "nanoseconds is \(nanoseconds); accepted: 0..\(longest)")
    }
    guard !ForeignCode.isRunning else { throw MediaError(.thread, "the clock cannot be advanced from inside a callback") }
    try clock.advance(by: nanoseconds)
  }

  func networkThread() throws(MediaError) -> Reactor {
    try network.withLock { network throws(MediaError) in
      if let network { return network }
      // Nobody would stop it.
      guard !isClosed else { throw MediaError(.closed, "the engine is destroyed") }
      let made = try Reactor(clock: clock)
      network = made
      return made
    }
  }

  // MARK: Making

  /// Makes a session, which is idle. Throws `.closed` once the engine is closed, and `.range`, `.invalid` or `.unsupported` for a member of
  /// `options`.
  public func makeSession(_ options: SessionOptions) throws(MediaError) -> Session {
    let session = try Session(self, options)
    try add(session, to: \.sessions)
    return session
  }

  /// Makes a stream, which belongs to no session yet. Throws `.closed` once the engine is closed, `.limit` for a format beyond the limits,
  /// and `.range`, `.invalid` or `.unsupported` for another member of `options`.
  public func makeOutgoingVideo(_ options: OutgoingVideoOptions) throws(MediaError) -> OutgoingVideo {
    let stream = try OutgoingVideo(self, options)
    try add(stream, to: \.outgoing)
    return stream
  }

  /// Makes a stream, which belongs to no session yet. Throws `.closed` once the engine is closed, and `.range`, `.invalid` or
  /// `.unsupported` for a member of `options`.
  public func makeOutgoingAudio(_ options: OutgoingAudioOptions) throws(MediaError) -> OutgoingAudio {
    let stream = try OutgoingAudio(self, options)
    try add(stream, to: \.outgoingAudio)
    return stream
  }

  /// Makes an instance of a class, which its maker destroys. Throws `.notFound` for an unknown class, `.exists` for a second instance of a
  /// singleton, `.closed` once the engine is closed, and what the plugin refuses.
  public func makeInstance(_ classID: String, _ options: InstanceOptions = InstanceOptions()) throws(MediaError) -> PluginInstance {
    let descriptor = try isolation.descriptor(
      for: plugins.descriptor(classID), options, isVirtualClock: clock.isVirtual, log: { [logger] in logger.log($0, .plugin, $1) })
    try children.withLock { children throws(MediaError) in try Engine.checkSingleton(descriptor, children) }
    let clock = self.clock
    let instance = try PluginInstance(
      descriptor, clock: { clock.now() }, log: { [logger] level, text in logger.log(level, .plugin, text) },
      ended: { [children] instance in children.withLock { $0.instances[ObjectIdentifier(instance)] = nil } })
    instance.events.use { step in
      let worker = clock.makeWorker("msdk-instance") {
        step()
        return .max
      }
      return InstanceEvents.Worker(poke: { worker.poke() }, stop: { worker.stop() })
    }
    instance.pulling.withLock { $0 = InstancePulls(on: clock) }
    do throws(MediaError) {
      // Again, as another thread may have made one meanwhile.
      try children.withLock { children throws(MediaError) in
        guard !children.isClosed else { throw MediaError(.closed, "the engine is destroyed") }
        try Engine.checkSingleton(descriptor, children)
        children.instances[ObjectIdentifier(instance)] = instance
      }
    } catch {
      instance.destroy()
      throw error
    }
    return instance
  }

  private static func checkSingleton(_ descriptor: ClassDescriptor, _ children: Children) throws(MediaError) {
    guard descriptor.flags & UInt32(MSDK_CLASS_SINGLETON) != 0 else { return }
    guard !children.instances.values.contains(where: { $0.descriptor.id == descriptor.id }) else {
      throw MediaError(.exists, "class \(descriptor.id) is a singleton and already has an instance")
    }
  }

  private func add<Child: AnyObject>(_ child: Child, to list: WritableKeyPath<Children, [ObjectIdentifier: Child]> & Sendable)
    throws(MediaError)
  {
    try children.withLock { children throws(MediaError) in
      guard !children.isClosed else { throw MediaError(.closed, "the engine is destroyed") }
      children[keyPath: list][ObjectIdentifier(child)] = child
    }
  }

  func forget(_ session: Session) {
    children.withLock { $0.sessions[ObjectIdentifier(session)] = nil }
  }

  func forget(_ stream: OutgoingVideo) {
    children.withLock { $0.outgoing[ObjectIdentifier(stream)] = nil }
  }

  func forget(_ stream: OutgoingAudio) {
    children.withLock { $0.outgoingAudio[ObjectIdentifier(stream)] = nil }
  }

  /// Scripts the network of a loopback room; nil makes it perfect again.
  public func scriptNetwork(_ url: String, _ steps: [NetworkScript.Step], seed: UInt64, userID: String?) throws(MediaError) {
    let room = try LoopbackURL.room(url, argument: "room_url")
    let script = steps.isEmpty ? nil : try NetworkScript(steps: steps, seed: seed, start: clock.now())
    try LoopbackTransport.setScript(script, room: room, userID: userID, clock: clock)
  }

  // MARK: Plugins

  /// The codecs among the classes that are known now.
  public var codecs: Codecs {
    let (clock, logger, isolation) = (self.clock, self.logger, self.isolation)
    let log: @Sendable (Int32, String) -> Void = { level, text in logger.log(level, .plugin, text) }
    let host = CodecHost(
      clock: { clock.now() }, log: log,
      place: { descriptor throws(MediaError) in
        // Ours are in this process whatever the environment says.
        if descriptor.isBuiltIn { return descriptor }
        return try isolation.descriptor(for: descriptor, InstanceOptions(), isVirtualClock: clock.isVirtual, log: log)
      },
      parameters: codecParameters)
    return Codecs(plugins.classes, host)
  }

  /// A parameter for the instances of a codec that streams make from now on; nil: the class's own default again.
  public func setCodecParameter(_ classID: String, _ name: String, _ value: ParameterValue?) throws(MediaError) {
    try codecParameters.set(name, value, of: plugins.descriptor(classID))
  }

  /// The same from text.
  public func setCodecParameter(_ classID: String, _ name: String, text: String) throws(MediaError) {
    try codecParameters.set(name, text: text, of: plugins.descriptor(classID))
  }

  /// How many of the standard places' files are loaded.
  public func loadDefaultPlugins() -> Int {
    var count = 0
    for directory in PluginSearch.directories(ignoringEnvironment: options.ignoresEnvironment) {
      count += (try? loadPlugins(in: directory)) ?? 0
    }
    return count
  }

  /// Loads the plugin files of a directory. Returns how many of them are loaded or described; a refused one is logged. Throws if the
  /// directory cannot be opened.
  public func loadPlugins(in directory: String) throws(MediaError) -> Int {
    try plugins.loadAll(in: directory) { _, error in logger.log(MSDK_LOG_WARN.level32, .plugin, error.text) }
  }

  // MARK: The end

  /// Ends the rooms that are open to the network, the sessions, streams and instances, and the threads. Waits for running callbacks.
  public func close() {
    let children: Children = self.children.withLock { children in
      children.isClosed = true
      return children
    }
    handle.end()
    closeServers()
    for session in children.sessions.values { session.close() }
    for stream in children.outgoing.values { stream.close() }
    for stream in children.outgoingAudio.values { stream.close() }
    for instance in children.instances.values { instance.destroy() }
    loop.stop()
    network.withLock { $0.take() }?.stop()
    LoopbackTransport.forgetSettings(of: clock)
    for verifier in verifiers.withLock({ $0.takeAll() }) { verifier.close() }
    logger.close()
  }

  /// Taken at the moment of the call.
  public var stats: EngineStats {
    let children = self.children.withLock { $0 }
    return EngineStats(
      sessions: children.sessions.count, outgoingVideos: children.outgoing.count,
      incomingVideos: children.sessions.values.reduce(0) { $0 + $1.incomingCount }, outgoingAudios: children.outgoingAudio.count,
      incomingAudios: children.sessions.values.reduce(0) { $0 + $1.incomingAudioCount }, instances: children.instances.count,
      threads: (clock as? SystemClock)?.threadCount ?? 0, frames: VideoFrame.liveCount, audioFrames: AudioFrame.liveCount,
      encodedFrames: EncodedFrame.liveCount, logDropped: logger.droppedCount)
  }
}

/// What an engine has at one moment. Frames are counted in the whole process.
public struct EngineStats: Sendable {
  /// Those that are not closed.
  public var sessions: Int
  /// Those that are not closed, started or not.
  public var outgoingVideos: Int
  /// Those that are announced, and withdrawn ones that the sessions still keep, up to 64 each.
  public var incomingVideos: Int
  /// Those that are not closed, started or not.
  public var outgoingAudios: Int
  /// Those that are announced, withdrawn ones that the sessions still keep, and the mixes that were asked for.
  public var incomingAudios: Int
  /// Plugin instances made by `makeInstance` and not destroyed.
  public var instances: Int
  /// Running threads of the engine; 0 with a virtual clock.
  public var threads: Int
  /// Video frames with a reference, in the process.
  public var frames: Int
  /// Audio frames with a reference, in the process.
  public var audioFrames: Int
  /// Encoded frames with a reference, in the process.
  public var encodedFrames: Int
  /// Log records that were dropped because 256 were queued.
  public var logDropped: UInt64
}
