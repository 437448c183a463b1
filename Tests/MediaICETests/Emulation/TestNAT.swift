import MediaCore

@testable import MediaICE

/// How a site is connected to the public network (RFC 4787, sections 4 and 5): what a mapping depends on, and whom it lets in.
enum NATKind: CaseIterable {
  /// None: its addresses are public.
  case open
  case fullCone
  case restricted
  case portRestricted
  /// Mapping and filter depend on the address of the other end.
  case addressDependent
  /// And on its port.
  case symmetric

  /// Another mapping towards a peer than towards the server that says it.
  var isHard: Bool { self == .addressDependent || self == .symmetric }
}

/// A router of a site. A mapping ends when nothing leaves by it for 40 s.
final class TestNAT {
  private struct Mapping {
    let inside: SocketAddress
    let toward: SocketAddress?
    let port: UInt16
    var allowed: Set<SocketAddress> = []
    var used: Int64
  }

  let kind: NATKind
  let host: SocketAddress
  var hasHairpin = false
  /// Each port of the NAT's is that of this machine inside (1:1), whatever the kind.
  var machine: SocketAddress?
  private var mappings: [Mapping] = []
  private var nextPort: UInt16 = 20_000
  static let lifetime: Int64 = 40 * second

  init(_ kind: NATKind, host: String) {
    (self.kind, self.host) = (kind, address(host, 0))
  }

  /// It has lost all that it knew, and begins with other ports.
  func forget() { mappings = [] }

  /// Where a packet from inside comes from, outside.
  func leave(_ inside: SocketAddress, to remote: SocketAddress, now: Int64) -> SocketAddress {
    if inside.with(port: 0) == machine { return host.with(port: inside.port) }
    let toward: SocketAddress? =
      switch kind {
      case .addressDependent: remote.with(port: 0)
      case .symmetric: remote
      default: nil
      }
    mappings.removeAll { now - $0.used > TestNAT.lifetime }
    let index: Int
    if let known = mappings.firstIndex(where: { $0.inside == inside && $0.toward == toward }) {
      index = known
    } else {
      index = mappings.count
      mappings.append(Mapping(inside: inside, toward: toward, port: nextPort, used: now))
      nextPort += 7
    }
    mappings[index].used = now
    mappings[index].allowed.insert(kind == .restricted || kind == .addressDependent ? remote.with(port: 0) : remote)
    return host.with(port: mappings[index].port)
  }

  /// Whom a packet from outside is for; nil: nobody.
  func enter(from remote: SocketAddress, port: UInt16, now: Int64) -> SocketAddress? {
    if let machine { return machine.with(port: port) }
    guard let one = mappings.first(where: { $0.port == port && now - $0.used <= TestNAT.lifetime }) else { return nil }
    switch kind {
    case .open, .fullCone: return one.inside
    case .restricted, .addressDependent: return one.allowed.contains(remote.with(port: 0)) ? one.inside : nil
    case .portRestricted, .symmetric: return one.allowed.contains(remote) ? one.inside : nil
    }
  }
}

/// A network of its own, and how it is connected.
final class TestSite {
  let nat: TestNAT
  var blocksUDP = false
  /// Its machines do not reach each other but through the router.
  var isIsolated = false

  init(_ kind: NATKind, host: String) {
    nat = TestNAT(kind, host: host)
  }
}
