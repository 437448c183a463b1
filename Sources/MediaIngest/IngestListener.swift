import CLinux
import Glibc
import MediaCore

/// A listening socket, on 127.0.0.1 or in the file system.
struct IngestListener: Sendable {
  let descriptor: Int32
  var port: UInt32 = 0
  /// Of the file, so that no other one is removed.
  private var path: String?
  private var inode: UInt64 = 0

  var isUnix: Bool { path != nil }

  private static let backlog: Int32 = 128
  /// Between bind and listen a socket looks stale: one at a time, at least in this process.
  private static let turn = Monitor(false)

  // MARK: TCP

  /// 0: any port that is free.
  init(port: UInt16) throws(MediaError) {
    descriptor = try IngestListener.makeSocket(AF_INET)
    var one: Int32 = 1
    // Connections of a former door that time out must not stand in the way of this one.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    // What has left the feeder must not wait here: a frame that is not read yet keeps the feeder from sending the next one.
    var size: Int32 = 262_144
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, IngestListener.backlog) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isOpen else {
      let code = errno
      Glibc.close(descriptor)
      throw IngestListener.error(code, "port \(port) of 127.0.0.1")
    }
    self.port = UInt32(UInt16(bigEndian: address.sin_port))
  }

  private static func makeSocket(_ family: Int32) throws(MediaError) -> Int32 {
    let descriptor = msdk_socket(family)
    guard descriptor >= 0 else { throw error(errno, "a socket") }
    return descriptor
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

  // MARK: Unix

  init(path: String) throws(MediaError) {
    let bytes = Array(path.utf8)
    guard (1...107).contains(bytes.count) else {
      throw MediaError(.invalid, "options.socket_path has \(bytes.count) bytes; accepted: 1..107")
    }
    descriptor = try IngestListener.makeSocket(AF_UNIX)
    let descriptor = self.descriptor
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let what = "the socket \(path)"
    do throws(MediaError) {
      inode = try IngestListener.turn.withLock { _ throws(MediaError) in
        // Before bind the mode of the socket is the mode that the file gets.
        fchmod(descriptor, 0o600)
        if !IngestListener.with(address, { bind(descriptor, $0, $1) == 0 }) {
          guard errno == EADDRINUSE else { throw IngestListener.error(errno, what) }
          try IngestListener.removeStale(path, address, what)
          guard IngestListener.with(address, { bind(descriptor, $0, $1) == 0 }) else { throw IngestListener.error(errno, what) }
        }
        var status = stat()
        guard listen(descriptor, IngestListener.backlog) == 0, lstat(path, &status) == 0 else { throw IngestListener.error(errno, what) }
        return UInt64(status.st_ino)
      }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.path = path
  }

  private static func with<Result>(_ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Removes a socket of ours that nobody listens on any more, and nothing else.
  private static func removeStale(_ path: String, _ address: sockaddr_un, _ what: String) throws(MediaError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
      throw MediaError(.exists, "\(path) exists and is not a socket of this user; accepted: a path that does not exist")
    }
    let probe = try makeSocket(AF_UNIX)
    let isRefused = with(address) { connect(probe, $0, $1) != 0 && errno == ECONNREFUSED }
    Glibc.close(probe)
    guard isRefused else { throw error(EADDRINUSE, what) }
    unlink(path)
  }

  // MARK: Both

  func close() {
    Glibc.close(descriptor)
    guard let path else { return }
    var status = stat()
    if lstat(path, &status) == 0, UInt64(status.st_ino) == inode { unlink(path) }
  }
}
