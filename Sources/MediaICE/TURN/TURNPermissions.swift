import MediaCore

/// Whose datagrams a relay lets through (RFC 8656, section 9): addresses without ports, for five minutes.
struct TURNPermissions: Sendable {
  enum State: Sendable {
    /// To be asked for.
    case wanted
    case asked
    case granted
    case refused
  }

  private struct Permission {
    var state = State.wanted
    /// When it is asked for again.
    var refresh: Int64 = 0
  }

  /// Of remote candidates there are not more.
  static let most = 160
  static let refreshAfter: Int64 = 240_000_000_000
  private var hosts: [SocketAddress: Permission] = [:]
  /// In the order in which they were wanted, so that the same seed is the same call.
  private var order: [SocketAddress] = []

  var count: Int { hosts.count }

  func state(of peer: SocketAddress) -> State? { hosts[peer.with(port: 0)]?.state }

  /// false: there are too many, or it was refused.
  mutating func want(_ peer: SocketAddress) -> Bool {
    let host = peer.with(port: 0)
    if let known = hosts[host] { return known.state != .refused }
    guard order.count < TURNPermissions.most else { return false }
    hosts[host] = Permission()
    order.append(host)
    return true
  }

  /// The next one to be asked for.
  mutating func next(now: Int64) -> SocketAddress? {
    for host in order {
      guard let one = hosts[host], one.state == .wanted || one.state == .granted && one.refresh <= now else { continue }
      hosts[host]?.state = .asked
      return host
    }
    return nil
  }

  mutating func set(_ host: SocketAddress, _ state: State, now: Int64) {
    guard hosts[host] != nil else { return }
    hosts[host] = Permission(state: state, refresh: now &+ TURNPermissions.refreshAfter)
  }

  mutating func retain(_ isUsed: (SocketAddress) -> Bool) {
    order.removeAll { host in
      guard !isUsed(host) else { return false }
      hosts[host] = nil
      return true
    }
  }

  var deadline: Int64 {
    hosts.values.reduce(.max) { soonest, one in
      switch one.state {
      case .wanted: .min
      case .granted: min(soonest, one.refresh)
      case .asked, .refused: soonest
      }
    }
  }
}
