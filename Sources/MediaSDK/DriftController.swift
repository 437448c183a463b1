/// Follows the clock of a sender: from how much more sound waits than did at first, by how many parts per million his clock is fast. A controller of
/// the second order that settles in about a minute and does not ring. Pure.
struct DriftController {
  /// Parts per million for each millisecond too much, and for each second that it stays.
  private static let proportional = 100.0
  private static let integral = 2.0
  private static let most = 1000.0
  /// The share of what is new: jitter is no drift.
  private static let smoothing = 0.3
  /// Less than that is no drift; once there was more, the clock is followed to the end.
  private static let tolerance = 1.5

  private var smooth = 0.0
  private var sum = 0.0
  private(set) var isFollowing = false
  private(set) var ppm: Int32 = 0

  /// Once a second.
  mutating func update(excessMilliseconds excess: Double) {
    smooth += (excess - smooth) * DriftController.smoothing
    if !isFollowing {
      guard smooth.magnitude > DriftController.tolerance else { return }
      isFollowing = true
    }
    sum = max(-DriftController.most, min(DriftController.most, sum + smooth * DriftController.integral))
    let wanted = smooth * DriftController.proportional + sum
    // In steps, as each costs the resampler new tables.
    ppm = Int32((max(-DriftController.most, min(DriftController.most, wanted)) / 10).rounded()) * 10
  }

  /// What waits has changed by something else than drift.
  mutating func rebase() {
    smooth = 0
  }
}
