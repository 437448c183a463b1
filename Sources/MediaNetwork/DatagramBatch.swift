import CLinux
import Glibc
import MediaCore

/// Datagrams that are sent at once: memory for 64 of them, used again and again.
public final class DatagramBatch {
  let native: UnsafeMutablePointer<msdk_datagrams>
  let memory: UnsafeMutableRawBufferPointer
  private static let slotSize = 2048

  /// An empty batch; all memory is allocated here.
  public init() {
    native = .allocate(capacity: 1)
    memset(native, 0, MemoryLayout<msdk_datagrams>.size)
    memory = .allocate(byteCount: DatagramBatch.slotSize * Int(MSDK_DATAGRAMS), alignment: 64)
  }

  deinit {
    native.deallocate()
    memory.deallocate()
  }

  /// Datagrams since `begin`, at most `capacity`.
  public var count: Int { Int(native.pointee.count) }
  /// Datagrams in one batch.
  public static let capacity = Int(MSDK_DATAGRAMS)

  /// Empties the batch. To be called before the memory of what was added may be used for something else.
  public func begin() {
    msdk_datagrams_begin(native)
  }

  /// Adds what lies in memory of the caller's until the batch was sent; false when it is full.
  public func add(_ packet: UnsafeRawBufferPointer, to address: SocketAddress) -> Bool {
    var (storage, length) = address.native
    return msdk_datagrams_add(native, packet.baseAddress, packet.count, &storage, length) != 0
  }

  /// A slot of its own for the next packet, for one that is made here; nil when the batch is full.
  public func slot() -> UnsafeMutableRawBufferPointer? {
    guard count < DatagramBatch.capacity else { return nil }
    return UnsafeMutableRawBufferPointer(rebasing: memory[count * DatagramBatch.slotSize..<(count + 1) * DatagramBatch.slotSize])
  }

  /// The datagrams from one on, and where they go, for whoever sends them by other means than a socket.
  public func forEach(from first: Int = 0, _ body: (UnsafeRawBufferPointer, SocketAddress) -> Void) {
    for index in Int32(first)..<Int32(max(first, count)) {
      let vector = msdk_datagrams_vector(native, index)
      guard let address = SocketAddress(msdk_datagrams_address(native, index).pointee) else { continue }
      body(UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len), address)
    }
  }
}
