import MediaCore

/// Streams of data that the session sends. A plain value.
struct OutgoingDataStreams {
  static let most = 256

  /// What the next part of a stream is sent with.
  struct Place: Equatable {
    let id: String
    let index: UInt64
    let recipients: [String]
  }

  private struct Stream {
    let number: UInt64
    let id: String
    let isText: Bool
    let size: UInt64?
    let recipients: [String]
    var index: UInt64 = 0
    var bytes: UInt64 = 0
    /// A part of it is being sent.
    var isBusy = true
  }

  /// Few.
  private var streams: [Stream] = []

  /// Its beginning is to be sent now, and `sent` or `cancel` follow. Throws `.full`, and `.exists` for the id of another that is open.
  mutating func begin(_ number: UInt64, id: String, _ info: DataStreamInfo, to recipients: [String]) throws(MediaError) {
    guard streams.count < OutgoingDataStreams.most else {
      throw MediaError(.full, "the session has \(streams.count) open streams of data, the maximum")
    }
    guard !streams.contains(where: { $0.id == id }) else {
      throw MediaError(.exists, "the session has an open stream of data with the id \"\(id)\"")
    }
    streams.append(Stream(number: number, id: id, isText: info.isText, size: info.size, recipients: recipients))
  }

  /// A chunk is to be sent now, and `sent` or `refused` follow. Throws `.notFound`, `.state` while another part is being sent, `.invalid` for a
  /// text that is none, `.range` for more than it began with.
  mutating func write(_ chunk: [UInt8], to number: UInt64) throws(MediaError) -> Place {
    let place = try idle(number)
    let stream = streams[place]
    guard !stream.isText || String(validating: chunk, as: UTF8.self) != nil else {
      throw MediaError(.invalid, "the chunk is not UTF-8, and the stream is a text")
    }
    if let size = stream.size, UInt64(chunk.count) > size - stream.bytes {
      let left = "\(size - stream.bytes) of the \(size) that the stream began with are left"
      throw MediaError(.range, "the chunk has \(chunk.count) bytes; \(left)")
    }
    streams[place].isBusy = true
    return Place(id: stream.id, index: stream.index, recipients: stream.recipients)
  }

  /// Its end is to be sent now, and `cancel` or `refused` follow. Throws `.notFound`, `.state` also when a complete one is not complete.
  mutating func end(_ number: UInt64, isComplete: Bool) throws(MediaError) -> Place {
    let place = try idle(number)
    let stream = streams[place]
    if isComplete, let size = stream.size, stream.bytes != size {
      throw MediaError(
        .state, "\(stream.bytes) of the \(size) bytes that the stream began with were written; accepted: all of them, or a reason")
    }
    streams[place].isBusy = true
    return Place(id: stream.id, index: stream.index, recipients: stream.recipients)
  }

  private func place(of number: UInt64) -> Int? { streams.firstIndex { $0.number == number } }

  private func idle(_ number: UInt64) throws(MediaError) -> Int {
    guard let place = place(of: number) else {
      let reasons = "it was closed, or the session has left the room"
      throw MediaError(.notFound, "\(number) is not an open stream of data that the session sends: \(reasons)")
    }
    guard !streams[place].isBusy else { throw MediaError(.state, "another thread is writing to the stream, or closing it") }
    return place
  }

  /// So many bytes of it have been sent; nil: its beginning.
  mutating func sent(_ number: UInt64, bytes: Int?) {
    guard let place = place(of: number) else { return }
    streams[place].isBusy = false
    guard let bytes else { return }
    streams[place].index += 1
    streams[place].bytes += UInt64(bytes)
  }

  /// It was not sent.
  mutating func refused(_ number: UInt64) {
    if let place = place(of: number) { streams[place].isBusy = false }
  }

  /// It has ended, or has not begun.
  mutating func cancel(_ number: UInt64) { streams.removeAll { $0.number == number } }

  /// The session has left the room.
  mutating func leave() { streams = [] }
}
