import Glibc
import MediaCore

/// A page of small black letters on white, each made of strokes a pixel wide: what a shared screen is full of.
enum TextPage {
  static func draw(on frame: VideoFrame, page: UInt64 = 1) {
    frame.fill(250)
    let format = frame.format
    let (width, height) = (Int(format.width), Int(format.height))
    let luma = frame.plane(0)
    var random = SeededRandom(seed: page)
    for line in 0..<height / 18 {
      for column in 0..<width / 8 where UInt8.random(in: 0..<6, using: &random) > 0 {
        let letter = UInt64.random(in: 0...UInt64.max, using: &random)
        for row in 1..<11 {
          let y = line * 18 + row
          // Two strokes in each row of a letter.
          for stroke in [letter >> (row * 3) & 7, letter >> (row * 5) & 7] where y < height && stroke < 6 {
            luma.data[y * Int(luma.stride) + column * 8 + 1 + Int(stroke)] = 20
          }
        }
      }
    }
  }

  /// Each letter of its own colour. Of I420.
  static func colour(_ frame: VideoFrame, page: UInt64 = 1) {
    let (width, height) = (Int(frame.format.width) / 2, Int(frame.format.height) / 2)
    var random = SeededRandom(seed: page &+ 1_000)
    let colours = (0..<(width / 4 + 1) * (height / 9 + 1)).map { _ in UInt16.random(in: 0...UInt16.max, using: &random) }
    for (index, shift) in [(1, 0), (2, 8)] as [(Int, UInt16)] {
      let plane = frame.plane(index)
      for y in 0..<height {
        for x in 0..<width {
          plane.data[y * Int(plane.stride) + x] = UInt8(truncatingIfNeeded: colours[y / 9 * (width / 4) + x / 4] >> shift)
        }
      }
    }
  }

  /// Of luma; of so many rows from the top on, if not of all.
  static func psnr(_ one: VideoFrame, _ other: VideoFrame, rows: Int? = nil) -> Double {
    let (width, height) = (Int(one.format.width), rows ?? Int(one.format.height))
    let (left, right) = (one.plane(0), other.plane(0))
    var sum = 0
    for row in 0..<height {
      for column in 0..<width {
        let difference = Int(left.data[row * Int(left.stride) + column]) - Int(right.data[row * Int(right.stride) + column])
        sum += difference * difference
      }
    }
    return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(width * height) / Double(sum))
  }
}
