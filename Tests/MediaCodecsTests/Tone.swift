import Glibc

/// Tones, and what is left of a sound when one is taken out.
enum Tone {
  static func samples(_ frequency: Double, rate: Double, count: Int, from start: Int = 0, amplitude: Double = 0.5) -> [Float] {
    (start..<start + count).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / rate)) }
  }

  /// Stereo: another tone on the right side.
  static func interleaved(_ left: [Float], _ right: [Float]) -> [Float] { zip(left, right).flatMap { [$0, $1] } }

  static func channel(_ index: Int, of channels: Int, _ samples: [Float]) -> [Float] {
    stride(from: index, to: samples.count, by: channels).map { samples[$0] }
  }

  struct Fit {
    var amplitude: Double
    /// Radians by which it is ahead of a sine.
    var phase: Double
    /// Decibels of the tone over all the rest.
    var ratio: Double
  }

  /// By least squares; `time` gives the place of a sample in seconds.
  static func fit(_ samples: ArraySlice<Float>, frequency: Double, time: (Int) -> Double) -> Fit {
    var cc = 0.0
    var cs = 0.0
    var ss = 0.0
    var cx = 0.0
    var sx = 0.0
    for index in samples.indices {
      let angle = 2 * .pi * frequency * time(index)
      let c = cos(angle)
      let s = sin(angle)
      let x = Double(samples[index])
      cc += c * c
      cs += c * s
      ss += s * s
      cx += c * x
      sx += s * x
    }
    let determinant = cc * ss - cs * cs
    let a = (cx * ss - sx * cs) / determinant
    let b = (sx * cc - cx * cs) / determinant
    var rest = 0.0
    for index in samples.indices {
      let angle = 2 * .pi * frequency * time(index)
      let difference = Double(samples[index]) - a * cos(angle) - b * sin(angle)
      rest += difference * difference
    }
    let power = (a * a + b * b) / 2 * Double(samples.count)
    return Fit(amplitude: (a * a + b * b).squareRoot(), phase: atan2(a, b), ratio: 10 * log10(power / max(rest, 1e-30)))
  }

  static func fit(_ samples: [Float], frequency: Double, rate: Double, leaving: Int = 0) -> Fit {
    fit(samples[leaving..<samples.count - leaving], frequency: frequency) { Double($0) / rate }
  }
}
