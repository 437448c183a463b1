/// Which records of the handshake OpenSSL gets to see while nothing is protected, and as which. It ends a handshake for one that contradicts
/// itself, or others, and takes a number far ahead for the number that the other end has come to, though anybody can send such records.
struct DTLSPlainRecords {
  /// Of a message of the handshake. The longest one is that with the certificates; one by itself takes some hundred bytes, a chain of three
  /// with keys of RSA of 4,096 bits 6 kB.
  static let longestMessage = 8192
  /// A handshake has at most nine of one end (RFC 5246, section 7.3).
  static let mostMessages = 16
  private static let headerSize = 12

  private struct Fragment {
    let message: Int
    let length: Int
    /// What follows it in the record.
    let rest: UnsafeRawBufferPointer

    /// RFC 6347, section 4.2.2. nil: none that can be.
    init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= headerSize else { return nil }
      func u24(_ offset: Int) -> Int { Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) }
      let (offset, size) = (u24(6), u24(9))
      (message, length) = (Int(bytes[4]) << 8 | Int(bytes[5]), u24(1))
      guard message < mostMessages, length <= longestMessage, offset + size <= length, headerSize + size <= bytes.count else { return nil }
      rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(headerSize + size))
    }
  }

  /// The length that a message has, as the first fragment of it that came said; the index is its number.
  private var lengths = [Int?](repeating: nil, count: mostMessages)
  /// Of the last record that was passed on.
  private var number: UInt64 = 0

  /// The record with a number of its own, the next one: messages have numbers, by which OpenSSL knows those that come twice. nil: it is dropped.
  mutating func take(_ record: DTLSRecord) -> [UInt8]? {
    switch record.kind {
    case .changeCipherSpec: guard record.body.count == 1, record.body[0] == 1 else { return nil }
    case .handshake: guard isSound(record.body) else { return nil }
    case .alert, .applicationData: return nil
    }
    number += 1
    var bytes = Array(record.bytes)
    for place in 0..<6 { bytes[5 + place] = UInt8(truncatingIfNeeded: number >> (40 - 8 * UInt64(place))) }
    return bytes
  }

  /// Whole fragments, of messages that are as long as they were.
  private mutating func isSound(_ body: UnsafeRawBufferPointer) -> Bool {
    var rest = body
    var seen = lengths
    repeat {
      guard let fragment = Fragment(rest), fragment.length == seen[fragment.message] ?? fragment.length else { return false }
      seen[fragment.message] = fragment.length
      rest = fragment.rest
    } while !rest.isEmpty
    lengths = seen
    return true
  }
}
