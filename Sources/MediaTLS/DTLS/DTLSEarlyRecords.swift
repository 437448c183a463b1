/// Protected records that came before they can be read: the Finished of a flight out of order, and data after a flight that was lost. Without
/// it a lost datagram would cost the first message of SCTP, too, which is sent again after a second or more.
///
/// OpenSSL would keep some itself: a hundred, which take 17 kB each in OpenSSL 3.0.
struct DTLSEarlyRecords {
  /// Further ones are dropped.
  static let most = 8
  /// Of one record, in bytes; longer ones are dropped.
  static let longest = 2048
  private var records: [[UInt8]] = []

  mutating func append(_ record: DTLSRecord) {
    guard records.count < DTLSEarlyRecords.most, record.bytes.count <= DTLSEarlyRecords.longest else { return }
    records.append(Array(record.bytes))
  }

  /// The first one of the handshake.
  mutating func takeHandshake() -> [UInt8]? {
    records.firstIndex { $0[0] == DTLSRecord.Kind.handshake.rawValue }.map { records.remove(at: $0) }
  }

  /// The first one.
  mutating func take() -> [UInt8]? { records.isEmpty ? nil : records.removeFirst() }
}
