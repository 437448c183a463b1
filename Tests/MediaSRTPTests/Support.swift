import MediaCore
import MediaRTP

@testable import MediaSRTP

func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// What a function writes that is given bytes and room; nil and the reason when it refuses.
func transformed(
  _ input: [UInt8], room: Int = 2000, _ body: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) throws(PacketError) -> Int
) -> Result<[UInt8], PacketError> {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
  let output = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
  defer {
    memory.deallocate()
    output.deallocate()
  }
  memory.copyBytes(from: input)
  do throws(PacketError) {
    let size = try body(UnsafeRawBufferPointer(memory), output)
    return .success(Array(output.prefix(size)))
  } catch { return .failure(error) }
}

extension Result {
  var value: Success? { if case .success(let value) = self { value } else { nil } }
  var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

func key(_ profile: SRTPProfile, _ seed: UInt8 = 1) throws -> SRTPKey {
  try SRTPKey((0..<UInt8(profile.keySize + profile.saltSize)).map { $0 &* 7 &+ seed }, profile)
}

func packet(_ sequence: UInt16, ssrc: UInt32 = 0x1122_3344, payload: Int = 50, extended: Bool = true) -> [UInt8] {
  bytes(extended ? "90 e0" : "80 e0") + [UInt8(sequence >> 8), UInt8(sequence & 255)] + bytes("00 00 10 00")
    + [UInt8(ssrc >> 24), UInt8(ssrc >> 16 & 255), UInt8(ssrc >> 8 & 255), UInt8(ssrc & 255)]
    + (extended ? bytes("bede 0001 31 12 34 00") : [])
    + (0..<payload).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ Int(sequence)) }
}
