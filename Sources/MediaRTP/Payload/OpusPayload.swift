/// What the first byte of a packet of Opus tells (RFC 6716, section 3.1), which is all of its payload format (RFC 7587, section 4.2): one packet
/// of Opus is one of RTP, stamped at 48 kHz whatever the sampling rate.
public struct OpusTOC: Sendable, Equatable {
  public static let clockRate: UInt32 = 48_000
  /// 120 ms.
  public static let longest = 5_760

  /// Samples at 48 kHz.
  public let duration: Int
  public let isStereo: Bool
  /// Whether it holds a CELT layer only, which has no forward error correction.
  public let isCELT: Bool

  public init(parsing packet: UnsafeRawBufferPointer) throws(PacketError) {
    guard let toc = packet.first else { throw PacketError("Opus: an empty packet") }
    let configuration = toc >> 3
    let frame =
      switch configuration {
      // SILK: 10, 20, 40, 60 ms.
      case 0..<12: [480, 960, 1920, 2880][Int(configuration & 3)]
      // Hybrid: 10, 20 ms.
      case 12..<16: configuration & 1 == 0 ? 480 : 960
      // CELT: 2.5, 5, 10, 20 ms.
      default: 120 << Int(configuration & 3)
      }
    let frames: Int
    switch toc & 3 {
    case 0: frames = 1
    case 1, 2: frames = 2
    default:
      guard packet.count > 1 else { throw PacketError("Opus: a packet of code 3 without its frame count") }
      frames = Int(packet[1] & 63)
    }
    duration = frame * frames
    guard duration > 0, duration <= OpusTOC.longest else { throw PacketError("Opus: a packet of 0 ms or of more than 120 ms") }
    isStereo = toc & 4 != 0
    isCELT = configuration >= 16
  }

  /// Nothing was said: discontinuous transmission sends a byte or two then (RFC 7587, section 3.1.3).
  public static func isSilence(_ packet: UnsafeRawBufferPointer) -> Bool {
    packet.count <= 2
  }
}
