import Glibc
import MediaCore
import MediaNetwork
import MediaRuntime

/// A file of the datagrams of a session both ways, as Wireshark and tcpdump read it: pcap with nanoseconds (magic 0xA1B23C4D), LINKTYPE_RAW, the
/// headers of IP and UDP made up. Whoever shows a datagram copies it into memory and goes on; a worker writes. What comes while all memory is
/// full is left out, and counted.
public final class PacketCapture: PacketTap {
  fileprivate struct State {
    var filling: UnsafeMutableRawBufferPointer
    var writing: UnsafeMutableRawBufferPointer
    var used = 0
    /// The worker looks again by itself.
    var isAwake = false
    var isOver = false
    var dropped: UInt64 = 0
    /// Of this machine, where a socket is bound to any of its addresses.
    var host: SocketAddress?
  }

  static let capacity = 1 << 20
  private static let pause: Int64 = 50_000_000
  private static let magic: UInt32 = 0xA1B2_3C4D
  private static let linkTypeRaw: UInt32 = 101

  /// Whether it records what protection protects, as RTP and RTCP, in place of what the network carries.
  public let seesPlain: Bool
  private let path: String
  private let descriptor: Int32
  private let state: Monitor<State>
  private let worker = Monitor<(any Worker)?>(nil)
  private let onFailure: @Sendable (MediaError) -> Void

  /// Makes the file, or empties it. Of the first error later the file ends, and it is told.
  public init(
    _ path: String, seesPlain: Bool = false, clock: any MediaClock, onFailure: @escaping @Sendable (MediaError) -> Void = { _ in }
  ) throws(MediaError) {
    // Media that was protected may stand in it.
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    // ENXIO: a pipe that nobody reads.
    guard descriptor >= 0 else { throw errno == ENXIO ? PacketCapture.noFile(path) : PacketCapture.error("cannot create", path) }
    (self.path, self.seesPlain, self.onFailure) = (path, seesPlain, onFailure)
    let memory = (0..<2).map { _ in UnsafeMutableRawBufferPointer.allocate(byteCount: PacketCapture.capacity, alignment: 16) }
    state = Monitor(State(filling: memory[0], writing: memory[1]))
    // The reader of a pipe that goes away would reach the program as SIGPIPE.
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    guard kind == S_IFREG || kind == S_IFCHR else { throw PacketCapture.noFile(path) }
    guard kind == S_IFCHR || ftruncate(descriptor, 0) == 0 else { throw PacketCapture.error("cannot truncate", path) }
    guard PacketCapture.writeHeader(descriptor) else { throw PacketCapture.error("cannot write", path) }
    let worker = clock.makeWorker("msdk-capture") { [weak self] in self?.write(clock) ?? .max }
    self.worker.withLock { $0 = worker }
  }

  deinit {
    close()
    state.withLock { state in
      state.filling.deallocate()
      state.writing.deallocate()
    }
    Glibc.close(descriptor)
  }

  private static func noFile(_ path: String) -> MediaError {
    MediaError(.invalid, "the capture \"\(path.prefix(256))\" is neither a regular file nor a character device")
  }

  private static func error(_ what: String, _ path: String) -> MediaError {
    MediaError(.io, "\(what) the capture \"\(path.prefix(256))\": \(String(cString: strerror(errno)))")
  }

  /// Version 2.4, times of the zone UTC, packets whole.
  private static func writeHeader(_ descriptor: Int32) -> Bool {
    let words: [UInt32] = [magic, 4 << 16 | 2, 0, 0, 65_535, linkTypeRaw]
    return words.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
  }

  /// Datagrams that did not fit.
  var dropped: UInt64 { state.withLock { $0.dropped } }

  // MARK: What passes

  /// Any thread; copies and returns. A datagram of more than 65 000 bytes, or without room in memory, is counted as dropped.
  public func saw(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, to destination: SocketAddress) {
    let time = MediaTime.wallClock()
    let headers = PacketHeaders.size(isIPv6: destination.isIPv6)
    let size = headers + datagram.count
    let isWanted = state.withLock { state in
      guard !state.isOver else { return false }
      guard datagram.count <= 65_000, state.used + 16 + size <= PacketCapture.capacity else {
        state.dropped &+= 1
        return false
      }
      let record = UnsafeMutableRawBufferPointer(rebasing: state.filling[state.used..<state.used + 16 + size])
      let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
      record.storeBytes(of: UInt32(truncatingIfNeeded: seconds), as: UInt32.self)
      record.storeBytes(of: UInt32(truncatingIfNeeded: rest), toByteOffset: 4, as: UInt32.self)
      record.storeBytes(of: UInt32(truncatingIfNeeded: size), toByteOffset: 8, as: UInt32.self)
      record.storeBytes(of: UInt32(truncatingIfNeeded: size), toByteOffset: 12, as: UInt32.self)
      PacketHeaders.write(
        datagram, from: state.named(source, toward: destination), to: state.named(destination, toward: source),
        into: UnsafeMutableRawBufferPointer(rebasing: record[16..<16 + headers]))
      UnsafeMutableRawBufferPointer(rebasing: record[(16 + headers)...]).copyMemory(from: datagram)
      state.used += record.count
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if isWanted { worker.withLock { $0 }?.poke() }
  }

  // MARK: The worker

  private func write(_ clock: any MediaClock) -> Int64 {
    let full: UnsafeRawBufferPointer? = state.withLock { state in
      guard state.used > 0, !state.isOver else {
        state.isAwake = false
        return nil
      }
      defer { state.used = 0 }
      swap(&state.filling, &state.writing)
      return UnsafeRawBufferPointer(rebasing: state.writing[..<state.used])
    }
    guard let full else { return .max }
    put(full)
    return clock.now() &+ PacketCapture.pause
  }

  private func put(_ bytes: UnsafeRawBufferPointer) {
    var done = 0
    while done < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = PacketCapture.error("cannot write", path)
        state.withLock { $0.isOver = true }
        return onFailure(error)
      }
      done += count
    }
  }

  /// Writes what is left; more is not taken.
  public func close() {
    worker.withLock { $0.take() }?.stop()
    let rest: (bytes: UnsafeRawBufferPointer, dropped: UInt64)? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      return (UnsafeRawBufferPointer(rebasing: state.filling[..<state.used]), state.dropped)
    }
    guard let rest else { return }
    put(rest.bytes)
    guard rest.dropped > 0 else { return }
    onFailure(
      MediaError(
        .full, "the capture \"\(path.prefix(256))\" lacks \(rest.dropped) datagrams, which arrived faster than they could be written"))
  }
}

extension PacketCapture.State {
  /// With the address that the routes say, where any will do.
  mutating func named(_ address: SocketAddress, toward other: SocketAddress) -> SocketAddress {
    guard address.isUnspecified else { return address }
    if host == nil { host = SocketAddress.local(toward: other) }
    return host?.isIPv6 == address.isIPv6 ? host?.with(port: address.port) ?? address : address
  }
}
