import Glibc
import MediaCore

extension SampleMath {
  /// Loudness as RFC 6464, section 3, has it: the root mean square in decibels below full scale, rounded, 0...127.
  static func level(_ samples: UnsafePointer<Float>, count: Int) -> UInt32 {
    level(
      power: meanSquare(count) { start, end in
        // Eight sums at once: added one after the other they would have to wait for each other.
        var sums = SIMD8<Float>()
        var index = start
        while index &+ 8 <= end {
          let values = UnsafeRawPointer(samples + index).loadUnaligned(as: SIMD8<Float>.self)
          sums += values * values
          index &+= 8
        }
        var rest: Float = 0
        while index < end {
          rest += samples[index] * samples[index]
          index &+= 1
        }
        return Double(sums.sum()) + Double(rest)
      })
  }

  static func level(_ samples: UnsafePointer<Int16>, count: Int) -> UInt32 {
    level(
      power: meanSquare(count) { start, end in
        // A square has 31 bits; whole numbers may be summed in any order.
        var sum: Int64 = 0
        var index = start
        while index < end {
          let value = Int32(samples[index])
          sum &+= Int64(value &* value)
          index &+= 1
        }
        return Double(sum) * 0x1p-30
      })
  }

  /// The mean of sums over pieces that are short enough for sums of single precision.
  @inline(__always)
  private static func meanSquare(_ count: Int, _ sum: (Int, Int) -> Double) -> Double {
    guard count > 0 else { return 0 }
    var total = 0.0
    var start = 0
    while start < count {
      let end = min(start &+ 4096, count)
      total += sum(start, end)
      start = end
    }
    return total / Double(count)
  }

  private static func level(power: Double) -> UInt32 {
    // Also what is not a number: a level is shown, not computed with.
    guard power > 1e-13 else { return AudioFrame.silentLevel }
    return UInt32(min(max((-10 * log10(power)).rounded(), 0), 127))
  }
}
