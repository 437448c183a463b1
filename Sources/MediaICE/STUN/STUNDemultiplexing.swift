/// What a server needs that has many agents on one socket: whose a datagram is that comes from an address not seen before.
public enum ICEDatagramKind {
  /// For the agent that has this user name: a check, which nothing is known to be true of yet.
  case check(user: String)
  /// A response, or what else STUN has: for the agent that knows the address.
  case stun
  case other

  /// Nothing is verified: whoever sends it can claim any name.
  public init(_ datagram: UnsafeRawBufferPointer) {
    guard STUNMessage.isLikely(datagram) else {
      self = .other
      return
    }
    guard let message = STUNMessage(datagram), message.kind == .request, message.method == .binding,
      let name = message.value(STUNAttribute.username), let end = name.firstIndex(of: UInt8(ascii: ":")), (4...256).contains(end)
    else {
      self = .stun
      return
    }
    self = .check(user: String(decoding: name.prefix(end), as: UTF8.self))
  }
}
