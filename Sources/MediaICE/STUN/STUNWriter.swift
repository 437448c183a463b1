import MediaCore

/// A message of STUN in the making. Its length is right after each attribute.
struct STUNWriter {
  private(set) var bytes: [UInt8] = []
  private let transaction: TransactionID

  init(_ kind: STUNMessage.Class, _ method: STUNMessage.Method, _ transaction: TransactionID) {
    self.transaction = transaction
    bytes.reserveCapacity(128)
    let (kind, method) = (kind.rawValue, method.rawValue)
    append((method & 0xF) | (method & 0x70) << 1 | (method & 0xF80) << 2 | (kind & 1) << 4 | (kind & 2) << 7)
    append(UInt16(0))
    append(STUNMessage.cookie)
    append(transaction.high)
    append(transaction.low)
  }

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// `size` is that of the value, which follows, and the padding after it.
  private mutating func begin(_ type: UInt16, size: Int) {
    append(type)
    append(UInt16(clamping: size))
    setLength(bytes.count - STUNMessage.headerSize + STUNMessage.padded(size))
  }

  private mutating func setLength(_ length: Int) {
    bytes[2] = UInt8(truncatingIfNeeded: length >> 8)
    bytes[3] = UInt8(truncatingIfNeeded: length)
  }

  mutating func add(_ type: UInt16, _ value: some Collection<UInt8>) {
    begin(type, size: value.count)
    bytes.append(contentsOf: value)
    for _ in value.count..<STUNMessage.padded(value.count) { bytes.append(0) }
  }

  mutating func add(_ type: UInt16, _ text: String) { add(type, text.utf8) }

  mutating func add(_ type: UInt16) { begin(type, size: 0) }

  mutating func add(_ type: UInt16, number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { add(type, $0) }
  }

  /// Masked (RFC 8489, section 14.2).
  mutating func add(_ type: UInt16, xor address: SocketAddress) {
    begin(type, size: address.isIPv6 ? 20 : 8)
    append(UInt16(address.isIPv6 ? 2 : 1))
    append(address.port ^ UInt16(STUNMessage.cookie >> 16))
    let (high, low) = address.words
    if address.isIPv6 {
      append(high ^ (UInt64(STUNMessage.cookie) << 32 | UInt64(transaction.high)))
      append(low ^ transaction.low)
    } else {
      append(UInt32(truncatingIfNeeded: low) ^ STUNMessage.cookie)
    }
  }

  mutating func add(_ type: UInt16, plain address: SocketAddress) {
    begin(type, size: address.isIPv6 ? 20 : 8)
    append(UInt16(address.isIPv6 ? 2 : 1))
    append(address.port)
    let (high, low) = address.words
    if address.isIPv6 { append(high) }
    if address.isIPv6 { append(low) } else { append(UInt32(truncatingIfNeeded: low)) }
  }

  mutating func add(errorCode code: Int, _ reason: String) {
    add(STUNAttribute.errorCode, [0, 0, UInt8(clamping: code / 100), UInt8(clamping: code % 100)] + Array(reason.utf8))
  }

  /// The proof that comes after what it protects. false: OpenSSL refuses, and the message must not leave.
  mutating func addIntegrity(_ key: STUNKey) -> Bool {
    let size = key.hash.size
    begin(key.hash.attribute, size: size)
    guard let proof = bytes.withUnsafeBytes({ key.proof(of: UnsafeRawBufferPointer(rebasing: $0.dropLast(4))) }) else { return false }
    bytes.append(contentsOf: proof)
    return true
  }

  mutating func addFingerprint() {
    begin(STUNAttribute.fingerprint, size: 4)
    append(bytes.withUnsafeBytes { STUNFingerprint.of(UnsafeRawBufferPointer(rebasing: $0.dropLast(4))) })
  }
}
