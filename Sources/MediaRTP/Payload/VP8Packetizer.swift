import MediaCore

/// Cuts a picture of VP8 into packets of about the same size (RFC 7741, section 4.4): the last is not a crumb, and the pacer sends even steps.
public struct VP8Packetizer {
  private let picture: UnsafeRawBufferPointer
  private var descriptor: VP8Descriptor
  private let headSize: Int
  private var offset = 0
  private var left: Int

  /// `limit` is the room for a payload, descriptor included. Of the descriptor, S and PID are told here.
  public init(_ picture: UnsafeRawBufferPointer, _ descriptor: VP8Descriptor, limit: Int) throws(PacketError) {
    guard limit > VP8Descriptor.largestSize else { throw PacketError("VP8: no room for a byte after the descriptor") }
    guard !picture.isEmpty else { throw PacketError("VP8: an empty frame") }
    self.picture = picture
    self.descriptor = descriptor
    headSize = (try? VP8FrameTag(parsing: picture))?.headSize ?? picture.count
    let room = limit - descriptor.size
    left = (picture.count + room - 1) / room
  }

  /// Packets that are still to come.
  public var count: Int { left }

  /// Writes the next payload; false when there was none left. The last one's packet bears the marker.
  public mutating func writeNext(to writer: inout PacketWriter) -> Bool {
    guard left > 0 else { return false }
    // What does not go up evenly is spread over the last ones.
    let size = (picture.count - offset) / left
    descriptor.isStart = offset == 0
    // Where the coefficients are in several partitions, only that it is one of them is known here.
    descriptor.partition = offset < headSize ? 0 : 1
    descriptor.write(to: &writer)
    writer.bytes(UnsafeRawBufferPointer(rebasing: picture[offset..<offset + size]))
    offset += size
    left -= 1
    return true
  }
}
