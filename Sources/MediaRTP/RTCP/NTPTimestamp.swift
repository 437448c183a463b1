/// Wall clock time as reports carry it: seconds since 1900 in 32.32 fixed point (RFC 3550, section 4). Wraps around in 2036: differences go the
/// shorter way.
public struct NTPTimestamp: RawRepresentable, Hashable, Sendable {
  /// Seconds in the upper 32 bits, their fraction in the lower.
  public let rawValue: UInt64

  /// 0 is of a sender without a clock (RFC 3550, section 6.4.1).
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  private static let secondsBefore1970: UInt64 = 2_208_988_800
  private static let second: Int64 = 1_000_000_000

  /// A wall clock's time in nanoseconds since 1970, which wraps around in 2036.
  public init(unixNanoseconds: Int64) {
    self = NTPTimestamp(rawValue: NTPTimestamp.secondsBefore1970 << 32).advanced(byNanoseconds: unixNanoseconds)
  }

  /// Since 1970, for the years 1968 to 2104.
  public var unixNanoseconds: Int64 {
    // Seconds below 2^31 lie behind the wrap.
    let seconds = Int64(rawValue >> 32) + (rawValue >> 63 == 0 ? 0x1_0000_0000 : 0) - Int64(NTPTimestamp.secondsBefore1970)
    return seconds * NTPTimestamp.second + ((Int64(rawValue & 0xFFFF_FFFF) * NTPTimestamp.second + 0x8000_0000) >> 32)
  }

  func nanoseconds(since other: NTPTimestamp) -> Int64 {
    let distance = Int64(bitPattern: rawValue &- other.rawValue)
    let fraction = (distance & 0xFFFF_FFFF) * NTPTimestamp.second + 0x8000_0000
    return (distance >> 32) * NTPTimestamp.second + (fraction >> 32)
  }

  func advanced(byNanoseconds nanoseconds: Int64) -> NTPTimestamp {
    let (whole, part) = nanoseconds.flooredBy(NTPTimestamp.second)
    let fraction = ((part << 32) + NTPTimestamp.second / 2) / NTPTimestamp.second
    return NTPTimestamp(rawValue: rawValue &+ UInt64(bitPattern: (whole << 32) &+ fraction))
  }

  /// The middle 32 bits: what reports echo to tell round trips.
  public var middle: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }
  /// 24 bits of seconds in 6.18 fixed point, as packets say when they left (abs-send-time).
  public var absoluteSendTime: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 14) & 0xFF_FFFF }
}

/// Spans of time in units of 1/65536 s, as reports give delays.
enum ShortNTP {
  static func nanoseconds(_ span: UInt32) -> Int64 {
    (Int64(span) * 1_000_000_000) >> 16
  }

  /// Clamped to what can be said: 0 to 18 hours.
  static func span(nanoseconds: Int64) -> UInt32 {
    let (whole, part) = max(0, nanoseconds).flooredBy(1_000_000_000)
    return UInt32(clamping: (whole << 16) + (part << 16) / 1_000_000_000)
  }
}

extension Int64 {
  /// Quotient and remainder, the remainder never below zero. The divisor is above zero.
  func flooredBy(_ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Nanoseconds as ticks of a clock, rounded down, without overflow for any time and wrapped for absurd rates.
  func ticks(ofRate rate: UInt32) -> Int64 {
    let (whole, part) = flooredBy(1_000_000_000)
    return whole &* Int64(rate) &+ part * Int64(rate) / 1_000_000_000
  }
}

/// One pair of the wall clock and the monotonic clock, taken once: every stream of a session maps by the same pair, so that sound and picture stay
/// together when the wall clock is set.
public struct NTPClock: Sendable, Equatable {
  private let ntp: NTPTimestamp
  private let start: Int64

  /// `ntp` is what the wall clock said at `now`, in nanoseconds of the monotonic clock.
  public init(_ ntp: NTPTimestamp, at now: Int64) {
    (self.ntp, start) = (ntp, now)
  }

  func time(at now: Int64) -> NTPTimestamp {
    ntp.advanced(byNanoseconds: now &- start)
  }
}
