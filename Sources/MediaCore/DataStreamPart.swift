/// What participants send each other of a text or of bytes that come in chunks (data_stream.h). A chunk is the message's bytes.
public enum DataStreamPart: Sendable, Equatable {
  /// One begins. The id is the sender's.
  case begin(id: String, DataStreamInfo)
  /// The next chunk, counted from 0.
  case chunk(id: String, index: UInt64)
  /// It is complete, or for that reason not. The attributes are added to those it began with.
  case end(id: String, reason: String, attributes: [String: String])
}

/// What is known of a stream of data from its beginning.
public struct DataStreamInfo: Sendable, Equatable {
  /// Each chunk is UTF-8; otherwise they are any bytes.
  public var isText: Bool
  /// What it is about, for programs; empty: nothing is said.
  public var topic = ""
  /// Of a file; empty: none.
  public var name = ""
  /// Empty: nothing is said.
  public var mimeType = ""
  /// Bytes of all chunks; nil: not known.
  public var size: UInt64?
  /// Texts by key, for programs.
  public var attributes: [String: String] = [:]
  /// Of a text: the id of the stream that it responds to; empty: none.
  public var replyTo = ""
  /// Of a text: the ids of streams of bytes that belong to it.
  public var attachments: [String] = []
  /// When it began by the sender's clock: nanoseconds since 1970.
  public var time: Int64 = 0

  /// Without anything else.
  public init(isText: Bool) { self.isText = isText }
}

/// What data of a participant for others is. It is passed by value in many places, most often as `user`, so what it carries is apart.
public indirect enum DataContent: Sendable, Equatable {
  /// A program's, as it stands.
  case user
  /// A part of a remote procedure call, of which the bytes are the payload.
  case call(RemoteCallPart)
  /// A part of a stream of data, of which the bytes are the chunk.
  case stream(DataStreamPart)
  /// Any of these, encrypted from end to end (encryption.h): the bytes are the ciphertext and its tag. The index is that of the key.
  case sealed(nonce: [UInt8], index: UInt32)

  /// Bytes of its parts of any length; an empty attachment takes memory, too.
  package var weight: Int {
    let attributes: [String: String]
    var weight = 0
    switch self {
    case .stream(.begin(_, let info)):
      attributes = info.attributes
      weight = info.attachments.reduce(info.replyTo.utf8.count) { $0 + $1.utf8.count + MemoryLayout<String>.size }
    case .stream(.end(_, _, let added)): attributes = added
    case .call(.request(_, let method, _, _)): return method.utf8.count
    case .call(.failure(_, _, let text)): return text.utf8.count
    case .sealed(let nonce, _): return nonce.count
    default: return 0
    }
    return attributes.reduce(weight) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }
}
