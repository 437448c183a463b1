import MediaCore
import MediaTransport

/// What has come of a stream of data (data_stream.h).
public struct DataStreamMessage: Sendable, Equatable {
  /// What it is.
  public enum Content: Sendable, Equatable {
    case began
    case chunk([UInt8])
    /// All of it has come.
    case ended
    /// No more of it comes, for that reason.
    case aborted(String)
  }

  /// The number of the stream, in one sequence of those that come and those that the session sends.
  public let stream: UInt64
  /// The sender's id of it, by which others refer to it.
  public let id: String
  /// Whose it is.
  public let userID: String
  /// With the attributes that came at the end, when that is read.
  public let info: DataStreamInfo
  /// What it is.
  public let content: Content
  /// Streams that others began since what was read before, and that are not received as there were too many.
  public let missed: UInt64
}

/// Streams of data of others, and what of them waits to be read. A plain value.
struct IncomingDataStreams {
  static let mostTopics = 256
  static let most = 256
  static let mostOfOne = 64
  /// That wait to be read, of all and of one participant.
  static let mostBytes = 33_554_432
  static let mostBytesOfOne = 8_388_608
  static let mostChunks = 16_384
  static let mostChunksOfOne = 4_096
  static let mostAttributes = 32
  static let mostAttachments = 32
  static let longestId = 128

  private struct Stream {
    let number: UInt64
    let userID: String
    let id: String
    var info: DataStreamInfo
    /// No more of it comes.
    var isOver = false
    var nextIndex: UInt64 = 0
    var bytes: UInt64 = 0
    /// That wait to be read.
    var waitingBytes = 0
    var waitingChunks = 0
  }

  private enum Item {
    case began
    case chunk([UInt8])
    case ended(attributes: [String: String])
    case aborted(String)
  }

  /// nil: every one is accepted.
  private var topics: Set<String>? = []
  /// Until their end is read; few.
  private var streams: [Stream] = []
  private var waiting = BoundedQueue<(number: UInt64, item: Item)>(
    capacity: IncomingDataStreams.mostChunks + 2 * IncomingDataStreams.most, initially: 4)
  /// Whose end was read last: its attributes can still be read.
  private var last: (number: UInt64, info: DataStreamInfo)?
  private var missed: UInt64 = 0
  /// The reader was notified that there is something, and has not found the end.
  private var isAnnounced = false

  // MARK: Topics

  /// nil: every topic. Throws `.exists`, and `.limit` for too many.
  mutating func accept(_ topic: String?) throws(MediaError) {
    guard let accepted = topics else { throw MediaError(.exists, "streams of every topic are accepted already") }
    guard let topic else { return topics = nil }
    guard !accepted.contains(topic) else { throw MediaError(.exists, "streams of the topic \"\(topic)\" are accepted already") }
    guard accepted.count < IncomingDataStreams.mostTopics else {
      throw MediaError(.limit, "\(accepted.count) topics are accepted; the maximum is \(IncomingDataStreams.mostTopics)")
    }
    topics?.insert(topic)
  }

  // MARK: What comes

  /// Whether the reader is to be notified. `number` is called for the number of a new stream.
  mutating func take(_ part: DataStreamPart, _ content: [UInt8], from userID: String, _ number: () -> UInt64) -> Bool {
    switch part {
    case .begin(let id, let info): begin(id, info, userID, number)
    case .chunk(let id, let index): if let place = place(of: id, userID) { take(content, index, place) }
    case .end(let id, let reason, let attributes): if let place = place(of: id, userID) { end(place, reason, attributes) }
    }
    return announce()
  }

  /// Of a stream of which more comes.
  private func place(of id: String, _ userID: String) -> Int? {
    streams.firstIndex { $0.id == id && $0.userID == userID && !$0.isOver }
  }

  private mutating func begin(_ id: String, _ info: DataStreamInfo, _ userID: String, _ number: () -> UInt64) {
    guard topics?.contains(info.topic) != false, IncomingDataStreams.isID(id), place(of: id, userID) == nil else { return }
    let ofOne = streams.reduce(0) { $0 + ($1.userID == userID ? 1 : 0) }
    guard streams.count < IncomingDataStreams.most, ofOne < IncomingDataStreams.mostOfOne else {
      missed += 1
      return
    }
    var stream = Stream(number: number(), userID: userID, id: id, info: info)
    stream.info.attributes = IncomingDataStreams.accepted(info.attributes)
    if !IncomingDataStreams.isID(info.replyTo) { stream.info.replyTo = "" }
    stream.info.attachments = Array(info.attachments.filter(IncomingDataStreams.isID).prefix(IncomingDataStreams.mostAttachments))
    streams.append(stream)
    _ = waiting.push((stream.number, .began))
  }

