import MediaCore

/// Types of attributes: RFC 8489, section 18.3; RFC 8445, section 16.1; RFC 8656, section 18.
enum STUNAttribute {
  static let mappedAddress: UInt16 = 0x0001
  static let username: UInt16 = 0x0006
  static let integrity: UInt16 = 0x0008
  static let errorCode: UInt16 = 0x0009
  static let unknownAttributes: UInt16 = 0x000A
  static let channelNumber: UInt16 = 0x000C
  static let lifetime: UInt16 = 0x000D
  static let xorPeerAddress: UInt16 = 0x0012
  static let data: UInt16 = 0x0013
  static let realm: UInt16 = 0x0014
  static let nonce: UInt16 = 0x0015
  static let xorRelayedAddress: UInt16 = 0x0016
  static let requestedFamily: UInt16 = 0x0017
  static let requestedTransport: UInt16 = 0x0019
  static let integrity256: UInt16 = 0x001C
  static let passwordAlgorithm: UInt16 = 0x001D
  static let xorMappedAddress: UInt16 = 0x0020
  static let priority: UInt16 = 0x0024
  static let useCandidate: UInt16 = 0x0025
  static let passwordAlgorithms: UInt16 = 0x8002
  static let software: UInt16 = 0x8022
  static let alternateServer: UInt16 = 0x8023
  static let fingerprint: UInt16 = 0x8028
  static let controlled: UInt16 = 0x8029
  static let controlling: UInt16 = 0x802A

  /// What a check of ICE may bring that must be understood.
  static func isKnownOfCheck(_ type: UInt16) -> Bool {
    switch type {
    case username, integrity, integrity256, priority, useCandidate, mappedAddress, xorMappedAddress, errorCode, unknownAttributes: true
    default: false
    }
  }
}

extension STUNMessage {
  func u32(_ type: UInt16) -> UInt32? {
    guard let value = value(type), value.count == 4 else { return nil }
    return value.u32(at: 0)
  }

  func u64(_ type: UInt16) -> UInt64? {
    guard let value = value(type), value.count == 8 else { return nil }
    return value.u64(at: 0)
  }

  /// An address that is masked by cookie and transaction (RFC 8489, section 14.2), so that no box on the path rewrites it.
  func xorAddress(_ type: UInt16) -> SocketAddress? {
    guard let value = value(type), value.count >= 8 else { return nil }
    let port = value.u16(at: 2) ^ UInt16(STUNMessage.cookie >> 16)
    switch (value[1], value.count) {
    case (1, 8): return SocketAddress(v4: value.u32(at: 4) ^ STUNMessage.cookie, port: port)
    case (2, 20):
      return SocketAddress(
        high: value.u64(at: 4) ^ (UInt64(STUNMessage.cookie) << 32 | UInt64(transaction.high)), low: value.u64(at: 12) ^ transaction.low,
        port: port)
    default: return nil
    }
  }

  /// As it is (section 14.1): MAPPED-ADDRESS, ALTERNATE-SERVER.
  func address(_ type: UInt16) -> SocketAddress? {
    guard let value = value(type), value.count >= 8 else { return nil }
    switch (value[1], value.count) {
    case (1, 8): return SocketAddress(v4: value.u32(at: 4), port: value.u16(at: 2))
    case (2, 20): return SocketAddress(high: value.u64(at: 4), low: value.u64(at: 12), port: value.u16(at: 2))
    default: return nil
    }
  }

  /// XOR-MAPPED-ADDRESS, or what servers say that are older than it.
  var mapped: SocketAddress? { xorAddress(STUNAttribute.xorMappedAddress) ?? address(STUNAttribute.mappedAddress) }

  /// 300 to 699; nil if there is none.
  var errorCode: Int? {
    guard let value = value(STUNAttribute.errorCode), value.count >= 4, (3...6).contains(value[2] & 7), value[3] < 100 else { return nil }
    return Int(value[2] & 7) * 100 + Int(value[3])
  }
}
