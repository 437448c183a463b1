import MediaCore

/// Of a socket that many share: whose a datagram may be that comes from an address. First who has proven to be there, then the others in the
/// order in which they expected something from it. A pure value.
struct AddressClaims<Owner: AnyObject> {
  /// Owners of one address; of those who have proven nothing, the oldest goes for another.
  static var mostOwners: Int { 8 }
  /// Addresses of one owner; the oldest goes for another.
  static var mostAddresses: Int { 128 }

  private var claims: [SocketAddress: [Owner]] = [:]
  private var addresses: [ObjectIdentifier: [SocketAddress]] = [:]

  func owners(of address: SocketAddress) -> [Owner] { claims[address] ?? [] }

  /// The owner may get something from there.
  mutating func add(_ owner: Owner, _ address: SocketAddress) {
    var owners = claims[address] ?? []
    guard !owners.contains(where: { $0 === owner }) else { return }
    if owners.count == AddressClaims.mostOwners { forget(owners.remove(at: 1), address) }
    owners.append(owner)
    claims[address] = owners
    addresses[ObjectIdentifier(owner), default: []].append(address)
    guard let all = addresses[ObjectIdentifier(owner)], all.count > AddressClaims.mostAddresses else { return }
    drop(owner, all[0])
  }

  /// The owner has its path there: what was sent to that address was answered.
  mutating func prefer(_ owner: Owner, _ address: SocketAddress) {
    add(owner, address)
    guard let place = claims[address]?.firstIndex(where: { $0 === owner }), place > 0 else { return }
    claims[address]?.remove(at: place)
    claims[address]?.insert(owner, at: 0)
  }

  /// It gets nothing any more.
  mutating func remove(_ owner: Owner) {
    for address in addresses[ObjectIdentifier(owner)] ?? [] { drop(owner, address) }
  }

  private mutating func drop(_ owner: Owner, _ address: SocketAddress) {
    claims[address]?.removeAll { $0 === owner }
    if claims[address]?.isEmpty == true { claims[address] = nil }
    forget(owner, address)
  }

  private mutating func forget(_ owner: Owner, _ address: SocketAddress) {
    let id = ObjectIdentifier(owner)
    addresses[id]?.removeAll { $0 == address }
    if addresses[id]?.isEmpty == true { addresses[id] = nil }
  }
}
