import MediaCore
import MediaTransport

/// Streams of data of both directions, with one sequence of numbers.
struct DataStreams {
  var incoming = IncomingDataStreams()
  var outgoing = OutgoingDataStreams()
  private var lastNumber: UInt64 = 0

  mutating func take(_ part: DataStreamPart, _ content: [UInt8], from userID: String) -> Bool {
    incoming.take(part, content, from: userID) {
      lastNumber += 1
      return lastNumber
    }
  }

  mutating func open(id: String, _ info: DataStreamInfo, to recipients: [String]) throws(MediaError) -> UInt64 {
    try outgoing.begin(lastNumber + 1, id: id, info, to: recipients)
    lastNumber += 1
    return lastNumber
  }
}

/// Texts and bytes of any length for others in the room, in chunks (data_stream.h).
extension Session {
  /// Bytes of a chunk that is sent.
  public static let longestChunk = 15_000

  /// Begins a stream for everybody else in the room, or for some: its number. `id`: by which others refer to it; nil: a random one. Throws
  /// `.invalid` and `.range` for what cannot be sent, `.exists` for an id that is in use, `.full` for too many at once; else as `send`.
  public func openDataStream(_ info: DataStreamInfo, id: String? = nil, to recipients: [String] = []) throws(MediaError) -> UInt64 {
    try require(.data, "streams of data")
    if let id { try Session.checkID("id", id) }
    try Session.check(info)
    var info = info
    info.time = MediaTime.wallClock()
    if info.mimeType.isEmpty { info.mimeType = info.isText ? "text/plain" : "application/octet-stream" }
    let id = id ?? Session.makeId()
    let number = try dataStreams.withLock { streams throws(MediaError) in try streams.open(id: id, info, to: recipients) }
    do throws(MediaError) {
      try send(.begin(id: id, info), [], to: recipients)
    } catch {
      dataStreams.withLock { $0.outgoing.cancel(number) }
      throw error
    }
    dataStreams.withLock { $0.outgoing.sent(number, bytes: nil) }
    return number
  }

  /// Sends the next chunk of a stream, whole or not at all: of a text whole characters. Throws `.range` and `.invalid` for what cannot be sent,
  /// `.notFound` for a stream that is closed, `.state` while another thread writes; else as `send`.
  public func write(_ chunk: [UInt8], to stream: UInt64) throws(MediaError) {
    try require(.data, "streams of data")
    guard chunk.count <= Session.longestChunk else {
      throw MediaError(.range, "size is \(chunk.count); accepted: 0..\(Session.longestChunk)")
    }
    let place = try dataStreams.withLock { streams throws(MediaError) in try streams.outgoing.write(chunk, to: stream) }
    try send(.chunk(id: place.id, index: place.index), chunk, at: place, of: stream)
    dataStreams.withLock { $0.outgoing.sent(stream, bytes: chunk.count) }
  }

  /// Ends a stream: it is complete, or for that reason not. Throws `.state` if less was written than it began with; else as `write`.
  public func closeDataStream(_ stream: UInt64, because reason: String = "") throws(MediaError) {
    try require(.data, "streams of data")
    let place = try dataStreams.withLock { streams throws(MediaError) in try streams.outgoing.end(stream, isComplete: reason.isEmpty) }
    do throws(MediaError) {
      try send(.end(id: place.id, reason: reason, attributes: [:]), [], at: place, of: stream)
    } catch {
      // Nobody is there who could get it.
      if error.status != .again { dataStreams.withLock { $0.outgoing.cancel(stream) } }
      throw error
    }
    dataStreams.withLock { $0.outgoing.cancel(stream) }
  }

  /// Streams of that topic, or with nil of every topic, that begin from now on are received. Throws `.exists` and `.limit`.
  public func acceptDataStreams(of topic: String?) throws(MediaError) {
    try require(.data, "streams of data")
    try dataStreams.withLock { streams throws(MediaError) in try streams.incoming.accept(topic) }
  }

  /// The oldest part that has come, which is taken if it has no more bytes than that; nil: there is none, and `.dataStreamAvailable` comes when
  /// there is.
  public func readDataStream(upTo most: Int = .max) throws(MediaError) -> (message: DataStreamMessage, isTaken: Bool)? {
    try require(.data, "streams of data")
    return dataStreams.withLock { $0.incoming.read(upTo: most) }
  }

