import MediaCore

/// A request to a relay that waits for its answer.
struct TURNRequest {
  enum Kind: Equatable {
    case allocate
    /// nil: as long as the server likes; 0: no longer.
    case refresh(lifetime: UInt32?)
    case permission(SocketAddress)
    case channel(SocketAddress, UInt16)

    var method: STUNMessage.Method {
      switch self {
      case .allocate: .allocate
      case .refresh: .refresh
      case .permission: .createPermission
      case .channel: .channelBind
      }
    }

    func writer(_ id: TransactionID, _ relay: ICERelay) -> STUNWriter {
      var writer = STUNWriter(.request, method, id)
      switch self {
      case .allocate:
        // UDP (RFC 8656, section 18.7).
        writer.add(STUNAttribute.requestedTransport, [17, 0, 0, 0])
        if relay.relaysIPv6 { writer.add(STUNAttribute.requestedFamily, [2, 0, 0, 0]) }
      case .refresh(let lifetime):
        if let lifetime { writer.add(STUNAttribute.lifetime, number: lifetime) }
        if relay.relaysIPv6 { writer.add(STUNAttribute.requestedFamily, [2, 0, 0, 0]) }
      case .permission(let host): writer.add(STUNAttribute.xorPeerAddress, xor: host)
      case .channel(let peer, let number):
        writer.add(STUNAttribute.channelNumber, [UInt8(number >> 8), UInt8(truncatingIfNeeded: number), 0, 0])
        writer.add(STUNAttribute.xorPeerAddress, xor: peer)
      }
      return writer
    }
  }

  /// With another nonce each.
  static let mostAttempts = 3
  let kind: Kind
  let bytes: [UInt8]
  let attempt: Int
  let isSigned: Bool
  var schedule: STUNSchedule

  init(_ kind: Kind, _ bytes: [UInt8], attempt: Int, isSigned: Bool, isStream: Bool, now: Int64) {
    (self.kind, self.bytes, self.attempt, self.isSigned) = (kind, bytes, attempt, isSigned)
    schedule = isStream ? .stream(now: now) : .server(now: now)
  }
}
