import MediaCore

/// Sound is taken out of what waits, so that the rest is heard sooner. Places and lengths are samples per channel.
extension SampleRing {
  /// Takes out so much at that place: what was there fades into what follows it.
  func remove(_ count: Int, at place: Int, fade: Int, channels: Int) {
    for index in 0..<fade * channels {
      let share = Float(index / channels) / Float(fade)
      let later = index + (place + count) * channels
      self[later] = self[index + place * channels] * (1 - share) + self[later] * share
    }
    for index in stride(from: place * channels - 1, through: 0, by: -1) { self[index + count * channels] = self[index] }
    drop(count * channels)
  }

  /// The length in that range after which the sound at a place is like itself, so that taking out so much changes neither pitch nor loudness. Of
  /// several that are about as good, the longest.
  func repetition(in range: ClosedRange<Int>, at place: Int, over length: Int, channels: Int) -> Int {
    let sound = (0..<length + range.upperBound).map { self[(place + $0) * channels] }
    var energy: Float = 0
    for index in stride(from: 0, to: length, by: 3) { energy += sound[index] * sound[index] }
    let differences = range.map { candidate in
      var difference: Float = 0
      for index in stride(from: 0, to: length, by: 3) {
        let step = sound[index + candidate] - sound[index]
        difference += step * step
      }
      return difference
    }
    let limit = (differences.min() ?? 0) + energy / 64
    return range.lowerBound + (differences.lastIndex { $0 <= limit } ?? differences.count - 1)
  }

  /// How far the oldest sound stays below that, looked at so far at most.
  func quietLength(below limit: Float, most: Int, channels: Int) -> Int {
    let looked = min(most * channels, count)
    for index in 0..<looked where self[index].magnitude >= limit { return index / channels }
    return looked / channels
  }
}
