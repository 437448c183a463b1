/// Packets sent again, in a stream of their own (RFC 4588, section 4): the payload is that of the first sending, after its sequence number.
public enum Retransmission {
  static let overhead = 2

  /// The payload's beginning; the original's payload follows.
  public static func write(_ original: SequenceNumber, to writer: inout PacketWriter) {
    writer.u16(original.rawValue)
  }

  /// The number and the payload of the first sending, borrowed. Throws where there is no number. With an empty payload it is padding.
  public static func read(_ payload: UnsafeRawBufferPointer) throws(PacketError) -> (
    original: SequenceNumber, payload: UnsafeRawBufferPointer
  ) {
    var reader = PacketReader(payload)
    // Without more it is padding, by which a way is probed.
    let number = try reader.u16()
    return (SequenceNumber(number), reader.rest)
  }
}
