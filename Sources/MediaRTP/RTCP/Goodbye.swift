/// Sources that leave (RFC 3550, section 6.6), borrowed from the packet.
public struct Goodbye {
  /// At most 31.
  public let sources: SSRCList
  private let text: UnsafeRawBufferPointer?

  /// Why, as far as it was said.
  public var reason: String? {
    text.map { String(decoding: $0, as: UTF8.self) }
  }

  init(parsing packet: RTCPPacket) throws(PacketError) {
    var reader = PacketReader(packet.body)
    sources = SSRCList(try reader.bytes(Int(packet.count) * 4))
    text = reader.isAtEnd ? nil : try reader.bytes(Int(try reader.u8()))
  }

  /// At most 31 sources; others are left out.
  static func write(to writer: inout PacketWriter, _ sources: [SSRC], reason: String? = nil) {
    let sources = sources.prefix(31)
    writer.rtcp(.goodbye, count: sources.count) { writer in
      for source in sources { writer.u32(source.rawValue) }
      guard let reason else { return }
      let start = writer.count
      writer.shortText(reason)
      writer.zeros((4 - (writer.count - start) % 4) % 4)
    }
  }
}
