import MediaRTP

/// By which a hub finds out whether its member is where packets come from (`PathValidation`): a packet of RTCP of its own (APP, RFC 3550, section 6.7),
/// protected like all others.
enum HubPathMessage: Equatable {
  /// To be returned to the hub, from where it came to.
  case challenge(UInt64)
  case returned(UInt64)

  static let size = 20
  private static let packetType: UInt8 = 204
  private static let name: UInt32 = 0x5041_5448  // "PATH"

  /// nil: another message.
  init?(parsing packet: UnsafeRawBufferPointer) {
    guard packet.count == HubPathMessage.size, packet[1] == HubPathMessage.packetType else { return nil }
    var reader = PacketReader(UnsafeRawBufferPointer(rebasing: packet.dropFirst(8)))
    guard let name = try? reader.u32(), name == HubPathMessage.name, let high = try? reader.u32(), let low = try? reader.u32() else {
      return nil
    }
    let value = UInt64(high) << 32 | UInt64(low)
    switch packet[0] {
    case 0x80: self = .challenge(value)
    case 0x81: self = .returned(value)
    default: return nil
    }
  }

  func write(to writer: inout PacketWriter, from ssrc: SSRC) {
    let (subtype, value): (UInt8, UInt64) =
      switch self {
      case .challenge(let value): (0, value)
      case .returned(let value): (1, value)
      }
    writer.u8(0x80 | subtype)
    writer.u8(HubPathMessage.packetType)
    writer.u16(UInt16(HubPathMessage.size / 4 - 1))
    writer.u32(ssrc.rawValue)
    writer.u32(HubPathMessage.name)
    writer.u32(UInt32(truncatingIfNeeded: value >> 32))
    writer.u32(UInt32(truncatingIfNeeded: value))
  }
}
