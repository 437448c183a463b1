/// A control packet that this library knows, its lists borrowed from the bytes.
public enum RTCPMessage {
  case senderReport(SenderReport, ReportBlocks)
  case receiverReport(ReceiverReport, ReportBlocks)
  case sourceDescription(SourceDescription)
  case goodbye(Goodbye)
  case nack(GenericNACK)
  case pictureLoss(PictureLossIndication)
  case fullIntraRequest(FullIntraRequest)
  case maximumBitrate(MaximumBitrate)
  case transportFeedback(TransportFeedback)
  case extendedReport(ExtendedReport)

  /// Nothing: of a kind that is not known, or of no interest (APP).
  init?(_ packet: RTCPPacket) throws(PacketError) {
    switch (packet.type, packet.count) {
    case (.senderReport, _):
      let (report, blocks) = try SenderReport.parse(packet)
      self = .senderReport(report, blocks)
    case (.receiverReport, _):
      let (report, blocks) = try ReceiverReport.parse(packet)
      self = .receiverReport(report, blocks)
    case (.sourceDescription, _): self = .sourceDescription(try SourceDescription(parsing: packet))
    case (.goodbye, _): self = .goodbye(try Goodbye(parsing: packet))
    case (.transportLayerFeedback, GenericNACK.format): self = .nack(try GenericNACK(parsing: packet))
    case (.transportLayerFeedback, TransportFeedback.format): self = .transportFeedback(try TransportFeedback(parsing: packet))
    case (.payloadSpecificFeedback, PictureLossIndication.format): self = .pictureLoss(try PictureLossIndication(parsing: packet))
    case (.payloadSpecificFeedback, FullIntraRequest.format): self = .fullIntraRequest(try FullIntraRequest(parsing: packet))
    case (.payloadSpecificFeedback, MaximumBitrate.format):
      // Application layer feedback: whose it is, its first four bytes say.
      guard let message = try MaximumBitrate(parsing: packet) else { return nil }
      self = .maximumBitrate(message)
    case (.extendedReport, _): self = .extendedReport(try ExtendedReport(parsing: packet))
    default: return nil
    }
  }

  /// The messages of a datagram in turn. What is unknown or wrong in itself is skipped and counted: the packets beside it still count, which is
  /// why a report survives feedback that nobody here has heard of.
  public struct Iterator: IteratorProtocol {
    private var packets: RTCPPacket.Iterator
    /// Packets so far of kinds that are not known.
    public private(set) var unknown = 0
    /// Packets so far that were wrong in themselves.
    public private(set) var malformed = 0

    /// The bytes must outlive it. Throws where the lengths of the packets do not add up, and for a beginning that the form does not allow.
    public init(parsing bytes: UnsafeRawBufferPointer, _ form: RTCPForm = .reducedSize) throws(PacketError) {
      packets = try RTCPPacket.Iterator(parsing: bytes, form)
    }

    /// nil after the last message.
    public mutating func next() -> RTCPMessage? {
      while let packet = packets.next() {
        do throws(PacketError) {
          if let message = try RTCPMessage(packet) { return message }
          unknown += 1
        } catch {
          malformed += 1
        }
      }
      return nil
    }
  }
}
