import MediaCore
import MediaRTP

@testable import MediaSRTP

/// Packets for SRTP and SRTCP of both suites: some as the input has them, some sealed here and then changed. What opens was sealed, byte
/// by byte, and opens once.
enum SRTPOpening: FuzzTarget {
  static let name = "srtp"

  private struct Packet: Hashable {
    let bytes: [UInt8]
    let isControl: Bool
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let profile = SRTPProfile.allCases[input.number(below: SRTPProfile.allCases.count)]
    let key = try SRTPKey([UInt8](repeating: 7, count: profile.keySize + profile.saltSize), profile)
    let (sender, receiver) = (try SRTPSender(profile, key), try SRTPReceiver(profile, key))
    /// By what went over the network, what it was.
    var sealed: [Packet: [UInt8]] = [:]
    var opened: Set<Packet> = []
    var last: [UInt8] = []
    for _ in 0..<64 where !input.isAtEnd {
      let (step, isControl) = (input.number(below: 4), input.byte() & 1 != 0)
      var packet = Array(input.piece())
      switch step {
      case 0: break
      case 1:
        let plain = packet
        guard let made = seal(plain, isControl, sender) else { continue }
        sealed[Packet(bytes: made, isControl: isControl)] = plain
        (packet, last) = (made, made)
      // The last one, as it was or changed.
      default:
        let changes = packet
        packet = last
        for change in changes.chunks(ofCount: 3) where !packet.isEmpty {
          guard change.count == 3 else { break }
          packet[(Int(change[change.startIndex]) << 8 | Int(change[change.startIndex + 1])) % packet.count] ^= change[change.startIndex + 2]
        }
        if step == 3 { packet.removeLast(min(packet.count, changes.count)) }
      }
      guard let plain = open(packet, isControl, receiver) else { continue }
      let what = Packet(bytes: packet, isControl: isControl)
      expect(sealed[what] == plain, "what was not sealed was opened")
      expect(opened.insert(what).inserted, "a packet was opened twice")
    }
  }

  private static func seal(_ plain: [UInt8], _ isControl: Bool, _ sender: SRTPSender) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: plain.count + 32)
    let size = plain.withUnsafeBytes { plain in
      output.withUnsafeMutableBytes { isControl ? try? sender.protectControl(plain, into: $0) : try? sender.protect(plain, into: $0) }
    }
    return size.map { Array(output.prefix($0)) }
  }

  /// In memory of just that size, so that one byte more is noticed.
  private static func open(_ packet: [UInt8], _ isControl: Bool, _ receiver: SRTPReceiver) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: packet.count)
    let size = packet.withUnsafeBytes { packet in
      output.withUnsafeMutableBytes {
        isControl ? try? receiver.unprotectControl(packet, into: $0) : try? receiver.unprotect(packet, into: $0)
      }
    }
    return size.map { Array(output.prefix($0)) }
  }
}

extension Array {
  fileprivate func chunks(ofCount size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
