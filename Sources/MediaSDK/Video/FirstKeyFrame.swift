/// What came of an encoded stream before its first key frame, which nobody can decode. A plain value.
struct FirstKeyFrame {
  private var hasCome = false
  private var askedAt: Int64?

  /// Whether the frame is of use, and whether a key frame is to be requested. To subscribe has requested one.
  mutating func take(isKeyFrame: Bool, now: Int64) -> (isUsable: Bool, asks: Bool) {
    hasCome = hasCome || isKeyFrame
    guard !hasCome else { return (true, false) }
    guard let askedAt, now < askedAt &+ DecodingStage.requestInterval else {
      defer { askedAt = now }
      return (false, askedAt != nil)
    }
    return (false, false)
  }
}
