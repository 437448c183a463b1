import CMediaSDK
import MediaCore
import Testing

@testable import MediaIngest

/// What a feeder sends, as bytes, and a connection to give them to.
enum FeederBytes {
  static let transmission: [UInt8] = Array(0..<20)
  static let reception: [UInt8] = Array(0..<21)

  static func rules(limits: VideoLimits = .extended) throws -> IngestRules {
    try IngestRules(
      transmission: IngestToken(transmission, argument: "transmission"), reception: IngestToken(reception, argument: "reception"),
      limits: limits, frameRate: FrameRate(30))
  }

  static func message(_ type: UInt16, _ body: [UInt8], size: UInt32? = nil, zero: UInt16 = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(size ?? UInt32(body.count))
    bytes.append(type)
    bytes.append(zero)
    return bytes + body
  }

  static let feederNonce: [UInt8] = Array(100..<132)
  static let sessionNonce: [UInt8] = Array(200..<232)
  static let tcp = IngestRoute.tcp(session: .init(host: 0x7F00_0001, port: 5000), feeder: .init(host: 0x7F00_0001, port: 40_000))

  static func hello(
    nonce: [UInt8] = feederNonce, magic: String = "MSDKFEED", version: UInt16 = 2, zero: UInt16 = 0, zeros: UInt32 = 0
  ) -> [UInt8] {
    var body = Array(magic.utf8)
    body.append(version)
    body.append(zero)
    body.append(zeros)
    return message(1, body + nonce)
  }

  static func proof(
    of token: [UInt8] = transmission, by role: IngestProof.Role = .feeder, _ route: IngestRoute = tcp,
    feederNonce: [UInt8] = feederNonce, sessionNonce: [UInt8] = sessionNonce
  ) throws -> [UInt8] {
    var exchange = IngestProof(route, sessionNonce: sessionNonce)
    exchange.feederNonce = feederNonce
    return message(7, try #require(exchange.proof(by: role, of: IngestToken(token, argument: "token"))))
  }

  struct Header {
    var format = PixelFormat.nv12.rawValue
    var width: UInt32 = 64
    var height: UInt32 = 32
    var flags: UInt32 = 0
    var timestamp: Int64 = 0
    var orientation: UInt32 = 0
    var planes: UInt32 = 2
    var strides: [UInt32] = [64, 64, 0, 0]
    var matrix: UInt32 = 1
    var fullRange: UInt32 = 1
    var payload: UInt64 = 64 * 48

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      for word in [format, width, height, flags] { bytes.append(word) }
      bytes.append(timestamp)
      for word in [orientation, planes] + strides + [matrix, fullRange] { bytes.append(word) }
      bytes.append(payload)
      return bytes
    }
  }

  static func frame(_ header: Header = Header(), size: UInt32? = nil) -> [UInt8] {
    message(2, header.bytes, size: size ?? UInt32(clamping: 64 + header.payload))
  }

  static func slot(_ id: UInt32, size: UInt64 = 65_536, zero: UInt32 = 0) -> [UInt8] {
    var body: [UInt8] = []
    body.append(id)
    body.append(zero)
    body.append(size)
    return message(3, body)
  }

  static func slotFrame(_ id: UInt32, _ header: Header = Header()) -> [UInt8] {
    var body: [UInt8] = []
    body.append(id)
    body.append(UInt32(0))
    return message(4, body + header.bytes)
  }

  static func forget(_ id: UInt32) -> [UInt8] {
    var body: [UInt8] = []
    body.append(id)
    body.append(UInt32(0))
    return message(5, body)
  }

  static let bye = message(6, [])
}

extension IngestConnection {
  static func admitted(hasSlots: Bool = false, limits: VideoLimits = .extended) throws -> IngestConnection {
    var connection = try new(by: hasSlots ? .unix : FeederBytes.tcp, limits: limits)
    _ = try connection.feed(FeederBytes.hello() + FeederBytes.proof(hasSlots ? .unix : FeederBytes.tcp))
    return connection
  }

  static func new(
    by route: IngestRoute = FeederBytes.tcp, nonce: [UInt8] = FeederBytes.sessionNonce, limits: VideoLimits = .extended, at now: Int64 = 0
  ) throws -> IngestConnection {
    IngestConnection(try FeederBytes.rules(limits: limits), by: route, nonce: nonce, at: now)
  }

  /// Gives it bytes in pieces of at most `piece`, payload too, and what came of them. A descriptor comes with the first piece.
  mutating func feed(
    _ bytes: [UInt8], descriptors: Int = 0, piece: Int = .max, at now: Int64 = 0, isTaken: Bool = false
  ) throws(IngestRefusal) -> [Event] {
    var events: [Event] = []
    var (position, more) = (0, descriptors)
    while position < bytes.count {
      let isPayload = payloadLeft > 0
      let count = min(isPayload ? payloadLeft : wanted, bytes.count - position, piece)
      let event =
        isPayload
        ? try receivedPayload(count, descriptors: more, at: now)
        : try take(bytes, position, count, descriptors: more, at: now, isTaken: isTaken)
      if let event { events.append(event) }
      position += count
      more = 0
    }
    return events
  }

  private mutating func take(
    _ bytes: [UInt8], _ position: Int, _ count: Int, descriptors: Int, at now: Int64, isTaken: Bool
  ) throws(IngestRefusal) -> Event? {
    try bytes.withUnsafeBufferPointer { all throws(IngestRefusal) in
      try receive(
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(all)[position..<position + count]), descriptors: descriptors, at: now,
        isTaken: isTaken)
    }
  }

  /// The reason for which the bytes are refused; nil when they are not.
  mutating func reason(of bytes: [UInt8], descriptors: Int = 0, at now: Int64 = 0, isTaken: Bool = false) -> IngestReason? {
    do throws(IngestRefusal) {
      _ = try feed(bytes, descriptors: descriptors, at: now, isTaken: isTaken)
      return nil
    } catch {
      return error.reason
    }
  }
}
