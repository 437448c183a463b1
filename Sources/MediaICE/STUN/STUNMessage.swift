import MediaCore

/// Of a transaction of STUN: 96 bits that cannot be guessed (RFC 8489, section 5).
struct TransactionID: Hashable, Sendable {
  let high: UInt32
  let low: UInt64
}

/// A message of STUN (RFC 8489, section 5), read where it lies: the bytes must outlive it. Its attributes are known to lie within it.
struct STUNMessage {
  enum Class: UInt16, Sendable {
    case request, indication, success, failure
  }

  enum Method: UInt16, Sendable {
    case binding = 1
    case allocate = 3
    case refresh = 4
    case send = 6
    case data = 7
    case createPermission = 8
    case channelBind = 9
  }

  static let headerSize = 20
  static let cookie: UInt32 = 0x2112_A442
  /// Of a message that brings no data of others: nothing honest is near that.
  static let longest = 2_048

  let bytes: UnsafeRawBufferPointer
  let kind: Class
  let method: Method
  let transaction: TransactionID
  /// Where the attributes end that are protected by the integrity that follows: what comes after it is ignored (section 14.5).
  private let end: Int
  /// Where these attributes begin; 0: there is none.
  private(set) var integrity = 0
  private(set) var integrity256 = 0
  private(set) var fingerprint = 0

  /// nil for what is no message of STUN, for a method that is not known, and for attributes that do not fit.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard STUNMessage.isLikely(bytes) else { return nil }
    let type = bytes.u16(at: 0)
    guard Int(bytes.u16(at: 2)) == bytes.count - STUNMessage.headerSize, bytes.count % 4 == 0,
      let kind = Class(rawValue: (type >> 4 & 1) | (type >> 7 & 2)),
      let method = Method(rawValue: (type & 0xF) | (type >> 1 & 0x70) | (type >> 2 & 0xF80)),
      bytes.count <= STUNMessage.longest || method == .data && kind == .indication
    else { return nil }
    (self.bytes, self.kind, self.method) = (bytes, kind, method)
    transaction = TransactionID(high: bytes.u32(at: 8), low: bytes.u64(at: 12))
    var (offset, end) = (STUNMessage.headerSize, 0)
    while offset < bytes.count {
      let (type, size) = (bytes.u16(at: offset), Int(bytes.u16(at: offset + 2)))
      guard offset + 4 + STUNMessage.padded(size) <= bytes.count else { return nil }
      // Nothing follows a fingerprint (section 14.7).
      guard fingerprint == 0 else { return nil }
      switch type {
      case STUNAttribute.integrity:
        guard size == 20, integrity == 0, integrity256 == 0 else { return nil }
        integrity = offset
      case STUNAttribute.integrity256:
        guard (16...32).contains(size), size % 4 == 0, integrity256 == 0 else { return nil }
        integrity256 = offset
      case STUNAttribute.fingerprint:
        guard size == 4 else { return nil }
        fingerprint = offset
      default: break
      }
      if end == 0, integrity != 0 || integrity256 != 0 || fingerprint != 0 { end = offset }
      offset += 4 + STUNMessage.padded(size)
    }
    self.end = end == 0 ? bytes.count : end
  }

  /// By the first byte and the cookie: what else comes to a socket of ICE has others (RFC 7983).
  static func isLikely(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= headerSize && bytes[0] < 4 && bytes.u32(at: 4) == cookie
  }

  static func padded(_ size: Int) -> Int { (size + 3) & ~3 }

  /// The value of the first of these attributes (section 14: others of its type are ignored).
  func value(_ type: UInt16) -> UnsafeRawBufferPointer? {
    var offset = STUNMessage.headerSize
    while offset < end {
      let size = Int(bytes.u16(at: offset + 2))
      if bytes.u16(at: offset) == type { return UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<(offset + 4 + size)]) }
      offset += 4 + STUNMessage.padded(size)
    }
    return nil
  }

  func has(_ type: UInt16) -> Bool { value(type) != nil }

  /// Attributes that must be understood and are not (section 6.3): at most 8 of them.
  func unknown(besides known: (UInt16) -> Bool) -> [UInt16] {
    var (offset, found): (Int, [UInt16]) = (STUNMessage.headerSize, [])
    while offset < end, found.count < 8 {
      let type = bytes.u16(at: offset)
      if type < 0x8000, !known(type), !found.contains(type) { found.append(type) }
      offset += 4 + STUNMessage.padded(Int(bytes.u16(at: offset + 2)))
    }
    return found
  }
}

extension UnsafeRawBufferPointer {
  func u16(at offset: Int) -> UInt16 { UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)) }
  func u32(at offset: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
  func u64(at offset: Int) -> UInt64 { UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
}
