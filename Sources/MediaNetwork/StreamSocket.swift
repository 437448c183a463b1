import CLinux
import Glibc
import MediaCore

/// The kernel's.
final class StreamSocket: StreamConnection {
  /// The kernel takes no more bytes while so many could not be sent: else it keeps 4 MB for an end that is slow, of which media are old when they come.
  private static let mostUnsent: Int32 = 32_768

  let descriptor: Int32
  /// The kernel tells it once.
  private var failure: String?

  init(taking descriptor: Int32) {
    self.descriptor = descriptor
    var yes: Int32 = 1
    // Messages are small and each is waited for.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    var most = StreamSocket.mostUnsent
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &most, socklen_t(MemoryLayout<Int32>.size))
  }

  convenience init(connectingTo address: SocketAddress) throws(MediaError) {
    let descriptor = msdk_socket(address.isIPv6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { throw MediaError(.io, "no socket for \(address): \(StreamSocket.words(errno))") }
    self.init(taking: descriptor)
    var (native, length) = address.native
    let result = withUnsafePointer(to: &native) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard result == 0 || errno == EINPROGRESS else { throw MediaError(.io, "cannot connect to \(address): \(StreamSocket.words(errno))") }
  }

  deinit {
    close(descriptor)
  }

  static func words(_ code: Int32) -> String { String(cString: strerror(code)) }

  var connecting: StreamConnecting {
    if let failure { return .failed(failure) }
    var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&event, 1, 0) > 0 else { return .waiting }
    var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0 { code = errno }
    guard code != 0 else { return .done }
    let words = StreamSocket.words(code)
    failure = words
    return .failed(words)
  }

  var remoteAddress: SocketAddress? { SocketAddress { getpeername(descriptor, $0, $1) } }
  var localAddress: SocketAddress? { SocketAddress { getsockname(descriptor, $0, $1) } }

  func read(into memory: UnsafeMutableRawBufferPointer) -> StreamReading {
    while true {
      let count = recv(descriptor, memory.baseAddress, memory.count, Int32(MSG_DONTWAIT))
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .nothing
      default: return .failed(StreamSocket.words(errno))
      }
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var rest = bytes
    while !rest.isEmpty {
      let count = send(descriptor, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return nil }
      break
    }
    return bytes.count - rest.count
  }

  func endWriting() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func shut() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// The kernel's.
final class StreamListener: StreamPort {
  let descriptor: Int32
  let isIPv6: Bool
  /// Given up for a moment when there is no other descriptor, so that who knocks can be sent away.
  private var spare = open("/dev/null", O_RDONLY | O_CLOEXEC)

  /// Connections that the kernel keeps until they are taken, without a descriptor: a flood between two looks does not fill it.
  private static let backlog: Int32 = 1024

  /// A port of 0 lets the kernel choose one.
  init(binding address: SocketAddress, receiveBuffer: Int? = nil) throws(MediaError) {
    isIPv6 = address.isIPv6
    descriptor = msdk_socket(isIPv6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { throw StreamListener.error(errno, "no socket for \(address)") }
    var yes: Int32 = 1
    // Connections take the size of the socket that they came by.
    if let receiveBuffer {
      var size = Int32(clamping: receiveBuffer)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    if isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size)) }
    // Connections of before, that are not forgotten yet, do not keep the port.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var (native, length) = address.native
    let result = withUnsafePointer(to: &native) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard result == 0, listen(descriptor, StreamListener.backlog) == 0 else {
      // The end of this closes what is open.
      throw StreamListener.error(errno, "cannot listen at \(address)")
    }
  }

  private static func error(_ code: Int32, _ what: String) -> MediaError {
    MediaError(status(of: code), "\(what): \(StreamSocket.words(code))")
  }

  static func status(of code: Int32) -> Status {
    switch code {
    case EADDRINUSE: .exists
    case EACCES, EPERM: .permission
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: .noMemory
    default: .io
    }
  }

  deinit {
    close(descriptor)
    if spare >= 0 { close(spare) }
  }

  var localAddress: SocketAddress? { SocketAddress { getsockname(descriptor, $0, $1) } }

  func accept() -> StreamAccepting {
    while true {
      let accepted = msdk_accept(descriptor)
      if accepted >= 0 { return .stranger(StreamSocket(taking: accepted)) }
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      // What befell that connection is not the next one's (accept(2)).
      case EINTR, ECONNABORTED, EPERM, EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT: continue
      default: return .nobody
      }
    }
  }

  func turnAway() -> Bool {
    if spare >= 0 { close(spare) }
    let stranger = msdk_accept(descriptor)
    if stranger >= 0 { close(stranger) }
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    return stranger >= 0
  }
}

extension SocketAddress {
  /// As getsockname(2) and getpeername(2) give it.
  fileprivate init?(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &length) }
    }
    guard result == 0 else { return nil }
    self.init(storage)
  }
}
