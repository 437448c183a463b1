import CMediaSDK
import MediaCore

/// What an instance tells the program.
public struct PluginEvent: Sendable {
  public let instance: PluginInstance
  public let event: UInt32
  public let status: Status?
  public let text: String
}

/// One created producer or renderer. The core owns its states and calls it in order, one call at a time; nothing is locked meanwhile.
public final class PluginInstance: Sendable {
  public enum Phase: UInt32, Sendable, Comparable {
    case created = 0
    case ready = 1
    case started = 2

    public static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
  }

  /// Who takes the frames that a push producer or a filter makes; borrowed.
  public typealias Sink = @Sendable (VideoFrame) -> Status?
  public typealias EventHandler = @Sendable (PluginEvent) -> Void

  struct State {
    var producer = Phase.created
    var renderer = Phase.created
    var sink: Sink?
    var events: EventHandler?
    var errorText: String?
    /// What was set.
    var values: [String: ParameterValue] = [:]
    var attachment: Attachment?
    var isDestroyed = false
  }

  public let descriptor: ClassDescriptor
  public let handle = HandleSlot(.instance)
  public let clock: @Sendable () -> Int64
  let log: @Sendable (Int32, String) -> Void
  private let ended: @Sendable (PluginInstance) -> Void
  let turn = Turn()
  let state: Monitor<State>
  let pool = BufferPool(limit: 8)
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

    struct Weak {
      weak var instance: PluginInstance?
    }

    init(log: @escaping @Sendable (Int32, String) -> Void) {
      self.log = log
    }
  }

  let context: Context
  let adapter = RendererAdapter()

  /// `ended` is told when the instance is destroyed.
  public init(
    _ descriptor: ClassDescriptor, clock: @escaping @Sendable () -> Int64 = { MediaTime.monotonic() },
    log: @escaping @Sendable (Int32, String) -> Void = { _, _ in }, ended: @escaping @Sendable (PluginInstance) -> Void = { _ in }
  ) throws(MediaError) {
    self.descriptor = descriptor
    self.clock = clock
    self.ended = ended
    let id = descriptor.id
    self.log = { level, text in log(level, "\(id): \(text)") }
    try descriptor.module.initialise()
    context = Context(log: self.log)
    guard let token = HandleTable.shared.insert(context, .hostContext) else {
      throw MediaError(.noMemory, "a million handles are alive in this process")
    }
    var plugin: OpaquePointer?
    let create = descriptor.table.create
    let result = ForeignCode.run { create?(HostTable.pointer, token, &plugin) ?? msdk_result(MSDK_E_FAIL) }
    guard result >= 0, let plugin else {
      let text = context.errorText.withLock { $0 }
      HandleTable.shared.remove(token, .hostContext)
      throw PluginInstance.error(result >= 0 ? msdk_result(MSDK_E_ABI) : result, "create", of: id, text ?? "it made no instance")
    }
    native = Native(plugin: plugin, context: token)
    state = Monitor(State())
    context.instance.withLock { $0.instance = self }
  }

  var plugin: OpaquePointer { native.plugin }

  // MARK: Calling

  /// Calls the plugin and turns a negative result into an error with the words that it set. Inside the turn.
  func call(_ function: String, _ body: (OpaquePointer) -> msdk_result) throws(MediaError) {
    context.errorText.withLock { $0 = nil }
    let result = ForeignCode.run { body(native.plugin) }
    guard result < 0 else { return }
    throw PluginInstance.error(result, function, of: descriptor.id, context.errorText.withLock { $0 })
  }

  private static func error(_ result: msdk_result, _ function: String, of id: String, _ text: String?) -> MediaError {
    let status = Status(foreign: result)
    return MediaError(status, "\(id): \(text ?? "\(function) failed with \(status) (\(result))")")
  }

  func checkAlive() throws(MediaError) {
    guard !state.withLock({ $0.isDestroyed }) else { throw MediaError(.closed, "the instance of \(descriptor.id) is destroyed") }
  }

  // MARK: Attachment

  /// What an instance is attached to. Frames are accepted from the holder of the present one only, so that none comes after `detach`.
  public final class Attachment: Sendable {
    public let what: String
    /// Asks the holder to let go.
    let letGo: @Sendable () -> Void

    init(what: String, letGo: @escaping @Sendable () -> Void) {
      self.what = what
      self.letGo = letGo
    }
  }

  /// Attaches the instance to one thing, which its text names; two at once are refused. `letGo` makes the holder detach it.
  public func attach(
    to what: String, events: EventHandler?, letGo: @escaping @Sendable () -> Void
  ) throws(MediaError) -> Attachment {
    try state.withLock { state throws(MediaError) in
      guard !state.isDestroyed else { throw MediaError(.closed, "the instance of \(descriptor.id) is destroyed") }
      if let attachment = state.attachment {
        throw MediaError(.state, "the instance of \(descriptor.id) is attached to \(attachment.what) already; detach it first")
      }
      let attachment = Attachment(what: what, letGo: letGo)
      state.attachment = attachment
      state.events = events
      return attachment
    }
  }

  /// When it returns, nothing that was sent through the attachment is being rendered any more, unless the call came from there.
  public func detach(_ attachment: Attachment) {
    state.withLock { state in
      guard state.attachment === attachment else { return }
      state.attachment = nil
      state.events = nil
    }
    _ = try? turn.take("detach") {}
  }

  var attachment: Attachment? { state.withLock { $0.attachment } }

  /// Detaches it from whatever it is attached to, and takes it down to where it began.
  public func release() throws(MediaError) {
    attachment?.letGo()
    downstream.removeAll()
    try stopProducer()
    try releaseProducer()
    try releaseRenderer()
  }

  /// Tells the program, if somebody listens.
  public func report(_ event: UInt32, _ error: MediaError?, text: String) {
    let handler = state.withLock { $0.events }
    handler?(PluginEvent(instance: self, event: event, status: error?.status, text: error?.text ?? text))
  }

  // MARK: The end

  /// Takes every level down and destroys the plugin's side. Only the first call does anything.
  public func destroy() {
    let isFirst = state.withLock { state in
      defer { state.isDestroyed = true }
      return !state.isDestroyed
    }
    guard isFirst else { return }
    // After that nobody attaches it any more.
    attachment?.letGo()
    downstream.removeAll()
    for step in [stopProducer, releaseProducer, releaseRenderer] as [() throws(MediaError) -> Void] {
      do throws(MediaError) {
        try step()
      } catch {
        log(MSDK_LOG_WARN.level, error.text)
      }
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

  /// Renderers that take what this filter makes.
  let downstream = RendererList()
}

extension Int {
  /// Log levels are anonymous enumerators in C, and Int in Swift.
  var level: Int32 { Int32(truncatingIfNeeded: self) }
}
