import CLinux
import MediaCore

/// Where datagrams are received to, used again and again: 16 rows of neighbours that came together, each of up to 64 kB. Of its memory only what
/// something came into is more than an address.
public final class DatagramRows {
  let native: UnsafeMutablePointer<msdk_rows>
  let memory: UnsafeMutableRawBufferPointer
  /// Of one datagram, in bytes.
  public let longest: Int
  /// Rows that were received last.
  var count = 0
  /// Rows in one call of `DatagramPort.receive`: so many mean that more may wait.
  public static let capacity = Int(MSDK_ROWS)

  /// Datagrams of more than `longest` bytes are dropped by `forEach`. All memory is reserved here.
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

  /// As after nothing was received.
  public func clear() { count = 0 }

  /// Adds what was received by other means than a kernel's socket; false when there is no room.
  public func append(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress) -> Bool {
    guard count < DatagramRows.capacity, datagram.count <= Int(MSDK_ROW_SIZE) else { return false }
    UnsafeMutableRawBufferPointer(rebasing: memory[(count * Int(MSDK_ROW_SIZE))...]).copyMemory(from: datagram)
    var (storage, _) = address.native
    msdk_rows_put(native, Int32(count), datagram.count, &storage)
    count += 1
    return true
  }

  /// The datagrams that were received last, borrowed for the call, and whom they are from. What is longer than may be is dropped.
  public func forEach(_ body: (UnsafeMutableRawBufferPointer, SocketAddress) -> Void) {
    for index in 0..<Int32(count) {
      guard let address = SocketAddress(msdk_rows_address(native, index).pointee) else { continue }
      let start = Int(index) * Int(MSDK_ROW_SIZE)
      var row = UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + msdk_rows_size(native, index)])
      let segment = msdk_rows_segment(native, index)
      repeat {
        let datagram = row.prefix(segment)
        if datagram.count <= longest { body(UnsafeMutableRawBufferPointer(rebasing: datagram), address) }
        row = UnsafeMutableRawBufferPointer(rebasing: row[datagram.endIndex...])
      } while !row.isEmpty
    }
  }
}
