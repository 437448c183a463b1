/// One record of a datagram (RFC 6347, section 4.1), borrowed.
struct DTLSRecord {
  enum Kind: UInt8 {
    case changeCipherSpec = 20
    case alert = 21
    case handshake = 22
    case applicationData = 23
  }

  static let headerSize = 13
  let kind: Kind
  let epoch: UInt16
  /// With the header.
  let bytes: UnsafeRawBufferPointer
  var body: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes.dropFirst(DTLSRecord.headerSize)) }

}

/// The records of a datagram, one after the other, up to the first thing that is none. Those of other versions of the protocol and of other
/// kinds are skipped, and so are empty ones, which cannot be protected.
struct DTLSRecords: Sequence, IteratorProtocol {
  private var rest: UnsafeRawBufferPointer

  init(_ datagram: UnsafeRawBufferPointer) {
    rest = datagram
  }

  mutating func next() -> DTLSRecord? {
    while rest.count >= DTLSRecord.headerSize {
      let size = DTLSRecord.headerSize + (Int(rest[11]) << 8 | Int(rest[12]))
      guard size <= rest.count else { break }
      let bytes = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
      // 1.2 is 254.253; the first ClientHello may be in a record of 1.0, 254.255.
      guard let kind = DTLSRecord.Kind(rawValue: bytes[0]), bytes[1] == 254, bytes[2] == 253 || bytes[2] == 255,
        size > DTLSRecord.headerSize
      else { continue }
      return DTLSRecord(kind: kind, epoch: UInt16(bytes[3]) << 8 | UInt16(bytes[4]), bytes: bytes)
    }
    rest = UnsafeRawBufferPointer(rebasing: rest.prefix(0))
    return nil
  }
}