  private mutating func take(_ content: [UInt8], _ index: UInt64, _ place: Int) {
    let stream = streams[place]
    // One that comes again is no news.
    guard index >= stream.nextIndex else { return }
    guard index == stream.nextIndex else { return abort(place, "a chunk of it was lost") }
    guard content.count <= DataMessage.longestReceived else {
      return abort(place, "a chunk has \(content.count) bytes; accepted: at most \(DataMessage.longestReceived)")
    }
    if let size = stream.info.size, UInt64(content.count) > size - stream.bytes {
      return abort(place, "it is longer than the \(size) bytes that it began with")
    }
    guard !stream.info.isText || String(validating: content, as: UTF8.self) != nil else {
      return abort(place, "a chunk of the text is not UTF-8")
    }
    guard hasRoom(for: content.count, of: stream.userID) else { return abort(place, "the program did not read what came before") }
    streams[place].nextIndex += 1
    streams[place].bytes += UInt64(content.count)
    streams[place].waitingBytes += content.count
    streams[place].waitingChunks += 1
    _ = waiting.push((stream.number, .chunk(content)))
  }

  private func hasRoom(for count: Int, of userID: String) -> Bool {
    var (bytes, chunks, bytesOfOne, chunksOfOne) = (count, 1, count, 1)
    for stream in streams {
      (bytes, chunks) = (bytes + stream.waitingBytes, chunks + stream.waitingChunks)
      guard stream.userID == userID else { continue }
      (bytesOfOne, chunksOfOne) = (bytesOfOne + stream.waitingBytes, chunksOfOne + stream.waitingChunks)
    }
    return bytes <= IncomingDataStreams.mostBytes && chunks <= IncomingDataStreams.mostChunks
      && bytesOfOne <= IncomingDataStreams.mostBytesOfOne && chunksOfOne <= IncomingDataStreams.mostChunksOfOne
  }

  private mutating func end(_ place: Int, _ reason: String, _ attributes: [String: String]) {
    let stream = streams[place]
    guard reason.isEmpty else { return abort(place, reason) }
    if let size = stream.info.size, size != stream.bytes { return abort(place, "it ended after \(stream.bytes) of \(size) bytes") }
    streams[place].isOver = true
    _ = waiting.push((stream.number, .ended(attributes: attributes)))
  }

  private mutating func abort(_ place: Int, _ reason: String) {
    guard !streams[place].isOver else { return }
    streams[place].isOver = true
    _ = waiting.push((streams[place].number, .aborted(reason)))
  }

  /// Those that a program can read; the first by their keys.
  private static func accepted(_ attributes: [String: String]) -> [String: String] {
    var fit: [String: String] = [:]
    for key in attributes.keys.sorted() where (1...ParticipantAttributes.longestKey).contains(key.utf8.count) && fit.count < mostAttributes
    {
      if let value = attributes[key], value.utf8.count <= ParticipantAttributes.longestValue { fit[key] = value }
    }
    return fit
  }

  static func isID(_ text: String) -> Bool { (1...longestId).contains(text.utf8.count) }

  // MARK: Participants

  /// A participant is not here any more. Whether the reader is to be notified.
  mutating func left(_ userID: String) -> Bool {
    for place in streams.indices where streams[place].userID == userID { abort(place, "the participant has left the room") }
    return announce()
  }

  /// The session has left the room. Whether the reader is to be notified.
  mutating func leave() -> Bool {
    for place in streams.indices { abort(place, "the session has left the room") }
    return announce()
  }

  // MARK: Reading

  private mutating func announce() -> Bool {
    guard !waiting.isEmpty, !isAnnounced else { return false }
    isAnnounced = true
    return true
  }

  /// The oldest, which is taken if it has no more bytes than that. nil: there is none; the next is announced.
  mutating func read(upTo most: Int) -> (message: DataStreamMessage, isTaken: Bool)? {
    guard let (number, item) = waiting.first, let place = streams.firstIndex(where: { $0.number == number }) else {
      isAnnounced = false
      return nil
    }
    let stream = streams[place]
    var (info, content) = (stream.info, DataStreamMessage.Content.began)
    var size = 0
    switch item {
    case .began: break
    case .chunk(let bytes): (content, size) = (.chunk(bytes), bytes.count)
    case .ended(let attributes):
      content = .ended
      for (key, value) in attributes { info.attributes[key] = value }
      info.attributes = IncomingDataStreams.accepted(info.attributes)
    case .aborted(let reason): content = .aborted(reason)
    }
    let message = DataStreamMessage(
      stream: number, id: stream.id, userID: stream.userID, info: info, content: content, missed: missed)
    guard size <= most else { return (message, false) }
    _ = waiting.pop()
    (missed, last) = (0, nil)
    switch item {
    case .began: break
    case .chunk:
      streams[place].waitingBytes -= size
      streams[place].waitingChunks -= 1
    case .ended, .aborted:
      streams.remove(at: place)
      last = (number, info)
    }
    return (message, true)
  }

  /// Of a stream whose beginning has come, until something is read after its end. nil: there is none of that number.
  func info(of number: UInt64) -> DataStreamInfo? {
    streams.first { $0.number == number }?.info ?? (last?.number == number ? last?.info : nil)
  }
}
