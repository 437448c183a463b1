import Glibc

/// Nanoseconds, and their conversion to the units of neighbouring systems: rounded to nearest, halves away from zero, saturating.
public enum MediaTime {
  /// CLOCK_MONOTONIC, the clock of every timestamp and deadline.
  public static func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Since 1970, by CLOCK_REALTIME.
  public static func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Of 100 nanoseconds.
  static func ticks(fromNanoseconds nanoseconds: Int64) -> Int64 {
    scale(nanoseconds, by: 1, over: 100)
  }

  /// From ticks of 100 nanoseconds.
  static func nanoseconds(fromTicks ticks: Int64) -> Int64 {
    scale(ticks, by: 100, over: 1)
  }

  /// In units of a clock with that rate in Hz, of an RTP timestamp or a sample for instance; 0 for the rate 0.
  public static func units(fromNanoseconds nanoseconds: Int64, rate: UInt32) -> Int64 {
    scale(nanoseconds, by: UInt64(rate), over: 1_000_000_000)
  }

  /// From units of a clock with that rate in Hz; 0 for the rate 0.
  public static func nanoseconds(fromUnits units: Int64, rate: UInt32) -> Int64 {
    rate == 0 ? 0 : scale(units, by: 1_000_000_000, over: UInt64(rate))
  }

  private static func scale(_ value: Int64, by factor: UInt64, over divisor: UInt64) -> Int64 {
    var (high, low) = value.magnitude.multipliedFullWidth(by: factor)
    let (sum, carry) = low.addingReportingOverflow(divisor / 2)
    low = sum
    if carry { high += 1 }
    let magnitude = high < divisor ? divisor.dividingFullWidth((high, low)).quotient : .max
    if value >= 0 { return Int64(clamping: magnitude) }
    return magnitude >= UInt64(Int64.max) + 1 ? .min : -Int64(magnitude)
  }
}
