import CMediaSDK

/// What holds a plugin's process, beyond its being one; instance.h describes it.
public struct Containment: OptionSet, Sendable {
  /// A mask of MSDK_CONTAINED_*.
  public let rawValue: UInt32

  /// Required by `OptionSet`.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A filter of system calls (seccomp): no processes can be started, and no tracing, mounting and the like is done.
  public static let calls = Containment(rawValue: UInt32(MSDK_CONTAINED_CALLS))
  /// A user namespace: other processes' memory, environment and descriptors are out of reach.
  public static let user = Containment(rawValue: UInt32(MSDK_CONTAINED_USER))
  /// A process namespace: it can signal only its own processes, and those end with it.
  public static let processes = Containment(rawValue: UInt32(MSDK_CONTAINED_PROCESSES))
  /// A namespace of System V objects and of POSIX message queues.
  public static let interprocess = Containment(rawValue: UInt32(MSDK_CONTAINED_IPC))
  /// A network namespace without interfaces.
  public static let network = Containment(rawValue: UInt32(MSDK_CONTAINED_NETWORK))
  /// Landlock: files can only be read.
  public static let files = Containment(rawValue: UInt32(MSDK_CONTAINED_FILES))
}

/// How a plugin's process is held, and why by no more than that.
public struct SandboxReport: Sendable {
  /// What holds for the process.
  public var containment: Containment = []
  /// Why there are no namespaces; "" when there are.
  public var refusal = ""

  /// By default there is no containment, and nothing was refused.
  public init(containment: Containment = [], refusal: String = "") {
    (self.containment, self.refusal) = (containment, refusal)
  }

  /// What was asked for by name, or the error text why it is not available. Nothing of the plugin runs without it.
  public func require(_ options: SandboxOptions) -> String? {
    if options.contains(.noNetwork), !containment.contains(.network) {
      return "MSDK_ISOLATED_NO_NETWORK needs a network namespace, which the kernel does not provide: \(refusal)"
    }
    if options.contains(.readOnly), !containment.contains(.files) {
      return "MSDK_ISOLATED_READ_ONLY needs Landlock, which the kernel does not have"
    }
    return nil
  }
}

/// What the program wants of a plugin's process: MSDK_ISOLATED_*.
public struct SandboxOptions: OptionSet, Sendable {
  /// A mask of MSDK_ISOLATED_*.
  public let rawValue: UInt32

  /// Takes any bits; unknown ones have no effect.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The plugin may start processes.
  public static let mayFork = SandboxOptions(rawValue: UInt32(MSDK_ISOLATED_MAY_FORK))
  /// It has no network.
  public static let noNetwork = SandboxOptions(rawValue: UInt32(MSDK_ISOLATED_NO_NETWORK))
  /// It can only read files.
  public static let readOnly = SandboxOptions(rawValue: UInt32(MSDK_ISOLATED_READ_ONLY))
}
