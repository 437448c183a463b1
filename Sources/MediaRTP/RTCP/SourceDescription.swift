/// Who the sources are (RFC 3550, section 6.5): a sequence of chunks, borrowed from the packet, their texts made when asked for.
public struct SourceDescription: Sequence {
  /// What is said of one source. Other items are read over.
  public struct Chunk: Sendable, Equatable {
    var ssrc: SSRC
    /// The name that stays when the SSRC changes, and that sound and picture of one sender share.
    public var cname: String?
    /// The media description that the stream belongs to (RFC 9143, section 15).
    var mid: String?

    init(ssrc: SSRC, cname: String? = nil, mid: String? = nil) {
      (self.ssrc, self.cname, self.mid) = (ssrc, cname, mid)
    }

    private static let cnameItem: UInt8 = 1
    private static let midItem: UInt8 = 15

    fileprivate init(from reader: inout PacketReader, isChecked: Bool) throws(PacketError) {
      self.init(ssrc: SSRC(try reader.u32()))
      var size = 0
      while true {
        let item = try reader.u8()
        size += 1
        if item == 0 { break }
        let text = try reader.bytes(Int(try reader.u8()))
        size += 1 + text.count
        // What is only checked makes no text.
        guard isChecked else { continue }
        if item == Chunk.cnameItem { cname = String(decoding: text, as: UTF8.self) }
        if item == Chunk.midItem { mid = String(decoding: text, as: UTF8.self) }
      }
      // Zeros to the next word.
      _ = try reader.bytes((4 - size % 4) % 4)
    }

    fileprivate func write(to writer: inout PacketWriter) {
      writer.u32(ssrc.rawValue)
      let start = writer.count
      for (item, text) in [(Chunk.cnameItem, cname), (Chunk.midItem, mid)] {
        guard let text else { continue }
        writer.u8(item)
        writer.shortText(text)
      }
      writer.zeros(4 - (writer.count - start) % 4)
    }
  }

  private let count: UInt8
  private let body: UnsafeRawBufferPointer

  init(parsing packet: RTCPPacket) throws(PacketError) {
    (count, body) = (packet.count, packet.body)
    var reader = PacketReader(body)
    for _ in 0..<count { _ = try Chunk(from: &reader, isChecked: false) }
  }

  /// Over the chunks, in their order.
  public struct Iterator: IteratorProtocol {
    fileprivate var reader: PacketReader
    fileprivate var left: UInt8

    /// nil after the last chunk. Makes the texts of the one that it returns.
    public mutating func next() -> Chunk? {
      guard left > 0 else { return nil }
      left -= 1
      return try? Chunk(from: &reader, isChecked: true)
    }
  }

  /// The packet's bytes must outlive it.
  public func makeIterator() -> Iterator {
    Iterator(reader: PacketReader(body), left: count)
  }

  /// Of a chunk with nothing but that name.
  static func size(cname: String) -> Int { 4 + (2 + Swift.min(cname.utf8.count, 255)) / 4 * 4 + 4 }

  /// At most 31; others are left out.
  static func write(to writer: inout PacketWriter, _ chunks: [Chunk]) {
    let chunks = chunks.prefix(31)
    writer.rtcp(.sourceDescription, count: chunks.count) { writer in
      for chunk in chunks { chunk.write(to: &writer) }
    }
  }
}
