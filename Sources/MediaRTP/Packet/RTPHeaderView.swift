/// The front of a packet of RTP (RFC 3550, section 5.1), up to where the payload begins: all that SRTP needs to know, and leaves in the clear
/// (RFC 3711, section 3.1). The padding at the end is not looked at: it may be encrypted.
public struct RTPHeaderView {
  let payloadType: UInt8
  let marker: Bool
  let isPadded: Bool
  /// One more with each packet of the source, until it wraps around.
  public let sequence: SequenceNumber
  let timestamp: RTPTimestamp
  /// The source that sent the packet.
  public let ssrc: SSRC
  /// With the contributing sources and the extensions.
  public let size: Int
  /// Sources of a mix, at most 15.
  let sources: UnsafeRawBufferPointer
  /// What its profile says that it is, and the bytes (RFC 3550, section 5.3.1).
  let extensions: (profile: UInt16, block: UnsafeRawBufferPointer)?

  /// Throws for a version other than 2, and where the bytes end before the payload begins.
  public init(parsing bytes: UnsafeRawBufferPointer) throws(PacketError) {
    var reader = PacketReader(bytes)
    let (first, second) = (try reader.u8(), try reader.u8())
    guard first >> 6 == RTPHeader.version else { throw PacketError("RTP: the version is not 2") }
    (isPadded, payloadType, marker) = (first & 32 != 0, second & 127, second & 128 != 0)
    sequence = SequenceNumber(try reader.u16())
    timestamp = RTPTimestamp(try reader.u32())
    ssrc = SSRC(try reader.u32())
    sources = try reader.bytes(Int(first & 15) * 4)
    if first & 16 != 0 {
      let (profile, words) = (try reader.u16(), try reader.u16())
      extensions = (profile, try reader.bytes(Int(words) * 4))
    } else {
      extensions = nil
    }
    size = bytes.count - reader.count
  }
}
