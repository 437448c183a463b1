import MediaCore

/// Messages in a stream, of which bytes come in pieces of any size. Of memory it has what came and is not complete, at most two messages.
final class MessageStream {
  enum Framing: Sendable {
    /// A length in two bytes before each (RFC 4571): candidates of ICE over TCP (RFC 6544, section 3).
    case lengths
    /// STUN, whose header has its length, and channel data, padded to four bytes (RFC 8656, section 12.5).
    case turn
  }

  private let framing: Framing
  private var memory: [UInt8] = []
  private var start = 0
  /// Nothing can be understood any more, and the connection is to be closed.
  private(set) var isBroken = false
  /// Of a message with its header and padding.
  static let longest = 65_535 + 24
  /// So much is taken at once; a reader hands on what it reads in pieces like that.
  static let longestPiece = 65_536

  init(_ framing: Framing) {
    self.framing = framing
  }

  /// false: it is broken, or holds messages that were not taken.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if start > 0 { memory.removeFirst(start) }
    start = 0
    guard !isBroken, bytes.count <= MessageStream.longestPiece, memory.count <= MessageStream.longest else {
      isBroken = true
      return false
    }
    memory.append(contentsOf: bytes)
    return true
  }

  /// The next message, as a copy, without what frames it.
  func next() -> [UInt8]? {
    guard !isBroken, memory.count - start >= 2 else { return nil }
    let (whole, content) = size()
    guard let whole else {
      isBroken = true
      return nil
    }
    guard whole > 0, memory.count - start >= whole else { return nil }
    defer { start += whole }
    return Array(memory[(start + whole - content.padded)..<(start + whole - content.padded + content.size)])
  }

  /// Of the message that begins here: with all that frames it; 0, where more must come first; nil for what is none.
  private func size() -> (whole: Int?, content: (size: Int, padded: Int)) {
    func u16(_ place: Int) -> Int { Int(memory[start + place]) << 8 | Int(memory[start + place + 1]) }
    switch framing {
    case .lengths: return (2 + u16(0), (u16(0), u16(0)))
    case .turn:
      guard memory.count - start >= 4 else { return (0, (0, 0)) }
      let length = u16(2)
      switch memory[start] {
      case 0..<4:
        guard length % 4 == 0 else { return (nil, (0, 0)) }
        return (20 + length, (20 + length, 20 + length))
      case 0x40...0x4F:
        let size = 4 + length
        return (STUNMessage.padded(size), (size, STUNMessage.padded(size)))
      default: return (nil, (0, 0))
      }
    }
  }
}

/// The datagrams of a connection of ICE over TCP (RFC 4571), for the server that reads it: it learns whose it is from the first of them
/// (`ICEDatagramKind`). One for each connection.
public final class ICEStream {
  private let stream = MessageStream(.lengths)

  /// Of a new connection.
  public init() {}

  /// So many bytes at once.
  public static let longestPiece = MessageStream.longestPiece

  /// After it, `next` until it is nil. false: the connection is to be closed.
  public func append(_ bytes: UnsafeRawBufferPointer) -> Bool { stream.append(bytes) }

  /// The next datagram, without its length; nil: more bytes must come first.
  public func next() -> [UInt8]? { stream.next() }
}
