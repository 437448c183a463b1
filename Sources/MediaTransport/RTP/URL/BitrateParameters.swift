import MediaCore
import MediaRTP
import MediaSDP

/// The parameters min-bitrate, start-bitrate and max-bitrate of a session's url.
extension URLQuery {
  /// Throws `.range`, also for bounds that contradict each other.
  package func bitrates() throws(MediaError) -> BandwidthEstimator.Limits {
    let range: ClosedRange<UInt64> = 5_000...10_000_000_000
    let (minimum, start, maximum) = (
      try number("min-bitrate", range), try number("start-bitrate", range), try number("max-bitrate", range)
    )
    var limits = BandwidthEstimator.Limits()
    // What is not said gives way to what is.
    limits.maximum = maximum.map { Int($0) } ?? max(limits.maximum, Int(max(minimum ?? 0, start ?? 0)))
    limits.minimum = minimum.map { Int($0) } ?? min(limits.minimum, Int(min(maximum ?? .max >> 1, start ?? .max >> 1)))
    limits.start = start.map { Int($0) } ?? min(max(limits.start, limits.minimum), limits.maximum)
    guard limits.minimum <= limits.start, limits.start <= limits.maximum else {
      throw MediaError(
        .range,
        "\(argument) has bitrates of \(limits.minimum), \(limits.start) and \(limits.maximum); accepted: min-bitrate at most start-bitrate at most max-bitrate"
      )
    }
    return limits
  }
}
