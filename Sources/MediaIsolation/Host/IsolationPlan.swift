import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins
import MediaRuntime

/// Where an instance is to run, and what it may cost there; instance.h describes it.
public struct InstanceOptions: Sendable {
  /// Where it runs; MSDK_ISOLATION_*.
  public enum Isolation: UInt32, Sendable {
    /// As the environment says, or else the class prefers.
    case asUsual = 0
    case inProcess = 1
    case ownProcess = 2
  }

  /// In this process or in one of its own.
  public var isolation = Isolation.asUsual
  /// Whether the plugin may make processes of its own.
  public var mayFork = false
  /// Whether it is to have no network, and files for reading only: it is not made where the kernel cannot see to that.
  public var hasNoNetwork = false
  /// Files can only be read; see `hasNoNetwork`.
  public var isReadOnly = false
  /// Milliseconds for a [control] call of plugin.h.
  public var controlDeadline: UInt32 = 5_000
  /// Milliseconds for a [media] call of plugin.h.
  public var mediaDeadline: UInt32 = 1_000
  /// Mebibytes of address space; nil is no limit.
  public var memory: UInt32? = 2_048
  /// Seconds of processor time; nil is no limit.
  public var processorTime: UInt32?
  /// How often it is started again in a row; nil is for ever.
  public var restarts: UInt32?

  /// The defaults of instance.h.
  public init() {}
}

extension PluginInstance {
  /// What holds its process; nothing when it has none of its own.
  public var containment: Containment {
    guard let plan = isolationPlan as? IsolationPlan else { return [] }
    return plan.containment.withLock { $0 }
  }
}

/// What an isolated instance's process is started with.
final class IsolationPlan: Sendable {
  let program: String
  let path: String
  let classID: String
  let options: InstanceOptions
  let isVirtualClock: Bool
  /// Of restarts and limits per second. Not the engine's: processes live and die in real time, and one whose clock stands still is to have its plugin back.
  let clock: any MediaClock
  /// Whether frames are pushed, and slots therefore to be granted at once.
  let pushes: Bool
  /// Of the process that there was last.
  let containment = Monitor<Containment>([])
  /// Whether it is shown several streams, and keeps frames of each.
  let hasInputs: Bool
  /// Without, the process reads headers of encoded data only.
  let hasInstance: Bool

  init(
    program: String, path: String, classID: String, options: InstanceOptions, isVirtualClock: Bool, pushes: Bool, hasInputs: Bool = false,
    hasInstance: Bool = true, clock: any MediaClock = IsolationPlan.systemClock
  ) {
    self.clock = clock
    self.hasInstance = hasInstance
    self.program = program
    self.path = path
    self.classID = classID
    self.options = options
    self.isVirtualClock = isVirtualClock
    self.pushes = pushes
    self.hasInputs = hasInputs
  }

  static let systemClock = SystemClock()

  /// Slots of what is lent, of that size each.
  func inputSlots(of size: Int) -> UInt32 {
    hasInputs ? min(Wire.mostSlots, max(Wire.slotCount, UInt32(clamping: Wire.mostInputBytes / max(1, size)))) : Wire.slotCount
  }

  var sandboxOptions: SandboxOptions {
    var sandboxOptions: SandboxOptions = []
    if options.mayFork { sandboxOptions.insert(.mayFork) }
    if options.hasNoNetwork { sandboxOptions.insert(.noNetwork) }
    if options.isReadOnly { sandboxOptions.insert(.readOnly) }
    return sandboxOptions
  }
}
