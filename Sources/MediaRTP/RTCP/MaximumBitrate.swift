/// The receiver's estimate of what the path carries, REMB (draft-alvestrand-rmcat-remb-03, section 2.2), borrowed from the packet.
public struct MaximumBitrate {
  let sender: SSRC
  /// Bits in a second, of all those sources together: as much as can be said, where more was said than that.
  public let bitrate: Int
  /// The streams that share the bitrate.
  public let sources: SSRCList

  /// Application layer feedback (RFC 4585, section 6.4).
  static let format: UInt8 = 15
  /// "REMB"
  private static let identifier: UInt32 = 0x5245_4D42
  private static let mantissaBits = 18

  /// Nothing: another application's feedback.
  init?(parsing packet: RTCPPacket) throws(PacketError) {
    var reader = PacketReader(packet.body)
    sender = SSRC(try reader.u32())
    // The source of media in the header is not used.
    _ = try reader.u32()
    guard let identifier = try? reader.u32(), identifier == MaximumBitrate.identifier else { return nil }
    let count = Int(try reader.u8())
    let word = try reader.u24()
    let (exponent, mantissa) = (Int(word >> MaximumBitrate.mantissaBits), Int(word & 0x3FFFF))
    bitrate = mantissa.leadingZeroBitCount > exponent ? mantissa << exponent : Int.max
    sources = SSRCList(try reader.bytes(count * 4))
  }

  /// Rounded down to 18 bits of precision. At most 255 sources; others are left out.
  static func write(to writer: inout PacketWriter, sender: SSRC, bitrate: Int, _ sources: [SSRC]) {
    let (sources, bitrate) = (sources.prefix(255), max(0, bitrate))
    let exponent = max(0, Int.bitWidth - bitrate.leadingZeroBitCount - mantissaBits)
    writer.rtcp(.payloadSpecificFeedback, count: Int(format)) { writer in
      writer.u32(sender.rawValue)
      writer.u32(0)
      writer.u32(identifier)
      writer.u8(UInt8(truncatingIfNeeded: sources.count))
      writer.u24(UInt32(truncatingIfNeeded: exponent << mantissaBits | bitrate >> exponent))
      for source in sources { writer.u32(source.rawValue) }
    }
  }
}
