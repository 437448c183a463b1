/// Which indices of one stream were sealed, and with what: the first bytes of each tag. An index seals one packet. Sealed once more with other bytes
/// it gives its key stream away, and with GCM the key of authentication too (RFC 3711, section 9.1; RFC 7714, section 8.4).
struct SealedPackets {
  /// As many as a stream keeps to send again (`PacketRing`).
  static let most = 2048
  private static let fewest = 64

  private var lowest: Int64
  private(set) var highest: Int64
  /// By the low bits of the index; 0: not sealed. Twice as many whenever they would not reach back to the lowest, up to `most`.
  private var tags: [UInt64]

  init(first index: Int64, _ tag: UInt64) {
    (lowest, highest) = (index, index)
    tags = [UInt64](repeating: 0, count: SealedPackets.fewest)
    insert(tag, at: index)
  }

  @inline(__always)
  private func slot(_ index: Int64) -> Int { Int(truncatingIfNeeded: index) & (tags.count - 1) }

  /// False: it lies so far back that what it sealed is forgotten.
  func reaches(_ index: Int64) -> Bool { index > highest - Int64(tags.count) }

  /// Whether that index may seal what has that tag: nothing yet, or the same.
  func allows(_ tag: UInt64, at index: Int64) -> Bool {
    guard reaches(index) else { return false }
    guard index <= highest else { return true }
    let sealed = tags[slot(index)]
    return sealed == 0 || sealed == SealedPackets.marked(tag)
  }

  /// Only of what `allows` allowed.
  mutating func insert(_ tag: UInt64, at index: Int64) {
    if index > highest {
      while tags.count < SealedPackets.most, index - lowest >= Int64(tags.count) { grow() }
      for skipped in max(highest + 1, index - Int64(tags.count) + 1)...index { tags[slot(skipped)] = 0 }
      highest = index
    }
    lowest = min(lowest, index)
    tags[slot(index)] = SealedPackets.marked(tag)
  }

  private static func marked(_ tag: UInt64) -> UInt64 { max(tag, 1) }

  private mutating func grow() {
    let former = tags
    tags = [UInt64](repeating: 0, count: 2 * former.count)
    for index in (highest - Int64(former.count) + 1)...highest {
      tags[slot(index)] = former[Int(truncatingIfNeeded: index) & (former.count - 1)]
    }
  }
}
