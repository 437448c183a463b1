import MediaCore

/// How application data goes to the other end: from which base to which address, and in what it is wrapped. A value, so that whoever sends
/// keeps it, until the agent says that there is another one.
public struct ICERoute: Sendable, Equatable {
  enum Wrapping: Sendable, Equatable {
    case none
    /// RFC 4571.
    case length
    case channel(UInt16, isStream: Bool)
    /// A Send indication (RFC 8656, section 11), until there is a channel.
    case indication(TransactionID)
  }

  /// The socket or the connection that sends.
  public let base: ICEBase
  /// Where bytes are sent to: the other end, or the relay.
  public let destination: SocketAddress
  /// The other end's candidate.
  public let remote: SocketAddress
  let wrapping: Wrapping
  /// By a relay of this end.
  public let isRelayed: Bool
  /// The bytes are of a stream, and one of them that is not sent breaks it.
  public let isStream: Bool

  /// Data do not go as they are: `wrap` puts something before or after them.
  public var isWrapped: Bool { wrapping != .none }

  /// So many bytes have to be free before the data.
  public static let headRoom = 48
  /// So many bytes have to be free after the data.
  public static let tailRoom = 3
  /// Of application data.
  public static let longest = 65_000

  /// Wraps the data at `payload` in place. The range of what is to be sent; nil: there is not enough room, or there is too much data.
  public func wrap(_ memory: UnsafeMutableRawBufferPointer, payload: Range<Int>) -> Range<Int>? {
    guard payload.lowerBound >= 0, payload.upperBound <= memory.count, payload.count <= ICERoute.longest else { return nil }
    switch wrapping {
    case .none: return payload
    case .length:
      guard payload.lowerBound >= 2 else { return nil }
      memory.put(UInt16(payload.count), at: payload.lowerBound - 2)
      return (payload.lowerBound - 2)..<payload.upperBound
    case .channel(let number, let isStream):
      guard payload.lowerBound >= TURNChannels.headerSize else { return nil }
      let end = isStream ? payload.lowerBound + STUNMessage.padded(payload.count) : payload.upperBound
      guard end <= memory.count else { return nil }
      memory.put(number, at: payload.lowerBound - 4)
      memory.put(UInt16(payload.count), at: payload.lowerBound - 2)
      for place in payload.upperBound..<end { memory[place] = 0 }
      return (payload.lowerBound - 4)..<end
    case .indication(let transaction): return indicate(memory, payload, transaction)
    }
  }

  private func indicate(_ memory: UnsafeMutableRawBufferPointer, _ payload: Range<Int>, _ transaction: TransactionID) -> Range<Int>? {
    var writer = STUNWriter(.indication, .send, transaction)
    writer.add(STUNAttribute.xorPeerAddress, xor: remote)
    let (front, end) = (writer.bytes.count + 4, payload.lowerBound + STUNMessage.padded(payload.count))
    guard payload.lowerBound >= front, end <= memory.count else { return nil }
    let start = payload.lowerBound - front
    UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyBytes(from: writer.bytes)
    memory.put(UInt16(end - start - STUNMessage.headerSize), at: start + 2)
    memory.put(STUNAttribute.data, at: payload.lowerBound - 4)
    memory.put(UInt16(payload.count), at: payload.lowerBound - 2)
    for place in payload.upperBound..<end { memory[place] = 0 }
    return start..<end
  }
}

extension UnsafeMutableRawBufferPointer {
  func put(_ value: UInt16, at offset: Int) { storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self) }
}
