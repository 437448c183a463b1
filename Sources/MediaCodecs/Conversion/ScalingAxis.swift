import CPixels

/// How the samples along one side of a picture become more or fewer: which of them each result is made of, and with which weights.
///
/// Fewer: each result is the mean over its part of the side, samples at its edges counting as far as they lie in it. More: between the two
/// samples whose middles are nearest. Weights of one result add up to exactly one, so that what is uniform stays so.
struct ScalingAxis: Equatable {
  let from: Int
  let to: Int

  /// The most samples that a result has.
  var mostTaps: Int {
    guard to < from else { return min(2, from) }
    return (0..<to).reduce(1) { max($0, taps($1)) }
  }

  /// The first sample of a result.
  func first(_ result: Int) -> Int {
    to < from ? result * from / to : max(place(result), 0) / (2 * to)
  }

  /// How many samples it has.
  func taps(_ result: Int) -> Int {
    guard to < from else { return first(result) + 1 < from && to > from ? 2 : 1 }
    return ((result + 1) * from - 1) / to - first(result) + 1
  }

  /// Of a sample of a result, counted from the first.
  func weight(_ result: Int, _ tap: Int) -> Int16 {
    guard to < from else {
      guard taps(result) == 2 else { return Int16(CPIXELS_ONE) }
      let second = (max(place(result), 0) % (2 * to) * one + to) / (2 * to)
      return Int16(tap == 0 ? one - second : second)
    }
    return Int16(share(result, tap + 1) - share(result, tap))
  }

  private var one: Int { CPIXELS_ONE }

  /// The middle of a result on the side that there is, in half samples of the result from the middle of the first sample on.
  private func place(_ result: Int) -> Int { (2 * result + 1) * from - to }

  /// The weight of the first `taps` samples together; rounding the sum, not the weights, keeps it exact.
  private func share(_ result: Int, _ taps: Int) -> Int {
    guard taps > 0 else { return 0 }
    let covered = min((first(result) + taps) * to, (result + 1) * from) - result * from
    return (2 * covered * one + from) / (2 * from)
  }
}

/// The table of an axis for rows, which are blended as a whole.
struct ScalingRows {
  /// Where each result's weights begin, and the end of the last one's.
  private let places: UnsafeMutablePointer<Int32>
  private let weights: UnsafeMutablePointer<Int16>
  let axis: ScalingAxis

  init(_ axis: ScalingAxis, in scratch: ConversionScratch, slot: ConversionScratch.Slot) {
    self.axis = axis
    let places = MemoryLayout<Int32>.stride * (axis.to + 1)
    let (memory, isNew) = scratch.table(slot, axis, places + MemoryLayout<Int16>.stride * (axis.from + 2 * axis.to))
    self.places = UnsafeMutableRawPointer(memory).bindMemory(to: Int32.self, capacity: axis.to + 1)
    weights = UnsafeMutableRawPointer(memory + places).bindMemory(to: Int16.self, capacity: axis.from + 2 * axis.to)
    if isNew { fill() }
  }

  private func fill() {
    var count = 0
    for result in 0..<axis.to {
      places[result] = Int32(count)
      for tap in 0..<axis.taps(result) {
        weights[count] = axis.weight(result, tap)
        count += 1
      }
    }
    places[axis.to] = Int32(count)
  }

  func weights(_ result: Int) -> UnsafeMutablePointer<Int16> { weights + Int(places[result]) }
  func taps(_ result: Int) -> Int { Int(places[result + 1] - places[result]) }

  /// The rows of a plane that a result is made of.
  func rows(_ result: Int, of plane: Plane) -> cpixels_rows {
    cpixels_rows(
      first: plane.data + axis.first(result) * Int(plane.stride), stride: Int(plane.stride), weights: weights(result),
      taps: Int32(taps(result)))
  }
}

extension cpixels_columns {
  /// The table of an axis for columns.
  init(_ axis: ScalingAxis, in scratch: ConversionScratch, slot: ConversionScratch.Slot) {
    // A whole number of what the vectors make at once.
    let results = (axis.to + 31) & ~31
    let most = axis.mostTaps
    let taps = most <= 2 ? 2 : (most + 3) & ~3
    let places = MemoryLayout<Int32>.stride * results
    let (memory, isNew) = scratch.table(slot, axis, places + MemoryLayout<Int16>.stride * results * taps)
    let first = UnsafeMutableRawPointer(memory).bindMemory(to: Int32.self, capacity: results)
    let weights = UnsafeMutableRawPointer(memory + places).bindMemory(to: Int16.self, capacity: results * taps)
    self.init(first: first, weights: weights, taps: Int32(taps), count: Int32(axis.to))
    guard isNew else { return }
    weights.update(repeating: 0, count: results * taps)
    for result in 0..<results {
      first[result] = Int32(axis.first(min(result, axis.to - 1)))
      guard result < axis.to else { continue }
      for tap in 0..<axis.taps(result) {
        let at = taps == 2 ? 2 * result + tap : (result / 4 * (taps / 4) + tap / 4) * 16 + result % 4 * 4 + tap % 4
        weights[at] = axis.weight(result, tap)
      }
    }
  }
}
