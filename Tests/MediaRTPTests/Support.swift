import Glibc
import MediaCore

@testable import MediaRTP

/// Added to the seed of every call that is simulated (`TestCall`), from MSDK_TEST_SEED: what holds for the seeds that a test names holds for others.
let seedOffset = getenv("MSDK_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 0

/// What a writer writes, as bytes of its own.
func written(_ capacity: Int = 1500, _ body: (inout PacketWriter) -> Void) -> [UInt8] {
  var memory = [UInt8](repeating: 0xA5, count: capacity)
  let count = memory.withUnsafeMutableBytes { memory in
    var writer = PacketWriter(memory)
    body(&writer)
    return writer.isFull ? 0 : writer.count
  }
  return Array(memory.prefix(count))
}

/// Runs a parser over bytes of exactly their length, so that the address sanitizer sees what is read beyond them.
func reading<T>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  defer { memory.deallocate() }
  memory.copyBytes(from: bytes)
  return try body(UnsafeRawBufferPointer(memory))
}

func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Valid bytes, spoilt: cut, lengthened, and with bytes and bits changed; the same for a seed.
func spoilt(_ valid: [UInt8], seed: UInt64, _ body: ([UInt8]) -> Void) {
  for count in 0...valid.count { body(Array(valid.prefix(count))) }
  for index in valid.indices {
    for value in [0, 1, 0x7F, 0x80, 0xFF, valid[index] ^ 1, valid[index] ^ 0x10, valid[index] ^ 0x80] as [UInt8] {
      var copy = valid
      copy[index] = value
      body(copy)
    }
  }
  var random = SeededRandom(seed: seed)
  for _ in 0..<500 {
    var copy = valid
    for _ in 0..<Int.random(in: 1...6, using: &random) where !copy.isEmpty {
      copy[Int.random(in: 0..<copy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    if Bool.random(using: &random) { copy.removeLast(Int.random(in: 0...copy.count, using: &random)) }
    if Bool.random(using: &random) { copy += (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) } }
    body(copy)
  }
}
