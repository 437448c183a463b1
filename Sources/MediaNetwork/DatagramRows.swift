import CLinux

/// Where datagrams are received to, used again and again: 16 rows of neighbours that came together, each of up to 64 kB. Of its memory only what
/// something came into is more than an address.
public final class DatagramRows {
  let native: UnsafeMutablePointer<msdk_rows>
  let memory: UnsafeMutableRawBufferPointer
  /// Of one datagram, in bytes.
  let longest: Int
  public static let capacity = Int(MSDK_ROWS)

  public init(longest: Int = 2048) {
    self.longest = longest
    native = .allocate(capacity: 1)
    native.initialize(to: msdk_rows())
    memory = .allocate(byteCount: Int(MSDK_ROWS) * Int(MSDK_ROW_SIZE), alignment: 64)
  }

  deinit {
    native.deallocate()
    memory.deallocate()
  }
}
