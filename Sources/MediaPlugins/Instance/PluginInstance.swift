import CMediaSDK
import MediaCore
import Synchronization

/// What an instance tells the program.
public struct PluginEvent: Sendable {
  /// Whose event it is.
  public let instance: PluginInstance
  /// MSDK_PLUGIN_EVENT_*.
  public let event: UInt32
  /// Of an error; nil for none.
  public let status: Status?
  /// With the values of secret parameters masked.
  public let text: String
}

/// One created producer, renderer or filter. The core owns its states and calls it in order, one call at a time; nothing is locked meanwhile.
public final class PluginInstance: Sendable {
  /// How far an instance is, for each of its kinds; MSDK_INSTANCE_*.
  public enum Phase: UInt32, Sendable, Comparable {
    case created = 0x800
    case ready = 0x801
    case started = 0x802

    /// In the order in which an instance goes through them.
    public static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
  }

  /// An instance may be of both: it has states, a sink and an attachment for each.
  public enum Medium: Sendable {
    case video
    case audio
  }

  /// Who takes the frames that a push producer makes; borrowed.
  public typealias Sink = @Sendable (VideoFrame) -> Status?
  /// Who takes what a push producer makes encoded; borrowed.
  public typealias EncodedSink = @Sendable (EncodedFrame) -> Status?
  /// Who takes the buffers of a push producer of audio; borrowed.
  public typealias AudioSink = @Sendable (AudioFrame) -> Status?
  /// Called on the thread that reports, with nothing locked.
  public typealias EventHandler = @Sendable (PluginEvent) -> Void

  /// A sink in a box: a bare function that leaves the lock would be wrapped anew, in memory of its own, for every frame.
  struct Taker<Frame> {
    let take: @Sendable (Frame) -> Status?
  }

  struct State {
    var producer = Phase.created
    var renderer = Phase.created
    var audioProducer = Phase.created
    var audioRenderer = Phase.created
    var videoFilter = Phase.created
    var audioFilter = Phase.created
    /// The MSDK_KIND_* that it is open as, of a codec; 0: none.
    var openCodec: UInt32 = 0
    var sink: Taker<VideoFrame>?
    var encodedSink: Taker<EncodedFrame>?
    var audioSink: Taker<AudioFrame>?
    /// What an audio producer agreed to make; nil when it was not asked.
    var audioFormat: AudioFormat?
    var videoHolder: Holder?
    var audioHolder: Holder?
    /// What was set.
    var values: [String: ParameterValue] = [:]
    /// What was found when somebody began to list the choices of a parameter.
    var choices: [String: [ParameterChoice]] = [:]
    var isDestroyed = false

    /// The highest of all kinds.
    var phase: Phase {
      let codec = openCodec == 0 ? Phase.created : .ready
      return max(max(producer, renderer, audioProducer, audioRenderer), max(videoFilter, audioFilter), codec)
    }
  }

  /// The class that it was made of. An isolated one has a twin, whose functions call its process.
  public let descriptor: ClassDescriptor
  /// Whether a stream made it, for itself: nobody else calls it.
  public let isOfStream: Bool
  /// The handle by which the C face hands it out.
  public let handle = HandleSlot(.instance)
  /// Nanoseconds: the clock of its engine.
  public let clock: @Sendable () -> Int64
  let log: @Sendable (Int32, String) -> Void
  /// What the program is told, attached or not.
  public let events: InstanceEvents
  /// What its program reads of it; the engine's, which sets it once.
  package let pulling = Monitor<(any AnyObject & Sendable)?>(nil)
  let secrets: SecretTexts
  private let ended: @Sendable (PluginInstance) -> Void
  let turn = Turn()
  let commandGate = CommandGate()
  let state: Monitor<State>
  let pool: BufferPool
  let audioPool: BufferPool
  /// Of what an encoder makes.
  let encodedPool: BufferPool?
  /// Set once, in init.
  private let native: Native

