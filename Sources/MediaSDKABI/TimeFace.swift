import CMediaSDK
import MediaCore

// time.h: arithmetic only, which works in the child of a fork as well.

@c @implementation
public func msdk_time_monotonic() -> Int64 {
  MediaTime.monotonic()
}

@c @implementation
public func msdk_time_to_units(_ nanoseconds: Int64, _ rate: UInt32) -> Int64 {
  MediaTime.units(fromNanoseconds: nanoseconds, rate: rate)
}

@c @implementation
public func msdk_time_from_units(_ units: Int64, _ rate: UInt32) -> Int64 {
  MediaTime.nanoseconds(fromUnits: units, rate: rate)
}
