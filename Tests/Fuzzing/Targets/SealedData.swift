import MediaCore

@testable import MediaEncryption

/// Data that is encrypted from end to end: some as the input has it, some sealed here and then changed, while keys are set and derived. What opens
/// was sealed, byte by byte, and everything that was taken comes out again, in order.
enum SealedData: FuzzTarget {
  static let name = "sealed_data"

  /// Derived once: that takes as long as many inputs.
  private static let keys = (try? FrameKey([7], argument: "key")).flatMap { first in (try? first.ratcheted()).map { [first, $0] } } ?? []

  private struct Opened {
    var count = 0
    var bytes: [UInt8]?
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let rings = (near: FrameKeyRing(of: "anna"), far: FrameKeyRing(of: "bert"))
    for ring in [rings.near, rings.far] { try ring.set(keys[0], of: nil, index: 0) }
    let sealer = DataSealer(rings.near, random: SystemRandomNumberGenerator())
    let (opened, jobs) = (Monitor(Opened()), Monitor([@Sendable () -> Void]()))
    let opener = DataOpener(rings.far, of: "anna") { job in
      jobs.withLock { $0.append(job) }
    } done: { _, result in
      let bytes: [UInt8]? = if case .success(.opened(let bytes)) = result { bytes } else { nil }
      opened.withLock { $0 = Opened(count: $0.count + 1, bytes: bytes) }
    }
    var (taken, derived, last) = (0, 0, ([UInt8](), [UInt8](), [UInt8]()))
    for _ in 0..<32 where !input.isAtEnd {
      let (step, index) = (input.number(below: 5), UInt32(input.byte()))
      let piece = Array(input.piece())
      var (text, nonce) = (piece, Array(piece.prefix(12)))
      switch step {
      case 0: break
      case 1:
        guard let made = try sealer.seal(piece) else { continue }
        last = (made.bytes, made.nonce, piece)
        (text, nonce) = (made.bytes, made.nonce)
      case 2:
        try (index % 2 == 0 ? rings.near : rings.far).set(keys[Int(index / 2) % 2], of: nil, index: Int(index / 4) % 3)
        continue
      case 3:
        // A few: each takes as long as many inputs.
        guard derived < 2, let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
        derived += 1
        job()
        continue
      default:
        (text, nonce) = (last.0, last.1)
        for (place, change) in piece.enumerated() where !text.isEmpty { text[(place * 7 + Int(change >> 4)) % text.count] ^= change & 15 }
      }
      let before = opened.withLock { $0.count }
      guard opener.take(DataOpener.Sealed(text, nonce: nonce, index: step == 0 ? index : 0, isLossy: false)) else { continue }
      taken += 1
      let now = opened.withLock { $0 }
      guard now.count == before + 1, let plain = now.bytes else { continue }
      expect(text == last.0 && nonce == last.1 && plain == last.2, "what was not sealed was opened")
    }
    expect(opened.withLock { $0.count } <= taken, "more was opened than was taken")
  }
}
