import Glibc

/// How a feeder came, as both ends see it: part of what is proved, so that a proof is good for no other connection, and nobody can stand in
/// between and forward it.
public enum IngestRoute: Sendable, Equatable {
  public struct Address: Sendable, Equatable {
    public var host: UInt32
    public var port: UInt16

    public init(host: UInt32, port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  case unix
  case tcp(session: Address, feeder: Address)

  public var isUnix: Bool { self == .unix }

  /// Of an accepted socket; nil when its other end has gone already.
  init?(of descriptor: Int32, isUnix: Bool) {
    guard !isUnix else {
      self = .unix
      return
    }
    guard let session = Address(with: { getsockname(descriptor, $0, $1) }), let feeder = Address(with: { getpeername(descriptor, $0, $1) })
    else { return nil }
    self = .tcp(session: session, feeder: feeder)
  }
}

extension IngestRoute.Address {
  fileprivate init?(with ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &size) == 0 }
    }
    guard isKnown else { return nil }
    self.init(host: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
  }
}
