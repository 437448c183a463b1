/// The head of a frame (RFC 6455, section 5.2), and how far its payload has come.
struct WebSocketFrame {
  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  let opcode: Opcode
  let isFinal: Bool
  /// nil: not masked.
  let mask: [UInt8]?
  let length: Int
  /// Bytes of the payload that came.
  var taken = 0

  /// Bytes of a payload of a control frame.
  static let longestControl = 125

  /// Bytes of the head, as far as they say; at least 2.
  static func headSize(_ head: [UInt8]) -> Int {
    guard head.count >= 2 else { return 2 }
    let extended =
      switch head[1] & 0x7F {
      case 126: 2
      case 127: 8
      default: 0
      }
    return 2 + extended + (head[1] & 0x80 == 0 ? 0 : 4)
  }

  /// Of a whole head. `isMasked`: what the sender's role requires (section 5.1).
  init(_ head: [UInt8], isMasked: Bool) throws(WebSocketFailure) {
    try WebSocketFrame.check(head, isMasked: isMasked)
    guard let opcode = Opcode(rawValue: head[0] & 0x0F) else { throw .malformed("a frame has the opcode \(head[0] & 0x0F)") }
    let short = Int(head[1] & 0x7F)
    let extended = head.dropFirst(2).dropLast(isMasked ? 4 : 0)
    let long = extended.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard long < 1 << 63 else { throw .malformed("a frame has a length of 64 bits") }
    // The shortest form is the only one.
    guard short < 126 || long > (short == 126 ? 125 : 65_535) else { throw .malformed("a frame has a length in more bytes than needed") }
    (self.opcode, isFinal) = (opcode, head[0] & 0x80 != 0)
    length = short < 126 ? short : Int(clamping: long)
    mask = isMasked ? Array(head.suffix(4)) : nil
  }

  /// What the first two bytes say alone, so that nothing has to follow before it is refused.
  static func check(_ head: [UInt8], isMasked: Bool) throws(WebSocketFailure) {
    guard head[0] & 0x70 == 0 else { throw .malformed("a frame has reserved bits, and no extension was agreed on") }
    guard let opcode = Opcode(rawValue: head[0] & 0x0F) else { throw .malformed("a frame has the opcode \(head[0] & 0x0F)") }
    guard head.count >= 2 else { return }
    guard (head[1] & 0x80 != 0) == isMasked else {
      throw .malformed(isMasked ? "a client's frame is not masked" : "a server's frame is masked")
    }
    guard opcode.isControl else { return }
    guard head[0] & 0x80 != 0 else { throw .malformed("a control frame is fragmented") }
    guard head[1] & 0x7F <= longestControl else { throw .malformed("a control frame has more than \(longestControl) bytes") }
  }

  /// Appends a whole frame. `mask`: of a client's, 4 bytes.
  static func write(_ opcode: Opcode, _ payload: some Collection<UInt8>, mask: [UInt8]?, to bytes: inout [UInt8]) {
    bytes.append(0x80 | opcode.rawValue)
    let flag: UInt8 = mask == nil ? 0 : 0x80
    switch payload.count {
    case ..<126: bytes.append(flag | UInt8(truncatingIfNeeded: payload.count))
    case ..<65_536:
      bytes.append(flag | 126)
      for shift in [8, 0] { bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
    default:
      bytes.append(flag | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
    }
    guard let mask, mask.count == 4 else { return bytes.append(contentsOf: payload) }
    bytes.append(contentsOf: mask)
    for (place, byte) in payload.enumerated() { bytes.append(byte ^ mask[place & 3]) }
  }
}
