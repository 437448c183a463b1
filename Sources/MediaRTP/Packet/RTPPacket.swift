/// The fixed header of RTP (RFC 3550, section 5.1) and the extensions that are known.
public struct RTPHeader: Sendable, Equatable {
  /// 0..127.
  var payloadType: UInt8
  /// The last packet of a picture (RFC 7741, section 4.1), the first of a talk spurt (RFC 3551, section 4.1).
  public var marker: Bool
  var sequence: SequenceNumber
  var timestamp: RTPTimestamp
  var ssrc: SSRC
  /// Those of the packet to which the session gave an id.
  public var extensions = HeaderExtensions()

  static let size = 12
  static let version: UInt8 = 2

  init(payloadType: UInt8, marker: Bool = false, sequence: SequenceNumber, timestamp: RTPTimestamp, ssrc: SSRC) {
    self.payloadType = payloadType
    self.marker = marker
    self.sequence = sequence
    self.timestamp = timestamp
    self.ssrc = ssrc
  }

  /// The payload follows it.
  func write(to writer: inout PacketWriter, _ map: ExtensionMap = ExtensionMap()) {
    let isExtended = extensions.isSpoken(map)
    writer.u8(RTPHeader.version << 6 | (isExtended ? 16 : 0))
    writer.u8((marker ? 128 : 0) | payloadType & 127)
    writer.u16(sequence.rawValue)
    writer.u32(timestamp.rawValue)
    writer.u32(ssrc.rawValue)
    if isExtended { extensions.write(to: &writer, map) }
  }
}

/// A packet as it was received, its payload borrowed from the bytes.
public struct RTPPacket {
  /// With the extensions that the map gave an id.
  public let header: RTPHeader
  /// Without the padding.
  public let payload: UnsafeRawBufferPointer
  /// Where the payload begins: what SRTP leaves in the clear lies before it.
  public let headerSize: Int
  let paddingSize: Int
  /// Sources of a mix, at most 15.
  private let sources: UnsafeRawBufferPointer

  /// The bytes must outlive the packet. Throws for a version other than 2, a header that ends early, and padding that is empty or longer
  /// than what follows the header.
  public init(parsing bytes: UnsafeRawBufferPointer, _ map: ExtensionMap = ExtensionMap()) throws(PacketError) {
    let front = try RTPHeaderView(parsing: bytes)
    var header = RTPHeader(
      payloadType: front.payloadType, marker: front.marker, sequence: front.sequence, timestamp: front.timestamp, ssrc: front.ssrc)
    if let (profile, block) = front.extensions { header.extensions = HeaderExtensions(profile: profile, block, map) }
    (self.header, headerSize, sources) = (header, front.size, front.sources)
    let rest = bytes.dropFirst(front.size)
    paddingSize = front.isPadded ? Int(rest.last ?? 0) : 0
    guard !front.isPadded || paddingSize > 0, paddingSize <= rest.count else {
      throw PacketError("RTP: the padding is longer than the packet, or its length is 0")
    }
    payload = UnsafeRawBufferPointer(rebasing: rest.dropLast(paddingSize))
  }

  /// One whose header is known already.
  init(header: RTPHeader, payload: UnsafeRawBufferPointer) {
    (self.header, self.payload) = (header, payload)
    (headerSize, paddingSize) = (RTPHeader.size, 0)
    sources = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  var contributingSources: [SSRC] {
    stride(from: 0, to: sources.count, by: 4).map { SSRC(UInt32(bigEndian: sources.loadUnaligned(fromByteOffset: $0, as: UInt32.self))) }
  }

  /// Told apart on one port by the second byte (RFC 5761, section 4): payload types 64..95 are not used by RTP.
  public static func isRTCP(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 2 && (192...223).contains(bytes[1])
  }
}