  /// Of a stream of others, until something is read after its end. Throws `.notFound`.
  public func dataStreamInfo(of stream: UInt64) throws(MediaError) -> DataStreamInfo {
    guard let info = dataStreams.withLock({ $0.incoming.info(of: stream) }) else {
      throw MediaError(.notFound, "\(stream) is not a stream of data that has come, or something was read after its end")
    }
    return info
  }

  // MARK: The room

  func take(_ part: DataStreamPart, _ content: [UInt8], from userID: String) {
    if dataStreams.withLock({ $0.take(part, content, from: userID) }) { push(.dataStreamAvailable) }
  }

  func endDataStreams(of userID: String) {
    if dataStreams.withLock({ $0.incoming.left(userID) }) { push(.dataStreamAvailable) }
  }

  func endDataStreams() {
    let isNews = dataStreams.withLock { streams in
      streams.outgoing.leave()
      return streams.incoming.leave()
    }
    if isNews { push(.dataStreamAvailable) }
  }

  // MARK: Sending

  private func send(_ part: DataStreamPart, _ bytes: [UInt8], to recipients: [String]) throws(MediaError) {
    var message = DataMessage(bytes)
    (message.recipients, message.content) = (recipients, .stream(part))
    try send(message)
  }

  /// To those of the recipients who are still here.
  private func send(
    _ part: DataStreamPart, _ bytes: [UInt8], at place: OutgoingDataStreams.Place, of stream: UInt64
  ) throws(MediaError) {
    do throws(MediaError) {
      var recipients = place.recipients
      if !recipients.isEmpty {
        let members = Set(guarded.withLock { $0.members.map(\.userID) })
        recipients.removeAll { !members.contains($0) }
        guard !recipients.isEmpty else { throw MediaError(.notFound, "no recipient of the stream is still in the room") }
      }
      try send(part, bytes, to: recipients)
    } catch {
      dataStreams.withLock { $0.outgoing.refused(stream) }
      throw error
    }
  }

  private static func check(_ info: DataStreamInfo) throws(MediaError) {
    guard !info.isText || info.name.isEmpty else {
      throw MediaError(.invalid, "name is \"\(info.name.prefix(64))\", and the stream is a text; accepted: none")
    }
    guard info.isText || info.replyTo.isEmpty && info.attachments.isEmpty else {
      throw MediaError(.invalid, "reply_to or attachments are given, and the stream is bytes; accepted: those of a text")
    }
    if !info.replyTo.isEmpty { try checkID("reply_to", info.replyTo) }
    guard info.attachments.count <= IncomingDataStreams.mostAttachments else {
      throw MediaError(.range, "there are \(info.attachments.count) attachments; accepted: up to \(IncomingDataStreams.mostAttachments)")
    }
    for attachment in info.attachments { try checkID("an attachment", attachment) }
    try check("topic", info.topic, DataMessage.longestTopic)
    try check("name", info.name, 255)
    try check("mime_type", info.mimeType, 127)
    guard info.attributes.count <= IncomingDataStreams.mostAttributes else {
      throw MediaError(.range, "there are \(info.attributes.count) attributes; accepted: up to \(IncomingDataStreams.mostAttributes)")
    }
    for (key, value) in info.attributes {
      guard !key.isEmpty else { throw MediaError(.invalid, "the key of an attribute is empty") }
      try check("the key of an attribute", key, ParticipantAttributes.longestKey)
      try check("an attribute", value, ParticipantAttributes.longestValue)
    }
  }

  private static func checkID(_ name: String, _ text: String) throws(MediaError) {
    guard IncomingDataStreams.isID(text) else {
      throw MediaError(.invalid, "\(name) has \(text.utf8.count) bytes; accepted: 1..\(IncomingDataStreams.longestId)")
    }
  }

  private static func check(_ name: String, _ text: String, _ most: Int) throws(MediaError) {
    guard text.utf8.count <= most else { throw MediaError(.invalid, "\(name) has \(text.utf8.count) bytes; accepted: up to \(most)") }
  }
}
