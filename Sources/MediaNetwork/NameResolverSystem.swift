import CLinux
import Glibc
import MediaCore

/// The system's resolver: /etc/hosts, name servers, and whatever else nsswitch.conf(5) names.
extension NameResolver {
  /// A name may have any number of addresses.
  private static let mostAddresses = 16

  /// Blocks in getaddrinfo(3) until it has the answer: at most 16 addresses, each once. `.notFound`: no such name, or no address of the
  /// family. `.io`: anything else.
  @Sendable public static func system(_ question: Question) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(question.isStream ? MSDK_SOCKET_STREAM : MSDK_SOCKET_DATAGRAM)
    // Who wants a family has it, even if loopback alone has an address of it.
    hints.ai_family = question.isIPv6.map { $0 ? Int32(AF_INET6) : Int32(AF_INET) } ?? Int32(AF_UNSPEC)
    hints.ai_flags = question.isIPv6 == nil ? Int32(AI_ADDRCONFIG) : 0
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(question.name.description, nil, &hints, &list)
    guard code == 0 else { return .failure(error(code, errno, question)) }
    defer { freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee, found.count < mostAddresses {
      next = entry.ai_next
      if let address = address(entry)?.with(port: question.port), !found.contains(address) { found.append(address) }
    }
    return found.isEmpty ? .failure(hasNone(question)) : .success(found)
  }

  private static func address(_ entry: addrinfo) -> SocketAddress? {
    guard let pointer = entry.ai_addr else { return nil }
    var storage = sockaddr_storage()
    memcpy(&storage, pointer, min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size))
    return SocketAddress(storage)
  }

  private static func hasNone(_ question: Question) -> MediaError {
    let what = question.isIPv6.map { $0 ? "IPv6 address" : "IPv4 address" } ?? "address"
    return MediaError(.notFound, "the host name \"\(question.name)\" does not exist or has no \(what)")
  }

  /// As getaddrinfo(3) reports it. EAI_NODATA and EAI_ADDRFAMILY are the GNU library's own.
  static func error(_ code: Int32, _ system: Int32, _ question: Question) -> MediaError {
    let (noData, addressFamily): (Int32, Int32) = (-5, -9)
    switch code {
    case EAI_NONAME, noData, addressFamily: return hasNone(question)
    default:
      let words = code == EAI_SYSTEM ? String(cString: strerror(system)) : String(cString: gai_strerror(code))
      return MediaError(.io, "the host name \"\(question.name)\" could not be resolved: \(words)")
    }
  }
}
