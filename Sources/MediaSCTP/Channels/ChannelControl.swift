/// The messages of the Data Channel Establishment Protocol (RFC 8832, section 5).
enum ChannelControl: Equatable {
  case open(Open)
  case acknowledge

  struct Open: Equatable {
    var isOrdered = true
    var reliability = DataChannelReliability.reliable
    var priority: UInt16 = 256
    var label: [UInt8] = []
    var `protocol`: [UInt8] = []
  }

  /// The longest label and subprotocol, in bytes. The protocol has room for 65,535 of each.
  static let longest = 1024
  private static let header = 12

  /// nil: it is none, or breaks off.
  init?(_ bytes: [UInt8]) {
    func u16(_ offset: Int) -> UInt16 { UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]) }
    switch bytes.first {
    case 2: self = .acknowledge
    case 3:
      guard bytes.count >= ChannelControl.header else { return nil }
      let parameter = UInt32(u16(4)) << 16 | UInt32(u16(6))
      let (label, other) = (Int(u16(8)), Int(u16(10)))
      guard bytes.count == ChannelControl.header + label + other, label <= ChannelControl.longest, other <= ChannelControl.longest else {
        return nil
      }
      var open = Open(isOrdered: bytes[1] & 0x80 == 0, priority: u16(2))
      switch bytes[1] & 0x7f {
      case 0: open.reliability = .reliable
      // The parameter has 32 bits here, and 16 in WebRTC.
      case 1: open.reliability = .retransmissions(UInt16(clamping: parameter))
      case 2: open.reliability = .lifetime(milliseconds: parameter)
      default: return nil
      }
      open.label = Array(bytes[ChannelControl.header..<ChannelControl.header + label])
      open.protocol = Array(bytes[(ChannelControl.header + label)...])
      self = .open(open)
    default: return nil
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .acknowledge: return [2]
    case .open(let open):
      let (kind, parameter): (UInt8, UInt32) =
        switch open.reliability {
        case .reliable: (0, 0)
        case .retransmissions(let most): (1, UInt32(most))
        case .lifetime(let milliseconds): (2, milliseconds)
        }
      func u16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
      return [3, kind | (open.isOrdered ? 0 : 0x80)] + u16(Int(open.priority)) + u16(Int(parameter >> 16)) + u16(Int(parameter & 0xffff))
        + u16(open.label.count) + u16(open.protocol.count) + open.label + open.protocol
    }
  }
}
