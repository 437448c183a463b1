import MediaCore
import MediaNetwork

/// How a feeder came, as both ends see it: part of what is proved, so that a proof is good for no other connection, and nobody can stand in
/// between and forward it.
enum IngestRoute: Sendable, Equatable {
  struct Address: Sendable, Equatable {
    var host: UInt32
    var port: UInt16

    init(host: UInt32, port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  case unix
  case tcp(session: Address, feeder: Address)

  var isUnix: Bool { self == .unix }

  /// Of an accepted connection; nil when its other end has gone already.
  init?(of connection: any StreamConnection) {
    guard !(connection is IngestUnixSocket) else {
      self = .unix
      return
    }
    guard let session = connection.localAddress.flatMap(Address.init), let feeder = connection.remoteAddress.flatMap(Address.init)
    else { return nil }
    self = .tcp(session: session, feeder: feeder)
  }
}

extension IngestRoute.Address {
  init?(_ address: SocketAddress) {
    guard !address.isIPv6 else { return nil }
    self.init(host: UInt32(truncatingIfNeeded: address.words.low), port: address.port)
  }
}
