import CLinux
import Glibc
import MediaCore
import MediaNetwork

/// A listening socket in the file system, for this user alone. Its file goes with its last reference.
final class IngestUnixPort: StreamPort {
  let descriptor: Int32
  private let path: String
  /// Of the file, so that no other one is removed.
  private var inode: UInt64?

  private static let backlog: Int32 = 128
  /// Between bind and listen a socket looks stale: one at a time, at least in this process.
  private static let turn = Monitor(false)

  init(path: String) throws(MediaError) {
    let bytes = Array(path.utf8)
    guard (1...107).contains(bytes.count) else {
      throw MediaError(.invalid, "options.socket_path has \(bytes.count) bytes; accepted: 1..107")
    }
    descriptor = msdk_socket(AF_UNIX)
    self.path = path
    guard descriptor >= 0 else { throw IngestUnixPort.error(errno, "a socket") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    // The end of this closes the socket, when it fails.
    inode = try bind(address)
  }

  private func bind(_ address: sockaddr_un) throws(MediaError) -> UInt64 {
    let what = "the socket \(path)"
    return try IngestUnixPort.turn.withLock { _ throws(MediaError) in
      // Before bind the mode of the socket is the mode that the file gets.
      fchmod(descriptor, 0o600)
      if !IngestUnixPort.with(address, { Glibc.bind(descriptor, $0, $1) == 0 }) {
        guard errno == EADDRINUSE else { throw IngestUnixPort.error(errno, what) }
        try removeStale(address, what)
        guard IngestUnixPort.with(address, { Glibc.bind(descriptor, $0, $1) == 0 }) else { throw IngestUnixPort.error(errno, what) }
      }
      var status = stat()
      guard listen(descriptor, IngestUnixPort.backlog) == 0, lstat(path, &status) == 0 else { throw IngestUnixPort.error(errno, what) }
      return UInt64(status.st_ino)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    guard let inode else { return }
    var status = stat()
    if lstat(path, &status) == 0, UInt64(status.st_ino) == inode { unlink(path) }
  }

  private static func error(_ code: Int32, _ what: String) -> MediaError {
    switch code {
    case EADDRINUSE: MediaError(.exists, "\(what) is in use; accepted: one without a listener")
    case EACCES, EPERM: MediaError(.permission, "\(what) is not permitted")
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: MediaError(.noMemory, "out of file descriptors for \(what)")
    case ENOENT, ENOTDIR: MediaError(.notFound, "\(what): the directory does not exist")
    default: MediaError(.io, "\(what) cannot be opened: errno \(code)")
    }
  }

  private static func with<Result>(_ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Removes a socket of ours that nobody listens on any more, and nothing else.
  private func removeStale(_ address: sockaddr_un, _ what: String) throws(MediaError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
      throw MediaError(.exists, "\(path) exists and is not a socket of this user; accepted: a path that does not exist")
    }
    let probe = msdk_socket(AF_UNIX)
    guard probe >= 0 else { throw IngestUnixPort.error(errno, "a socket") }
    let isRefused = IngestUnixPort.with(address) { connect(probe, $0, $1) != 0 && errno == ECONNREFUSED }
    close(probe)
    guard isRefused else { throw IngestUnixPort.error(EADDRINUSE, what) }
    unlink(path)
  }

  // MARK: StreamPort

  var localAddress: SocketAddress? { nil }

  func accept() -> StreamAccepting {
    let accepted = msdk_accept(descriptor)
    if accepted >= 0 { return .stranger(IngestUnixSocket(taking: accepted)) }
    return [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) ? .exhausted : .nobody
  }

  /// No descriptor is kept for it.
  func turnAway() -> Bool { false }
}

/// A connection by a socket in the file system, with the descriptors that come by it.
final class IngestUnixSocket: StreamConnection {
  let descriptor: Int32
  /// Came with a SLOT that is not whole yet.
  private var passed: Int32 = -1
  private var arrived = 0

  init(taking descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
    if passed >= 0 { close(passed) }
  }

  /// Whether its other end is this user's.
  var isOwn: Bool { msdk_peer_user(descriptor) == Int64(geteuid()) }

  var remoteAddress: SocketAddress? { nil }
  var localAddress: SocketAddress? { nil }
  var connecting: StreamConnecting { .done }

  func read(into memory: UnsafeMutableRawBufferPointer) -> StreamReading {
    var (count, lost): (Int32, Int32) = (0, 0)
    var fresh: Int32 = -1
    let got = msdk_receive(descriptor, memory.baseAddress, memory.count, &fresh, 1, &count, &lost)
    if fresh >= 0 {
      if passed >= 0 { close(passed) }
      passed = fresh
    }
    if got > 0 {
      arrived += Int(count) + (lost != 0 ? 16 : 0)
      return .bytes(got)
    }
    if got == 0 { return .end }
    let code = errno
    return code == EAGAIN || code == EINTR ? .nothing : .failed(String(cString: strerror(code)))
  }

  /// Descriptors that came since this was asked last.
  func takeCount() -> Int {
    defer { arrived = 0 }
    return arrived
  }

  /// The first of those that came, the caller's to close; -1 for none.
  func takeDescriptor() -> Int32 {
    defer { passed = -1 }
    return passed
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let sent = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    if sent >= 0 { return sent }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  func endWriting() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func shut() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
