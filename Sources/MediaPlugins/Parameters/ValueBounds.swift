import CMediaSDK
import MediaCore

/// The numbers that a parameter or an argument accepts: both bounds included and of its own type; nil is unbounded.
public struct ValueBounds: Sendable, Equatable, CustomStringConvertible {
  /// Included.
  public let least: ParameterValue?
  /// Included.
  public let most: ParameterValue?

  /// nil without any bound, as of zeroed values.
  init?(foreign least: msdk_value, _ most: msdk_value, of type: ParameterType, argument: String) throws(MediaError) {
    self.least = try ValueBounds.bound(least, of: type, argument: "\(argument).min")
    self.most = try ValueBounds.bound(most, of: type, argument: "\(argument).max")
    if self.least == nil, self.most == nil { return nil }
    if let least = self.least, let most = self.most, least > most {
      throw MediaError(.abi, "\(argument) has min \(least) above max \(most)")
    }
  }

  private static func bound(_ value: msdk_value, of type: ParameterType, argument: String) throws(MediaError) -> ParameterValue? {
    guard value.reserved == 0 else { throw MediaError(.abi, "\(argument).reserved is \(value.reserved); accepted: 0, as it is reserved") }
    guard Int(value.type) != MSDK_T_VOID else { return nil }
    guard type.isInteger || type == .f64 else { throw MediaError(.abi, "\(argument) is set and the type is not a number") }
    guard value.type == type.rawValue else {
      throw MediaError(.abi, "\(argument) has the type \(value.type); accepted: \(type.rawValue), its own, or MSDK_T_VOID for no bound")
    }
    let bound = try ParameterValue(foreign: value, argument: argument)
    guard bound.number?.isNaN == false else { throw MediaError(.abi, "\(argument) is not a number") }
    return bound
  }

  /// Of a value of the same type.
  func contains(_ value: ParameterValue) -> Bool {
    if let least, !(least <= value) { return false }
    if let most, !(value <= most) { return false }
    return true
  }

  /// For errors: "1..8", "at least 1", "at most 8".
  public var description: String {
    switch (least, most) {
    case (let least?, let most?): "\(least)..\(most)"
    case (let least?, nil): "at least \(least)"
    case (nil, let most?): "at most \(most)"
    case (nil, nil): "any"
    }
  }
}

extension ParameterValue {
  /// Numbers of one type; anything else is neither less nor greater.
  static func <= (one: ParameterValue, other: ParameterValue) -> Bool {
    switch (one, other) {
    case (.i32(let one), .i32(let other)): one <= other
    case (.i64(let one), .i64(let other)): one <= other
    case (.u32(let one), .u32(let other)): one <= other
    case (.u64(let one), .u64(let other)): one <= other
    case (.f64(let one), .f64(let other)): one <= other
    default: false
    }
  }

  static func > (one: ParameterValue, other: ParameterValue) -> Bool { !(one <= other) }
}
