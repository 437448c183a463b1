import CLinux
import Glibc
import MediaCore

/// One end of a pair of sockets for messages. The descriptor lives as long as this object does, so that nobody writes to one that was closed and
/// is something else now.
public final class PacketSocket: Sendable {
  /// Open for as long as somebody refers to this object.
  public let descriptor: Int32

  /// Takes the descriptor.
  public init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    Glibc.close(descriptor)
  }

  /// Both ends, which keep messages apart. `.io` without two free descriptors.
  public static func pair() throws(MediaError) -> (PacketSocket, PacketSocket) {
    var ends: [Int32] = [-1, -1]
    guard msdk_packet_pair(&ends) == 0 else { throw MediaError(.io, "no sockets for a plugin's process: \(SystemText.of(errno))") }
    return (PacketSocket(ends[0]), PacketSocket(ends[1]))
  }

  /// What `receive` got. The descriptor that came with a message is the caller's to close; -1: none did.
  public enum Received {
    case message(UnsafeRawBufferPointer, descriptor: Int32)
    case nothing
    case closed
    /// A message that is none of ours: too long, or with too many descriptors.
    case bad
  }

  /// Whether it was taken; false also when there is no room now and waiting was not asked for.
  @discardableResult
  public func send(_ writer: WireWriter, descriptor other: Int32 = -1, waits: Bool = true) -> Bool {
    writer.bytes.withUnsafeBytes { bytes in
      msdk_send_packet(descriptor, bytes.baseAddress, bytes.count, other, waits ? 0 : Int32(MSG_DONTWAIT)) == bytes.count
    }
  }

  /// Into memory of at least `Wire.largest` bytes.
  public func receive(into buffer: UnsafeMutableRawBufferPointer, waits: Bool) -> Received {
    var other: Int32 = -1
    let count = msdk_receive_packet(descriptor, buffer.baseAddress, buffer.count, &other, waits ? 0 : Int32(MSG_DONTWAIT))
    if count > 0 { return .message(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).prefix(count)), descriptor: other) }
    if other >= 0 { Glibc.close(other) }
    if count == 0 { return .closed }
    switch errno {
    case EAGAIN: return .nothing  // or time is up
    case EBADMSG: return .bad
    default: return .closed
    }
  }

  /// How long `receive` waits before it returns `nothing`.
  public func setReceiveTimeout(_ milliseconds: UInt32) {
    var time = timeval(tv_sec: Int(milliseconds / 1_000), tv_usec: Int(milliseconds % 1_000) * 1_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Waits until there is something to be read, or the other end is gone.
  public func wait(until deadline: Int64) -> Bool {
    while true {
      let left = deadline - MediaTime.monotonic()
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, left <= 0 ? 0 : Int32(clamping: (left + 999_999) / 1_000_000))
      if ready > 0 { return true }
      if ready < 0, errno == EINTR { continue }
      if left <= 0 { return false }
    }
  }

  /// Wakes whoever waits at either end.
  public func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// Texts of the C library.
public enum SystemText {
  /// For an errno.
  public static func of(_ code: Int32) -> String {
    ForeignText.readLossy(strerror(code), limit: 256)
  }
}
