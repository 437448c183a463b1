/// A decoder has lost its pictures (RFC 4585, section 6.3.1).
public struct PictureLossIndication: Sendable, Equatable {
  var sender: SSRC
  var media: SSRC

  static let format: UInt8 = 1

  init(sender: SSRC, media: SSRC) {
    (self.sender, self.media) = (sender, media)
  }

  init(parsing packet: RTCPPacket) throws(PacketError) {
    var reader = PacketReader(packet.body)
    self.init(sender: SSRC(try reader.u32()), media: SSRC(try reader.u32()))
  }

  func write(to writer: inout PacketWriter) {
    writer.rtcp(.payloadSpecificFeedback, count: Int(PictureLossIndication.format)) { writer in
      writer.u32(sender.rawValue)
      writer.u32(media.rawValue)
    }
  }
}

/// A decoder wants to begin at a key frame (RFC 5104, section 4.3.1): a sequence of commands, borrowed from the packet.
public struct FullIntraRequest: Sequence {
  /// A stream of which a key frame is requested.
  public struct Command: Sendable, Equatable {
    var media: SSRC
    /// Another for each new command, the same when it is said again.
    var number: UInt8

    init(media: SSRC, number: UInt8) {
      (self.media, self.number) = (media, number)
    }
  }

  let sender: SSRC
  private let entries: UnsafeRawBufferPointer

  static let format: UInt8 = 4

  init(parsing packet: RTCPPacket) throws(PacketError) {
    var reader = PacketReader(packet.body)
    sender = SSRC(try reader.u32())
    // The source of media in the header is not used.
    _ = try reader.u32()
    guard reader.count % 8 == 0 else { throw PacketError("FIR: half an entry") }
    entries = reader.rest
  }

  /// Over the commands, in their order.
  public struct Iterator: IteratorProtocol {
    fileprivate var reader: PacketReader

    /// nil after the last command.
    public mutating func next() -> Command? {
      guard let media = try? reader.u32(), let number = try? reader.u8(), (try? reader.u24()) != nil else { return nil }
      return Command(media: SSRC(media), number: number)
    }
  }

  /// The packet's bytes must outlive it.
  public func makeIterator() -> Iterator {
    Iterator(reader: PacketReader(entries))
  }

  static func write(to writer: inout PacketWriter, sender: SSRC, _ commands: [Command]) {
    writer.rtcp(.payloadSpecificFeedback, count: Int(format)) { writer in
      writer.u32(sender.rawValue)
      writer.u32(0)
      for command in commands {
        writer.u32(command.media.rawValue)
        writer.u8(command.number)
        writer.u24(0)
      }
    }
  }
}

/// Tells new commands from ones said again, by who sent them (RFC 5104, section 4.3.1.2). Of so many senders that it forgets some, the one heard
/// longest ago is forgotten.
struct FullIntraRequestFilter: Sendable {
  private struct Seen: Sendable {
    var sender: SSRC
    var command: FullIntraRequest.Command
  }

  /// The latest is last.
  private var seen: [Seen] = []
  private let limit: Int

  init(limit: Int = 32) {
    self.limit = max(1, limit)
    seen.reserveCapacity(self.limit)
  }

  /// Whether it is to be followed.
  mutating func accept(_ command: FullIntraRequest.Command, from sender: SSRC) -> Bool {
    var isNew = true
    if let index = seen.firstIndex(where: { $0.sender == sender && $0.command.media == command.media }) {
      isNew = seen.remove(at: index).command.number != command.number
    } else if seen.count == limit {
      seen.removeFirst()
    }
    seen.append(Seen(sender: sender, command: command))
    return isNew
  }
}
