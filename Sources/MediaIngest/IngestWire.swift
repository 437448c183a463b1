import CMediaSDK

/// The numbers of the wire, which feeder.h describes.
enum IngestWire {
  static let version: UInt16 = 2
  static let magic: [UInt8] = Array("MSDKFEED".utf8)
  static let headSize = 8
  /// As much of a HELLO as says its version, whatever that is.
  static let helloFrontSize = 16
  static let helloSize = helloFrontSize + nonceSize
  /// Of any version: the first one's ended with a token.
  static let helloSizes = helloFrontSize...helloFrontSize + 255
  static let nonceSize = 32
  static let proofSize = 32
  static let frameHeaderSize = 64
  static let slotCount = 16
  static let tokenSizes = 16...255
  /// A row may be so much longer than its pixels.
  static let mostPadding: UInt32 = 4096

  enum Message: UInt16 {
    case hello = 1
    case frame = 2
    case slot = 3
    case slotFrame = 4
    case forget = 5
    case bye = 6
    case proof = 7
    case welcome = 16
    case refused = 17
    case release = 18
    case keyFrame = 19
    case challenge = 20
  }

  static func head(_ message: Message, bodySize: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headSize + bodySize)
    bytes.append(UInt32(clamping: bodySize))
    bytes.append(message.rawValue)
    bytes.append(UInt16(0))
    return bytes
  }
}

/// Why a connection is refused or ended: MSDK_FEED_* of types.h.
public enum IngestReason: UInt32, Sendable {
  case none = 0
  case notAdmitted = 1
  case busy = 2
  case version = 3
  case malformed = 4
  case tooLarge = 5
  case format = 6
  case slot = 7
  case stalled = 8
  case crowded = 9
  case closed = 10
}

/// The end of one connection, in words that may be told to the other side.
public struct IngestRefusal: Error, Sendable, Equatable {
  /// The code that the feeder receives.
  public let reason: IngestReason
  /// In English, for the feeder and for the session's event.
  public let text: String

  /// The text names what was wrong and what is accepted; it must hold no secret, as a stranger may read it.
  public init(_ reason: IngestReason, _ text: String) {
    self.reason = reason
    self.text = text
  }

  /// The same words whatever was wrong: who guesses learns nothing.
  static let notAdmitted = IngestRefusal(.notAdmitted, "not admitted")
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeRawBufferPointer {
  /// A little-endian number; the caller has checked that it is there.
  func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
