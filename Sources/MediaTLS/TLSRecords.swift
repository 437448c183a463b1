/// Where records of TLS begin in bytes that come in pieces (RFC 8446, section 5.1): a type, a version, a length in two bytes, and so much.
struct TLSRecords {
  private static let headerSize = 5
  /// Of the header that is being read, and what is left of the record behind it.
  private var headerBytes = 0
  private var length = 0
  private var rest = 0

  /// How many of the bytes hold the beginnings of that many records at most, up to where another one would begin, and how many begin there.
  mutating func cut(_ bytes: UnsafeRawBufferPointer, records: Int) -> (size: Int, begun: Int) {
    var (offset, begun) = (0, 0)
    while offset < bytes.count {
      if rest > 0 {
        let step = min(rest, bytes.count - offset)
        rest -= step
        offset += step
        continue
      }
      if headerBytes == 0 {
        if begun == records { break }
        begun += 1
      }
      if headerBytes >= 3 { length = length << 8 | Int(bytes[offset]) }
      headerBytes += 1
      offset += 1
      if headerBytes == TLSRecords.headerSize { (headerBytes, rest, length) = (0, length, 0) }
    }
    return (offset, begun)
  }
}
