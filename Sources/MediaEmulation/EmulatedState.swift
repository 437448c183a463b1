import Glibc
import MediaCore
import MediaNetwork
import MediaRuntime

/// All that an emulated network is, under its lock: machines, sockets, what is on its way, and whom it drives.
struct EmulatedState {
  struct Pair: Hashable {
    let source: Int
    let destination: Int
  }

  struct Host {
    var addresses: [SocketAddress]
    var up: EmulatedLink
    var down: EmulatedLink
    var random: SeededRandom
    /// Of its environment.
    var variables: [String: String] = [:]
    /// Sockets by their ports.
    var datagrams: [UInt16: [Int32]] = [:]
    var listeners: [UInt16: [Int32]] = [:]
    var nextPort: UInt16 = 49_152
    var isStopped = false
  }

  /// A driver. A class: to change a value inside of a dictionary costs memory each time.
  final class Entry {
    let driver: any NetworkDriver
    let host: Int
    let descriptors: [Int32]
    var deadline = Int64.max
    /// Wanted while it ran.
    var wanted = Int64.max
    /// Those on which there was no room to write.
    var full: Set<Int32> = []
    /// Until then nobody looks at its descriptors.
    var restsUntil: Int64?
    /// Calls without a pause between.
    var calls = 0
    var lastCall: Int64 = 0

    init(_ driver: any NetworkDriver, host: Int, _ descriptors: [Int32]) {
      (self.driver, self.host, self.descriptors) = (driver, host, descriptors)
    }
  }

  enum Happening {
    /// As long as that is still its deadline.
    case drive(UInt64, Int64)
    case travels(EmulatedPacket)
    case calls(@Sendable () -> Void)
  }

  enum Outcome {
    case rests(until: Int64)
    case drives(UInt64, isReadable: Bool)
    /// Where nothing is locked.
    case calls(@Sendable () -> Void)
  }

  let seed: UInt64
  var hosts: [Host] = []
  /// The machines by their addresses, with port 0.
  var owners: [SocketAddress: Int] = [:]
  var between: [Pair: EmulatedLink] = [:]
  var answersName: @Sendable (NameResolver.Question) -> NameResolver.Answer? = { question in
    .failure(MediaError(.notFound, "the host name \"\(question.name)\" does not exist or has no address"))
  }
  var sockets: [Int32: EmulatedSocket] = [:]
  var nextDescriptor: Int32 = 1
  var happenings = TimeHeap<Happening>()
  var entries: [UInt64: Entry] = [:]
  /// Drivers by the descriptors that they wait for.
  var watchers: [Int32: UInt64] = [:]
  var nextTag: UInt64 = 1
  var running: UInt64?
  var thread: pthread_t?
  var isStepping = false
  var lostDatagrams = 0
  var deliveredDatagrams = 0
  var busyCalls = 0

  init(seed: UInt64) { self.seed = seed }

  mutating func schedule(_ happening: Happening, at time: Int64) {
    _ = happenings.push(happening, at: time)
  }

  /// The next that is due.
  mutating func step(at now: Int64) -> Outcome {
    while let happening = happenings.pop(dueAt: now) {
      switch happening {
      case .calls(let body): return .calls(body)
      case .travels(let packet): travel(packet, at: now)
      case .drive(let tag, let time):
        guard let entry = entries[tag], entry.deadline == time else { continue }
        return begin(tag, entry, at: now)
      }
    }
    return .rests(until: happenings.earliest ?? .max)
  }

  // MARK: Machines

  mutating func addHost(_ addresses: [SocketAddress]) throws(MediaError) -> Int {
    let id = hosts.count
    // A generator of its own for each machine, so that others change nothing for it.
    hosts.append(
      Host(
        addresses: [], up: EmulatedLink(seed: seed, "up \(id)"), down: EmulatedLink(seed: seed, "down \(id)"),
        random: SeededRandom(seed: seed, name: "host \(id)")))
    try setAddresses(addresses, of: id)
    return id
  }

  mutating func setAddresses(_ addresses: [SocketAddress], of host: Int) throws(MediaError) {
    let addresses = addresses.map { $0.with(port: 0) }
    for address in addresses where owners[address].map({ $0 != host }) == true {
      throw MediaError(.exists, "\(address.host) is the address of another machine")
    }
    for address in hosts[host].addresses { owners[address] = nil }
    for address in addresses { owners[address] = host }
    hosts[host].addresses = addresses
  }

  /// The address from which a socket sends that is bound there.
  func source(_ local: SocketAddress, of host: Int) -> SocketAddress? {
    guard EmulatedState.isAny(local) else { return local }
    return hosts[host].addresses.first { $0.isIPv6 == local.isIPv6 }?.with(port: local.port)
  }

  static func isAny(_ address: SocketAddress) -> Bool {
    let (high, low) = address.words
    return high == 0 && low == (address.isIPv6 ? 0 : 0xFFFF_0000_0000)
  }

  // MARK: Sockets

  mutating func takeDescriptor() -> Int32 {
    defer { nextDescriptor += 1 }
    return nextDescriptor
  }

  /// With a port that is free there.
  mutating func bind(
    _ address: SocketAddress, of host: Int, in ports: WritableKeyPath<Host, [UInt16: [Int32]]>, _ what: String
  ) throws(MediaError) -> SocketAddress {
    guard EmulatedState.isAny(address) || hosts[host].addresses.contains(address.with(port: 0)) else {
      throw MediaError(.io, "\(what) \(address): Cannot assign requested address")
    }
    if address.port != 0 {
      guard isFree(address, of: host, ports) else { throw MediaError(.exists, "\(what) \(address): Address already in use") }
      return address
    }
    for _ in 0..<16_384 {
      let chosen = address.with(port: hosts[host].nextPort)
      hosts[host].nextPort = chosen.port == .max ? 49_152 : chosen.port + 1
      if isFree(chosen, of: host, ports) { return chosen }
    }
    throw MediaError(.exists, "\(what) \(address): Address already in use")
  }

  private func isFree(_ address: SocketAddress, of host: Int, _ ports: WritableKeyPath<Host, [UInt16: [Int32]]>) -> Bool {
    (hosts[host][keyPath: ports][address.port] ?? []).allSatisfy { descriptor in
      guard let other = sockets[descriptor]?.local, other.isIPv6 == address.isIPv6 else { return true }
      return other != address && !EmulatedState.isAny(other) && !EmulatedState.isAny(address)
    }
  }

  /// The socket to which something that is sent there comes.
  func find(_ address: SocketAddress, of host: Int, _ ports: KeyPath<Host, [UInt16: [Int32]]>) -> EmulatedSocket? {
    for descriptor in hosts[host][keyPath: ports][address.port] ?? [] {
      guard let socket = sockets[descriptor], socket.local.isIPv6 == address.isIPv6 else { continue }
      if socket.local == address || EmulatedState.isAny(socket.local) { return socket }
    }
    return nil
  }

  mutating func forget(_ socket: EmulatedSocket) {
    sockets[socket.descriptor] = nil
    watchers[socket.descriptor] = nil
  }
}
