/// Sources that were heard once, where anybody may send (RFC 3550, section 6.2.1 and appendix A.1): one is valid when a second packet follows its first.
/// Bounded: a table of 1024 sources, and the bytes of the latest 32 first packets, which count once their source is valid. What a flood of sources puts
/// in the place of an honest one is heard again with that one's next packets.
struct SourceProbation {
  private struct Entry {
    var ssrc: SSRC
    var next: SequenceNumber
  }

  enum Verdict: Equatable {
    case waits
    /// With its first packet, if that was kept.
    case valid([UInt8]?)
  }

  static let most = 1024
  static let mostKept = 32

  private var entries: [Entry?] = []
  private var kept: [(ssrc: SSRC, sequence: SequenceNumber, bytes: [UInt8])] = []
  private var oldest = 0
  /// Nobody who does not know it can aim at a place.
  private let salt: UInt64

  init(salt: UInt64) { self.salt = salt }

  mutating func heard(_ ssrc: SSRC, _ sequence: SequenceNumber, _ datagram: UnsafeRawBufferPointer) -> Verdict {
    if entries.isEmpty { entries = [Entry?](repeating: nil, count: SourceProbation.most) }
    let place = Int(truncatingIfNeeded: ((UInt64(ssrc.rawValue) ^ salt) &* 0x9E37_79B9_7F4A_7C15) >> 54)
    guard let entry = entries[place], entry.ssrc == ssrc, entry.next == sequence else {
      entries[place] = Entry(ssrc: ssrc, next: sequence.next)
      keep(ssrc, sequence, datagram)
      return .waits
    }
    entries[place] = nil
    return .valid(kept.first { $0.ssrc == ssrc && $0.sequence.next == sequence }?.bytes)
  }

  private mutating func keep(_ ssrc: SSRC, _ sequence: SequenceNumber, _ datagram: UnsafeRawBufferPointer) {
    if kept.count < SourceProbation.mostKept { return kept.append((ssrc, sequence, Array(datagram))) }
    (kept[oldest].ssrc, kept[oldest].sequence) = (ssrc, sequence)
    kept[oldest].bytes.removeAll(keepingCapacity: true)
    kept[oldest].bytes.append(contentsOf: datagram)
    oldest = (oldest + 1) % SourceProbation.mostKept
  }
}