  /// The plugin's side, and the token by which it names ours.
  private struct Native: @unchecked Sendable {
    let plugin: OpaquePointer
    let context: OpaquePointer
  }

  /// What the host functions know of an instance: it exists before the instance does, as create may log.
  final class Context: Sendable {
    let instance = Monitor<Weak>(Weak())
    let log: @Sendable (Int32, String) -> Void
    let errorText = Monitor<String?>(nil)
    let isolation: (any AnyObject & Sendable)?

    struct Weak {
      weak var instance: PluginInstance?
    }

    init(isolation: (any AnyObject & Sendable)? = nil, log: @escaping @Sendable (Int32, String) -> Void) {
      self.log = log
      self.isolation = isolation
    }
  }

  let context: Context
  let adapter = RendererAdapter()
  let audioAdapter = AudioRendererAdapter()
  let filterAdapter: FilterAdapter?
  let audioFilterAdapter: AudioFilterAdapter?
  let inputs = RendererInputs()
  /// The address of the frame that the plugin's filter may change in place now, or 0.
  let filtering = Atomic<UInt>(0)
  /// How many references it has while the plugin asks whether it may.
  let filteringReferences = Atomic<UInt32>(0)
  /// What a renderer of sound that pulls has not read yet.
  let renderQueue = RenderQueue()
  /// More than a minute no plugin delays sound.
  static let longestDelay: Int64 = 60_000_000_000
  /// Nanoseconds, as the renderer says.
  let rendererDelay = Atomic<Int64>(0)

  /// `ended` is told when the instance is destroyed.
  public init(
    _ descriptor: ClassDescriptor, clock: @escaping @Sendable () -> Int64 = { MediaTime.monotonic() },
    log: @escaping @Sendable (Int32, String) -> Void = { _, _ in }, isOfStream: Bool = false,
    ended: @escaping @Sendable (PluginInstance) -> Void = { _ in }
  ) throws(MediaError) {
    self.descriptor = descriptor
    self.isOfStream = isOfStream
    self.clock = clock
    self.ended = ended
    filterAdapter = descriptor.videoFilter == nil ? nil : FilterAdapter()
    audioFilterAdapter = descriptor.audioFilter == nil ? nil : AudioFilterAdapter()
    pool = BufferPool(limit: descriptor.videoFilter == nil ? 8 : FilterAdapter.frames)
    audioPool = BufferPool(limit: descriptor.audioFilter == nil ? 16 : AudioFilterAdapter.buffers)
    encodedPool = descriptor.mostEncodedFrames.map { BufferPool(limit: $0) }
    let id = descriptor.id
    let secrets = SecretTexts(descriptor.parameters)
    self.secrets = secrets
    self.log = { level, text in log(level, "\(id): \(secrets.redacted(text))") }
    events = InstanceEvents(clock: clock)
    // The module of an isolated one is initialised in its process.
    if descriptor.isolation == nil { try descriptor.module.initialise() }
    context = Context(isolation: descriptor.isolation, log: self.log)
    guard let token = HandleTable.shared.insert(context, .hostContext) else {
      throw MediaError(.full, "1,048,576 handles exist in this process, the maximum")
    }
    var plugin: OpaquePointer?
    let result = ForeignCode.run { descriptor.create(HostTable.pointer, token, &plugin) }
    guard result >= 0, let plugin else {
      let text = context.errorText.withLock { $0 }
      HandleTable.shared.remove(token, .hostContext)
      throw PluginInstance.error(
        result >= 0 ? msdk_result(MSDK_E_ABI) : result, "create", of: id, secrets.redacted(text ?? "it returned no instance"))
    }
    native = Native(plugin: plugin, context: token)
    state = Monitor(State())
    context.instance.withLock { $0.instance = self }
  }

  var plugin: OpaquePointer { native.plugin }

  /// Whether it lives in a process of its own.
  public var isIsolated: Bool { descriptor.isolation != nil }
  package var isolationPlan: (any AnyObject & Sendable)? { descriptor.isolation }

