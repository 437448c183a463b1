/// Whether bytes that come in pieces are UTF-8 (RFC 3629), and as soon as it can be known.
struct UTF8Checker {
  private var missing = 0
  /// Of the next byte of a character.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// No character is begun.
  var isComplete: Bool { missing == 0 }

  /// false: these bytes are not UTF-8, whatever follows. It is not used again then.
  mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
    for byte in bytes {
      guard missing == 0 else {
        guard next.contains(byte) else { return false }
        next = 0x80...0xBF
        missing -= 1
        continue
      }
      switch byte {
      case 0...0x7F: continue
      case 0xC2...0xDF: missing = 1
      // No longer form than needed, no surrogates, nothing above U+10FFFF.
      case 0xE0: (missing, next) = (2, 0xA0...0xBF)
      case 0xED: (missing, next) = (2, 0x80...0x9F)
      case 0xE1...0xEF: missing = 2
      case 0xF0: (missing, next) = (3, 0x90...0xBF)
      case 0xF1...0xF3: missing = 3
      case 0xF4: (missing, next) = (3, 0x80...0x8F)
      default: return false
      }
    }
    return true
  }
}
