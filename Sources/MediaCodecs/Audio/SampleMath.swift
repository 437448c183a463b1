/// Arithmetic on samples, in loops that the compiler turns into vector instructions of plain x86-64: no bounds, no traps, and sums that are
/// split by hand where the order of additions would forbid it. Any float is taken; what is not a number gives no number, or silence.
public enum SampleMath {
  /// Full scale is 32,768; every value is exact. `count` is samples of all channels.
  public static func toFloat(_ source: UnsafePointer<Int16>, _ destination: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      destination[index] = Float(source[index]) * 0x1p-15
      index &+= 1
    }
  }

  /// Full scale is 32,768; rounded to nearest, ties to even, and clipped.
  public static func toS16(_ source: UnsafePointer<Float>, _ destination: UnsafeMutablePointer<Int16>, count: Int) {
    var index = 0
    while index < count {
      destination[index] = rounded(source[index] * 0x1p15)
      index &+= 1
    }
  }

  /// Adds each sample to the one at its place; nothing is clipped. `count` is samples of all channels.
  public static func add(_ source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      destination[index] += source[index]
      index &+= 1
    }
  }

  /// `count` is samples per channel.
  static func monoToStereo(_ source: UnsafePointer<Float>, _ destination: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      destination[index &* 2] = source[index]
      destination[index &* 2 &+ 1] = source[index]
      index &+= 1
    }
  }

  /// The mean of both, which neither clips nor changes what is alike on both sides. `count` is samples per channel; in place is fine.
  static func stereoToMono(_ source: UnsafePointer<Float>, _ destination: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      destination[index] = (source[index &* 2] + source[index &* 2 &+ 1]) * 0.5
      index &+= 1
    }
  }

  /// Multiplies by a gain that goes from one value to the other in a straight line; the sample after the last would have the second.
  /// `count` is samples per channel, all channels of which have the same gain.
  static func ramp(_ samples: UnsafeMutablePointer<Float>, channels: Int, count: Int, from: Float, to: Float) {
    if from == 1, to == 1 { return }
    let step = slope(count, from, to)
    var index: Int32 = 0
    let end = Int32(clamping: count)
    if channels == 2 {
      while index < end {
        let gain = from + step * Float(index)
        samples[Int(index) &* 2] *= gain
        samples[Int(index) &* 2 &+ 1] *= gain
        index &+= 1
      }
    } else {
      while index < end {
        samples[Int(index)] *= from + step * Float(index)
        index &+= 1
      }
    }
  }

  static func ramp(_ samples: UnsafeMutablePointer<Int16>, channels: Int, count: Int, from: Float, to: Float) {
    if from == 1, to == 1 { return }
    let step = slope(count, from, to)
    var index: Int32 = 0
    let end = Int32(clamping: count)
    if channels == 2 {
      while index < end {
        let gain = from + step * Float(index)
        samples[Int(index) &* 2] = rounded(Float(samples[Int(index) &* 2]) * gain)
        samples[Int(index) &* 2 &+ 1] = rounded(Float(samples[Int(index) &* 2 &+ 1]) * gain)
        index &+= 1
      }
    } else {
      while index < end {
        samples[Int(index)] = rounded(Float(samples[Int(index)]) * (from + step * Float(index)))
        index &+= 1
      }
    }
  }

  /// The greatest magnitude; what is not a number counts as greater than infinity.
  static func peak(_ samples: UnsafePointer<Float>, count: Int) -> Float {
    // Magnitudes are ordered as their bits are, and whole numbers may be compared in any order.
    var greatest: Int32 = 0
    var index = 0
    while index < count {
      let magnitude = Int32(bitPattern: samples[index].bitPattern & 0x7FFF_FFFF)
      greatest = magnitude > greatest ? magnitude : greatest
      index &+= 1
    }
    return Float(bitPattern: UInt32(bitPattern: greatest))
  }

  /// The index of the first sample that is infinite or not a number.
  public static func firstNotFinite(_ samples: UnsafePointer<Float>, count: Int) -> Int? {
    // An exponent of all ones, and only that, carries into the sign.
    var carry: UInt32 = 0
    var index = 0
    while index < count {
      carry |= (samples[index].bitPattern & 0x7FFF_FFFF) &+ 0x0080_0000
      index &+= 1
    }
    guard carry & 0x8000_0000 != 0 else { return nil }
    return (0..<max(0, count)).first { !samples[$0].isFinite }
  }

  private static func slope(_ count: Int, _ from: Float, _ to: Float) -> Float { count > 0 ? (to - from) / Float(count) : 0 }

  /// To nearest, clipped. Added to 1.5 * 2^23 a number of up to 22 bits leaves its whole part, rounded, in the lowest bits.
  @inline(__always)
  private static func rounded(_ value: Float) -> Int16 {
    let low: Float = value > -32768 ? value : -32768
    let clipped: Float = low < 32767 ? low : 32767
    return Int16(truncatingIfNeeded: (clipped + 0x1.8p23).bitPattern)
  }
}
