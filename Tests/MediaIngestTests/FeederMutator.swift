import MediaCore

@testable import MediaIngest

/// Right messages with a few bytes changed, cut off, repeated or made huge; the same for the same seed.
struct FeederMutator {
  private var random: SeededRandom
  private let rights: [[UInt8]]

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    let gray = FeederBytes.Header(
      format: PixelFormat.gray8.rawValue, width: 16, height: 16, planes: 1, strides: [16, 0, 0, 0], payload: 256)
    let vp8 = FeederBytes.Header(format: 0x3038_5056, flags: 1, planes: 0, strides: [0, 0, 0, 0], payload: 32)
    rights = [
      FeederBytes.hello(), FeederBytes.hello(), try FeederBytes.proof(), try FeederBytes.proof(.unix),
      FeederBytes.frame(gray) + [UInt8](repeating: 3, count: 256), FeederBytes.frame(gray),
      FeederBytes.frame(vp8) + [UInt8](repeating: 0, count: 32), FeederBytes.frame(), FeederBytes.slot(1), FeederBytes.slot(2),
      FeederBytes.slotFrame(1, gray), FeederBytes.slotFrame(2, gray), FeederBytes.forget(1), FeederBytes.bye
    ]
  }

  mutating func below(_ limit: Int) -> Int {
    Int(truncatingIfNeeded: random.next() >> 33) % limit
  }

  /// Once in so many times not.
  mutating func chance(_ times: Int) -> Bool { below(times) != 0 }

  mutating func message() -> [UInt8] {
    var bytes = rights[below(rights.count)]
    switch below(8) {
    case 0: break
    case 1: bytes.removeLast(below(bytes.count + 1))
    case 2: bytes += (0..<below(40)).map { _ in UInt8(truncatingIfNeeded: below(256)) }
    case 3: for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: [0, 0xFF, 0x7F, 0x80][below(4)]) }
    default:
      for _ in 0...below(3) {
        // Heads and headers more often than payload.
        let index = below(min(bytes.count, chance(4) ? 80 : .max))
        bytes[index] = chance(2) ? bytes[index] ^ UInt8(1 << below(8)) : UInt8([0, 1, 0x7F, 0x80, 0xFF][below(5)])
      }
    }
    return bytes
  }
}
