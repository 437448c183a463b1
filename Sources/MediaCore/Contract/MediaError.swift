import CMediaSDK

/// The results of types.h. Raw values are the C codes; both lists only grow.
public enum Status: msdk_result, Sendable {
  case fail = -1
  case noMemory = -2
  case invalid = -3
  case unsupported = -4
  case state = -5
  case thread = -6
  case again = -7
  case timeout = -8
  case io = -9
  case permission = -10
  case notFound = -11
  case type = -12
  case range = -13
  case closed = -14
  case pluginDied = -15
  case deviceLost = -16
  case bufferSmall = -17
  case handle = -18
  case stale = -19
  case format = -20
  case limit = -21
  case exists = -22
  case forked = -23
  case corrupt = -24
  case abi = -25
  case full = -26
  case removed = -27
  case untrusted = -28

  /// A foreign code, of which an unknown one is a failure like any other.
  public init(foreign code: msdk_result) {
    self = Status(rawValue: code) ?? .fail
  }
}

extension Status {
  /// As in error.h.
  public var name: StaticString {
    switch self {
    case .fail: "MSDK_E_FAIL"
    case .noMemory: "MSDK_E_NOMEM"
    case .invalid: "MSDK_E_INVALID"
    case .unsupported: "MSDK_E_UNSUPPORTED"
    case .state: "MSDK_E_STATE"
    case .thread: "MSDK_E_THREAD"
    case .again: "MSDK_E_AGAIN"
    case .timeout: "MSDK_E_TIMEOUT"
    case .io: "MSDK_E_IO"
    case .permission: "MSDK_E_PERMISSION"
    case .notFound: "MSDK_E_NOT_FOUND"
    case .type: "MSDK_E_TYPE"
    case .range: "MSDK_E_RANGE"
    case .closed: "MSDK_E_CLOSED"
    case .pluginDied: "MSDK_E_PLUGIN_DIED"
    case .deviceLost: "MSDK_E_DEVICE_LOST"
    case .bufferSmall: "MSDK_E_BUFFER_SMALL"
    case .handle: "MSDK_E_HANDLE"
    case .stale: "MSDK_E_STALE"
    case .format: "MSDK_E_FORMAT"
    case .limit: "MSDK_E_LIMIT"
    case .exists: "MSDK_E_EXISTS"
    case .forked: "MSDK_E_FORKED"
    case .corrupt: "MSDK_E_CORRUPT"
    case .abi: "MSDK_E_ABI"
    case .full: "MSDK_E_FULL"
    case .removed: "MSDK_E_REMOVED"
    case .untrusted: "MSDK_E_UNTRUSTED"
    }
  }
}

/// The one error of this package: a code for programs and words for people, which name what was wrong, what it was and what is accepted.
public struct MediaError: Error, Sendable, Equatable {
  /// For programs: the result that the C function returns.
  public let status: Status
  /// For people, in English; it may change in every release.
  public let text: String

  /// The text names the argument, what it was and what is accepted.
  public init(_ status: Status, _ text: String) {
    self.status = status
    self.text = text
  }
}
