import CMediaSDK
import MediaCore
import MediaPlugins

/// Where an instance is to run, and what it may cost there; instance.h describes it.
public struct InstanceOptions: Sendable {
  public enum Isolation: UInt32, Sendable {
    /// As the environment says, or else the class would rather.
    case asUsual = 0
    case inProcess = 1
    case ownProcess = 2
  }

  public var isolation = Isolation.asUsual
  /// Whether the plugin may make processes of its own.
  public var mayFork = false
  public var controlDeadline: UInt32 = 5_000
  public var mediaDeadline: UInt32 = 1_000
  /// Mebibytes of address space; nil is no limit.
  public var memory: UInt32? = 2_048
  /// Seconds of processor time; nil is no limit.
  public var processorTime: UInt32?
  /// How often it is started again in a row; nil is for ever.
  public var restarts: UInt32?

  public init() {}
}

/// What an isolated instance's process is started with.
final class IsolationPlan: Sendable {
  let program: String
  let path: String
  let classID: String
  let options: InstanceOptions
  let isVirtualClock: Bool
  /// Whether pictures are pushed, and slots therefore to be granted at once.
  let pushes: Bool

  init(program: String, path: String, classID: String, options: InstanceOptions, isVirtualClock: Bool, pushes: Bool) {
    self.program = program
    self.path = path
    self.classID = classID
    self.options = options
    self.isVirtualClock = isVirtualClock
    self.pushes = pushes
  }
}
