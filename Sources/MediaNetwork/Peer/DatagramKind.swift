/// Whose a datagram is where several protocols share a port, by its first byte (RFC 7983, section 7).
public enum DatagramKind: Sendable, Equatable {
  case stun
  case dtls
  case turnChannel
  /// RTP or RTCP, protected or not.
  case rtp

  /// nil: of none of them.
  public init?(_ datagram: UnsafeRawBufferPointer) {
    guard let first = datagram.first else { return nil }
    switch first {
    case 0...3: self = .stun
    case 20...63: self = .dtls
    case 64...79: self = .turnChannel
    case 128...191: self = .rtp
    default: return nil
    }
  }
}
