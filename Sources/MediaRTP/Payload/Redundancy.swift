/// Packets of audio that have earlier ones with them (RFC 2198), so that one that is lost is in the next.
enum Redundancy {
  /// Blocks before the last that a payload may have. Browsers send up to two.
  static let mostBlocks = 16
  /// Of a block before the last: its length and its distance in time have so many bits.
  static let longestBlock = 0x3FF
  static let longestOffset: Int64 = 0x3FFF

  /// A payload that was read. Its bytes are borrowed.
  struct Payload {
    /// The newest packet, and its payload type.
    let type: UInt8
    let packet: UnsafeRawBufferPointer
    fileprivate let headers: UnsafeRawBufferPointer
    fileprivate let blocks: UnsafeRawBufferPointer

    /// How many earlier packets there are.
    var count: Int { headers.count / 4 }
  }

  /// An earlier packet.
  struct Block {
    let type: UInt8
    /// By so much its stamp is earlier than that of the newest.
    let offset: Int64
    let bytes: UnsafeRawBufferPointer
  }

  static func read(_ payload: UnsafeRawBufferPointer) throws(PacketError) -> Payload {
    var (at, size) = (0, 0)
    while at < payload.count, payload[at] & 0x80 != 0 {
      guard at + 4 < payload.count, at / 4 < mostBlocks else { throw PacketError("RTP: redundancy with too many blocks, or cut off") }
      size += length(payload, at)
      at += 4
    }
    guard at < payload.count, payload.count - at - 1 >= size else { throw PacketError("RTP: redundancy that is cut off") }
    let blocks = at + 1
    return Payload(
      type: payload[at], packet: .init(rebasing: payload[(blocks + size)...]), headers: .init(rebasing: payload[..<at]),
      blocks: .init(rebasing: payload[blocks..<(blocks + size)]))
  }

  /// Of the block whose header is there.
  fileprivate static func length(_ headers: UnsafeRawBufferPointer, _ at: Int) -> Int {
    Int(headers[at + 2] & 3) << 8 | Int(headers[at + 3])
  }

  /// Writes what stands before the newest packet of such a payload: one earlier packet, which was `offset` before it. Both are of that payload type.
  static func write(_ earlier: UnsafeRawBufferPointer, offset: Int64, type: UInt8, to writer: inout PacketWriter) {
    writer.u8(0x80 | type)
    writer.u16(UInt16(truncatingIfNeeded: offset << 2) | UInt16(truncatingIfNeeded: earlier.count >> 8))
    writer.u8(UInt8(truncatingIfNeeded: earlier.count))
    writer.u8(type)
    writer.bytes(earlier)
  }
}

extension Redundancy.Payload {
  /// From the earliest on. `distance`: by how many packets it is before the newest.
  func forEachEarlier(_ body: (_ distance: Int64, Redundancy.Block) -> Void) {
    var start = 0
    for at in stride(from: 0, to: headers.count, by: 4) {
      let end = start + Redundancy.length(headers, at)
      let offset = Int64(headers[at + 1]) << 6 | Int64(headers[at + 2] >> 2)
      body(Int64(count - at / 4), .init(type: headers[at] & 0x7F, offset: offset, bytes: .init(rebasing: blocks[start..<end])))
      start = end
    }
  }
}

/// The last packet of a stream of audio, which goes along with the next while the other end reports losses.
struct RedundantPacket {
  /// Fraction of packets lost, in 1/256, from which on it does: what in-band FEC and concealment hide is not worth twice the bytes.
  private static let fewest: UInt8 = 5
  /// For so long after the last such report.
  private static let lasting: Int64 = 10_000_000_000
  /// What it adds beside the packet.
  static let headers = 5
  /// Of RTP with its extensions and of SRTP, UDP and IP, about.
  private static let packetHeaders = 70

  private var bytes = [UInt8]()
  private var units: Int64 = 0
  private var ends: Int64 = .min

  /// The other end reported that part of the packets as lost.
  mutating func reported(lost fraction: UInt8, at now: Int64) {
    if fraction >= RedundantPacket.fewest { ends = now &+ RedundantPacket.lasting }
  }

  /// By how much it is before a packet of that stamp and size; nil: it does not go along with that. `room`: bytes that may be added to the packet;
  /// `target`: what may be sent in all, in bits a second, of which audio gets a quarter at most by this.
  func offset(before units: Int64, size: Int, room: Int, target: Int, at now: Int64) -> Int64? {
    let offset = units &- self.units
    guard now < ends, !bytes.isEmpty, bytes.count + RedundantPacket.headers <= room, (1...Redundancy.longestOffset).contains(offset) else {
      return nil
    }
    let whole = size + bytes.count + RedundantPacket.headers + RedundantPacket.packetHeaders
    return Int64(whole * 8 * 4) * 48_000 / offset <= Int64(target) ? offset : nil
  }

  var count: Int { bytes.count }

  func write(offset: Int64, type: UInt8, to writer: inout PacketWriter) {
    bytes.withUnsafeBytes { Redundancy.write($0, offset: offset, type: type, to: &writer) }
  }

  /// A packet was made.
  mutating func keep(_ packet: UnsafeRawBufferPointer, units: Int64) {
    bytes.removeAll(keepingCapacity: true)
    if packet.count <= Redundancy.longestBlock { bytes.append(contentsOf: packet) }
    self.units = units
  }
}