  /// What the class of the instance behind a host context was made with.
  package static func isolation(of context: OpaquePointer?) -> (any AnyObject & Sendable)? {
    HostTable.context(context)?.isolation
  }

  // MARK: Calling

  /// Calls the plugin and turns a negative result into an error with the words that it set. Inside the turn.
  func call(_ function: String, _ body: (OpaquePointer) -> msdk_result) throws(MediaError) {
    forgetError()
    let result = ForeignCode.run { body(native.plugin) }
    if result < 0 { throw failure(result, function) }
  }

  // By themselves, as each call would have them compiled once more.
  @inline(never)
  private func forgetError() { context.errorText.withLock { $0 = nil } }

  @inline(never)
  private func failure(_ result: msdk_result, _ function: String) -> MediaError {
    PluginInstance.error(result, function, of: descriptor.id, context.errorText.withLock { $0 }.map { secrets.redacted($0) })
  }

  static func error(_ result: msdk_result, _ function: String, of id: String, _ text: String?) -> MediaError {
    let status = Status(foreign: result)
    return MediaError(status, "\(id): \(text ?? "\(function) failed with \(status.name) (\(result))")")
  }

  /// `.closed` once `destroy` was called.
  public func checkAlive() throws(MediaError) {
    guard !state.withLock({ $0.isDestroyed }) else { throw MediaError(.closed, "the instance of \(descriptor.id) is destroyed") }
  }

  // MARK: States

  /// The phase of exactly one MSDK_KIND_*, of those that the class is of.
  public func phase(of kind: UInt32) throws(MediaError) -> Phase {
    guard descriptor.kinds & kind != 0 else {
      throw MediaError(.unsupported, "kind is \(kind); class \(descriptor.id) has the kinds \(descriptor.kinds)")
    }
    switch Int(kind) {
    case MSDK_KIND_VIDEO_PRODUCER: return producerPhase
    case MSDK_KIND_VIDEO_RENDERER: return rendererPhase
    case MSDK_KIND_AUDIO_PRODUCER: return audioProducerPhase
    case MSDK_KIND_AUDIO_RENDERER: return audioRendererPhase
    case MSDK_KIND_VIDEO_FILTER: return filterPhase
    case MSDK_KIND_AUDIO_FILTER: return audioFilterPhase
    case MSDK_KIND_VIDEO_ENCODER, MSDK_KIND_VIDEO_DECODER, MSDK_KIND_AUDIO_ENCODER, MSDK_KIND_AUDIO_DECODER:
      return state.withLock { $0.openCodec == kind ? .ready : .created }
    default: throw MediaError(.invalid, "kind is \(kind); accepted: exactly one MSDK_KIND_*")
    }
  }

  // MARK: The end

  /// Takes every level down and destroys the plugin's side. Only the first call does anything.
  public func destroy() {
    let isFirst = state.withLock { state in
      defer { state.isDestroyed = true }
      return !state.isDestroyed
    }
    guard isFirst else { return }
    events.close()
    // From inside a call to it: when that is over.
    commandGate.close { [self] in
      if !turn.afterwards({ self.end() }) { end() }
    }
  }

  private func end() {
    // Nobody attaches it any more.
    for medium in [Medium.video, .audio] {
      letGo(of: medium)
      takeDown(medium) { log(MSDK_LOG_WARN.level, $0.text) }
    }
    let destroy = descriptor.table.destroy
    do throws(MediaError) {
      try turn.take("destroy") { ForeignCode.run { destroy?(native.plugin) } }
    } catch {
      // Its plugin is stuck in a call: leaking it is the only safe thing.
      log(MSDK_LOG_ERROR.level, "not destroyed: \(error.text)")
    }
    HandleTable.shared.remove(native.context, .hostContext)
    handle.end()
    ended(self)
  }

  /// Renderers that take what this renderer and producer makes.
  let downstream = RendererList()
}

extension Int {
  /// Log levels are anonymous enumerators in C, and Int in Swift.
  var level: Int32 { Int32(truncatingIfNeeded: self) }
}
