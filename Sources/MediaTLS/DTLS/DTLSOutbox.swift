/// Datagrams that wait to be taken. What is not application data shares datagrams: a flight that is sent again comes in pieces.
struct DTLSOutbox {
  /// In bytes. With the headers of IPv6, UDP and a channel of a relay it is 1,252 of the 1,280 that every path of IPv6 has.
  static let longest = 1200
  /// More are dropped, as a network would.
  static let most = 256
  private var datagrams: [[UInt8]] = []
  /// The last alert that left. Alerts are not retransmitted (RFC 6347, section 4.2.4), but who missed one can be answered with it.
  private(set) var lastAlert: [UInt8]?

  var isFull: Bool { datagrams.count >= DTLSOutbox.most }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let kind = bytes.first else { return }
    if kind == DTLSRecord.Kind.alert.rawValue { lastAlert = Array(bytes) }
    let data = DTLSRecord.Kind.applicationData.rawValue
    if let last = datagrams.last, last.count + bytes.count <= DTLSOutbox.longest, kind != data, last[0] != data {
      return datagrams[datagrams.count - 1].append(contentsOf: bytes)
    }
    if !isFull { datagrams.append(Array(bytes)) }
  }

  mutating func take() -> [UInt8]? { datagrams.isEmpty ? nil : datagrams.removeFirst() }
}
