/// Which of the latest packets were received (RFC 3711, section 3.3.2): one that comes a second time, or from before the window, is refused.
final class ReplayWindow {
  static let size: Int64 = 1024
  private var bits: [UInt64]
  private(set) var highest: Int64

  /// Of a stream whose highest index is known from before, all up to that count as received; -1: of a new one.
  init(after highest: Int64 = -1) {
    bits = [UInt64](repeating: highest < 0 ? 0 : .max, count: Int(ReplayWindow.size) / 64)
    self.highest = highest
  }

  func isNew(_ index: Int64) -> Bool {
    if index > highest { return true }
    guard index >= 0, index > highest - ReplayWindow.size else { return false }
    return bits[Int(index / 64) % bits.count] & 1 << UInt64(index % 64) == 0
  }

  /// Only of what was found to be authentic.
  func insert(_ index: Int64) {
    if index > highest {
      if index - highest >= ReplayWindow.size {
        for place in bits.indices { bits[place] = 0 }
      } else {
        var cleared = highest + 1
        while cleared <= index {
          bits[Int(cleared / 64) % bits.count] &= ~(1 << UInt64(cleared % 64))
          cleared += 1
        }
      }
      highest = index
    }
    bits[Int(index / 64) % bits.count] |= 1 << UInt64(index % 64)
  }

  /// The 48 bits that a packet's 16 are the last of: the nearest to the highest (section 3.3.1, appendix A).
  func index(of sequence: UInt16) -> Int64 { ReplayWindow.index(of: sequence, after: highest) }

  /// -1: nothing came yet.
  static func index(of sequence: UInt16, after highest: Int64) -> Int64 {
    guard highest >= 0 else { return Int64(sequence) }
    let difference = Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest)))
    let index = highest + difference
    return index >= 0 ? index : index + 65_536
  }
}
