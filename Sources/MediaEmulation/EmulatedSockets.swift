import MediaCore

/// A socket of an emulated machine, under the network's lock.
class EmulatedSocket {
  let descriptor: Int32
  /// The machine.
  let host: Int
  let local: SocketAddress

  init(_ descriptor: Int32, host: Int, local: SocketAddress) {
    (self.descriptor, self.host, self.local) = (descriptor, host, local)
  }

  /// Something can be read, or has ended or failed.
  var isReadable: Bool { false }
  /// Something can be written, or it is known how connecting went.
  var hasRoom: Bool { true }
}

final class EmulatedDatagramSocket: EmulatedSocket {
  var queue: [(bytes: [UInt8], from: SocketAddress)] = []
  var queuedBytes = 0
  /// Of datagrams that wait to be received; what comes beyond is lost.
  static let mostBytes = 4 << 20

  override var isReadable: Bool { !queue.isEmpty }
}

final class EmulatedListenerSocket: EmulatedSocket {
  /// Connections that wait to be accepted.
  var pending: [Int32] = []
  static let backlog = 1024
  /// Of what is written to its connections and not read.
  let window: Int

  init(_ descriptor: Int32, host: Int, local: SocketAddress, window: Int) {
    self.window = window
    super.init(descriptor, host: host, local: local)
  }

  override var isReadable: Bool { !pending.isEmpty }
}

final class EmulatedStreamSocket: EmulatedSocket {
  let remote: SocketAddress
  /// The other end's; nil until it has answered.
  var peer: Int32?
  var failure: String?
  var isShut = false
  /// Nothing is written any more.
  var isWritten = false
  /// What came and was not read.
  var inbox: [UInt8] = []
  var taken = 0
  var hasEnded = false
  /// Of the next piece that is sent, and of the next that is received.
  var sent = 0
  var expected = 0
  /// What overtook an earlier piece.
  var early: [Int: EmulatedPacket.Piece] = [:]
  /// Bytes that were written and that the other end has not read.
  var outstanding = 0
  /// As many as that are buffered.
  var window = EmulatedStreamSocket.window
  static let window = 256 << 10

  init(_ descriptor: Int32, host: Int, local: SocketAddress, remote: SocketAddress, peer: Int32? = nil) {
    (self.remote, self.peer) = (remote, peer)
    super.init(descriptor, host: host, local: local)
  }

  override var isReadable: Bool { taken < inbox.count || hasEnded || failure != nil || isShut }
  override var hasRoom: Bool { failure != nil || isShut || peer != nil && outstanding < window }
}

/// What travels. A class: it is handed from link to link.
final class EmulatedPacket {
  /// A part of a stream of bytes, by its number; the last one ends it.
  struct Piece {
    var bytes: [UInt8]
    var isLast: Bool
  }

  enum Content {
    case datagram([UInt8])
    /// A client asks to be connected; is answered by the server's socket; or nobody listens there.
    case opening(client: Int32)
    case opened(client: Int32, server: Int32)
    case refusal(client: Int32)
    case piece(Piece, number: Int, to: Int32, from: Int32)
    case reset(Int32)
  }

  let source: SocketAddress
  let destination: SocketAddress
  /// The machine that sends it.
  let host: Int
  let content: Content
  let size: Int
  /// Links that it has passed.
  var links = 0
  /// How often it was lost.
  var losses = 0

  init(_ content: Content, from source: SocketAddress, of host: Int, to destination: SocketAddress) {
    (self.content, self.source, self.host, self.destination) = (content, source, host, destination)
    size =
      switch content {
      case .datagram(let bytes): bytes.count + 28
      case .piece(let piece, _, _, _): piece.bytes.count + EmulatedPacket.headerBytes
      case .opening, .opened, .refusal, .reset: EmulatedPacket.headerBytes
      }
  }

  private static let headerBytes = 48
}
