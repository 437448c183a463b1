import CMediaSDK

/// What holds a plugin's process, beyond its being one; instance.h describes it.
public struct Containment: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let calls = Containment(rawValue: UInt32(MSDK_CONTAINED_CALLS))
  public static let user = Containment(rawValue: UInt32(MSDK_CONTAINED_USER))
  public static let processes = Containment(rawValue: UInt32(MSDK_CONTAINED_PROCESSES))
  public static let interprocess = Containment(rawValue: UInt32(MSDK_CONTAINED_IPC))
  public static let network = Containment(rawValue: UInt32(MSDK_CONTAINED_NETWORK))
  public static let files = Containment(rawValue: UInt32(MSDK_CONTAINED_FILES))
}

/// How a plugin's process is held, and why by no more than that.
public struct SandboxReport: Sendable {
  public var containment: Containment = []
  /// Why there are no namespaces; "" when there are.
  public var refusal = ""

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
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let mayFork = SandboxOptions(rawValue: UInt32(MSDK_ISOLATED_MAY_FORK))
  public static let noNetwork = SandboxOptions(rawValue: UInt32(MSDK_ISOLATED_NO_NETWORK))
  public static let readOnly = SandboxOptions(rawValue: UInt32(MSDK_ISOLATED_READ_ONLY))
}
