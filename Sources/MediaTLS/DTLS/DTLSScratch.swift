/// Memory for what a record says, which grows to the longest record that came: 16,384 bytes at most (RFC 6347, section 4.1).
final class DTLSScratch {
  private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit {
    bytes.deallocate()
  }

  /// At least so many bytes, or the most that a record says.
  func room(for count: Int) -> UnsafeMutableRawBufferPointer {
    let needed = min(count, 16_384)
    if bytes.count < needed {
      bytes.deallocate()
      bytes = .allocate(byteCount: min(max(needed, 2048), 16_384), alignment: 16)
    }
    return bytes
  }
}
