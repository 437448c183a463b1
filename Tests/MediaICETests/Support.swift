import Glibc
import MediaCore
import Testing

@testable import MediaICE

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

/// Of hexadecimal digits; others are passed over.
func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func address(_ host: String, _ port: UInt16) -> SocketAddress {
  guard let address = SocketAddress(host, port: port) else { preconditionFailure("\(host) is no address") }
  return address
}

/// What is parsed, as long as the body runs.
func withMessage<R>(_ bytes: [UInt8], _ body: (STUNMessage) throws -> R) rethrows -> R? {
  try bytes.withUnsafeBytes { try STUNMessage($0).map(body) }
}

/// Every bit of it flipped, every length that it can be cut to, and 200 of each made of both by chance.
func forEachDamage(of bytes: [UInt8], _ body: ([UInt8]) -> Void) {
  for bit in 0..<(bytes.count * 8) {
    var copy = bytes
    copy[bit / 8] ^= 1 << UInt8(bit % 8)
    body(copy)
  }
  for size in 0..<bytes.count { body(Array(bytes.prefix(size))) }
  var random = SeededRandom(seed: UInt64(bytes.count))
  for _ in 0..<200 where !bytes.isEmpty {
    var copy = bytes
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      copy[Int.random(in: 0..<copy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    body(Array(copy.prefix(Int.random(in: 0...copy.count, using: &random))))
  }
}

/// Added to seeds, as those of `MediaRTPTests`: what holds for one holds for others.
let seedOffset = getenv("MSDK_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 0
