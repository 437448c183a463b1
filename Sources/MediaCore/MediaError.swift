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

  /// A foreign code, of which an unknown one is a failure like any other.
  public init(foreign code: msdk_result) {
    self = Status(rawValue: code) ?? .fail
  }
}

/// The one error of this package: a code for programs and words for people, which name what was wrong, what it was and what is accepted.
public struct MediaError: Error, Sendable, Equatable {
  public let status: Status
  public let text: String

  public init(_ status: Status, _ text: String) {
    self.status = status
    self.text = text
  }
}
