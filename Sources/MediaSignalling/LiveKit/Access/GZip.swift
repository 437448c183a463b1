import CZlib
import MediaCore

/// What clients pack their request to join with (RFC 1952).
enum GZip {
  /// Throws `.corrupt` for what is damaged, is no such stream, or holds more than `longest` bytes: no more is unpacked.
  static func unpack(_ bytes: [UInt8], longest: Int) throws(MediaError) -> [UInt8] {
    var count: Int64 = -1
    let unpacked = [UInt8](unsafeUninitializedCapacity: longest) { memory, size in
      count = bytes.withUnsafeBufferPointer { source in
        msdk_gunzip(source.baseAddress, UInt32(clamping: source.count), memory.baseAddress, UInt32(clamping: longest))
      }
      size = Int(max(count, 0))
    }
    guard count >= 0 else { throw MediaError(.corrupt, "LiveKit: what is packed by gzip is damaged, or has more than \(longest) bytes") }
    return unpacked
  }
}
