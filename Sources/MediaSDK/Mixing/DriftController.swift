/// Follows the clock of a sender: from how much more sound waits than did at first, by how many parts per million his clock is fast. A controller of
/// the second order that settles in about a minute and does not ring. Pure.
struct DriftController {
  /// Parts per million for each millisecond too much, and for each second that it stays.
  private static let proportional = 100.0
  private static let integral = 2.0
  private static let most = 1000.0
  /// Less than that, and a share of what lateness spreads over, is no drift; once there was more, the clock is followed to the end.
  private static let tolerance = 3.0
  private static let uncertainty = 0.1
  /// From that spread on it is followed the slower the wider it is.
  private static let narrow = 15.0

  private var sum = 0.0
  private(set) var isFollowing = false
  private(set) var ppm: Int32 = 0

  /// Once a second.
  mutating func update(excessMilliseconds excess: Double, spreadMilliseconds spread: Double = 0) {
    if !isFollowing {
      guard excess.magnitude > DriftController.tolerance + spread * DriftController.uncertainty else { return }
      isFollowing = true
    }
    let gain = DriftController.narrow / max(DriftController.narrow, spread)
    sum = max(-DriftController.most, min(DriftController.most, sum + excess * DriftController.integral * gain * gain))
    let wanted = excess * DriftController.proportional * gain + sum
    // In steps: a ratio that changes is counted anew, and finer than that no clock is known.
    ppm = Int32((max(-DriftController.most, min(DriftController.most, wanted)) / 10).rounded()) * 10
  }
}
