/// The kind of a control packet: its second byte (RFC 3550, section 12.1, and the registry that goes on from there).
struct RTCPType: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  static let senderReport = RTCPType(rawValue: 200)
  static let receiverReport = RTCPType(rawValue: 201)
  static let sourceDescription = RTCPType(rawValue: 202)
  static let goodbye = RTCPType(rawValue: 203)
  static let application = RTCPType(rawValue: 204)
  /// RFC 4585, section 6.2.
  static let transportLayerFeedback = RTCPType(rawValue: 205)
  /// RFC 4585, section 6.3.
  static let payloadSpecificFeedback = RTCPType(rawValue: 206)
  /// RFC 3611.
  static let extendedReport = RTCPType(rawValue: 207)
}

/// One packet of a compound packet (RFC 3550, section 6.4.1): what the header that all kinds share says, and what follows it, borrowed.
struct RTCPPacket {
  let type: RTCPType
  /// How many reports, sources or chunks there are, the subtype of APP, or the format of a feedback message: 0..31.
  let count: UInt8
  /// Without the padding.
  let body: UnsafeRawBufferPointer

  static let headerSize = 4

  /// The next packet of a datagram.
  fileprivate init(from reader: inout PacketReader) throws(PacketError) {
    let first = try reader.u8()
    guard first >> 6 == RTPHeader.version else { throw PacketError("RTCP: the version is not 2") }
    count = first & 31
    type = RTCPType(rawValue: try reader.u8())
    var body = try reader.bytes(Int(try reader.u16()) * 4)
    if first & 32 != 0 {
      // Only the last may be padded. libwebrtc fills transport-wide feedback to whole words with padding, one to three bytes, wherever it stands.
      guard reader.isAtEnd || (type == .transportLayerFeedback && count == TransportFeedback.format) else {
        throw PacketError("RTCP: padding before the last packet")
      }
      let padding = Int(body.last ?? 0)
      guard padding > 0, padding <= body.count else { throw PacketError("RTCP: the padding is longer than the packet, or its length is 0") }
      body = UnsafeRawBufferPointer(rebasing: body.dropLast(padding))
    }
    self.body = body
  }

  /// The packets of a datagram in turn. All their headers are checked first (RFC 3550, appendix A.2): a datagram whose lengths do not add up is
  /// refused before anything of it was acted upon.
  struct Iterator: IteratorProtocol {
    private var reader: PacketReader

    init(parsing bytes: UnsafeRawBufferPointer, _ form: RTCPForm = .reducedSize) throws(PacketError) {
      reader = PacketReader(bytes)
      var ahead = reader
      let first = try RTCPPacket(from: &ahead)
      if form == .compound, first.type != .senderReport, first.type != .receiverReport {
        throw PacketError("RTCP: a compound packet that does not begin with a report")
      }
      while !ahead.isAtEnd { _ = try RTCPPacket(from: &ahead) }
    }

    mutating func next() -> RTCPPacket? {
      reader.isAtEnd ? nil : try? RTCPPacket(from: &reader)
    }
  }
}

/// What a datagram may begin with.
public enum RTCPForm: Sendable {
  /// A sender or receiver report, always (RFC 3550, section 6.1).
  case compound
  /// Anything, where that was agreed (RFC 5506).
  case reducedSize
}

extension PacketWriter {
  /// A control packet with its length, which is in words: the body must be whole words.
  mutating func rtcp(_ type: RTCPType, count: Int, _ body: (inout PacketWriter) -> Void) {
    let start = self.count
    u8(RTPHeader.version << 6 | UInt8(truncatingIfNeeded: count) & 31)
    u8(type.rawValue)
    u16(0)
    body(&self)
    u16(UInt16(truncatingIfNeeded: (self.count - start) / 4 - 1), at: start + 2)
  }

  /// A text behind a byte with its length, at most 255 bytes: what is longer ends before the character that does not fit.
  mutating func shortText(_ text: String) {
    var text = text
    while text.utf8.count > 255 { text.unicodeScalars.removeLast() }
    text.withUTF8 {
      u8(UInt8(truncatingIfNeeded: $0.count))
      bytes(UnsafeRawBufferPointer($0))
    }
  }
}

/// Sources named in a packet, borrowed from it.
public struct SSRCList: RandomAccessCollection {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of sources.
  public var endIndex: Int { bytes.count / 4 }

  /// Reads one source, of which the index is in `startIndex..<endIndex`.
  public subscript(index: Int) -> SSRC {
    SSRC(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
  }
}
