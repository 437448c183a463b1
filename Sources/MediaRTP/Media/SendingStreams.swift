/// The streams that a session sends, by the numbers that callers have of them and by their sources. A number is never that of another stream later: in
/// its low bits it is a place, above them how often that was in use before.
struct SendingStreams {
  private struct Place {
    var stream: SendingStream?
    var uses = 0
  }

  static let capacity = 4096
  private static let bits = 12

  /// In the order in which they were added.
  private(set) var all: [SendingStream] = []
  private var places: [Place] = []
  private var sources: [SSRC: SendingStream] = [:]

  subscript(handle: Int) -> SendingStream? {
    let place = handle & (SendingStreams.capacity - 1)
    guard handle >= 0, place < places.count, let stream = places[place].stream, stream.handle == handle else { return nil }
    return stream
  }

  /// By its own source.
  func of(_ ssrc: SSRC) -> SendingStream? { sources[ssrc].flatMap { $0.settings.ssrc == ssrc ? $0 : nil } }
  /// By that of its retransmissions too.
  func using(_ ssrc: SSRC) -> SendingStream? { sources[ssrc] }

  /// Of the stream that is added next.
  var nextHandle: Int {
    let place = places.firstIndex { $0.stream == nil } ?? places.count
    return (place < places.count ? places[place].uses << SendingStreams.bits : 0) | place
  }

  /// One that was made with `nextHandle`.
  mutating func add(_ stream: SendingStream) {
    let place = stream.handle & (SendingStreams.capacity - 1)
    if place == places.count { places.append(Place()) }
    places[place].stream = stream
    all.append(stream)
    index(stream)
  }

  mutating func remove(_ stream: SendingStream) {
    let place = stream.handle & (SendingStreams.capacity - 1)
    places[place].stream = nil
    places[place].uses += 1
    all.removeAll { $0 === stream }
    forget(stream)
  }

  /// Another one in its place, under its number.
  mutating func replace(_ stream: SendingStream, by other: SendingStream) {
    places[stream.handle & (SendingStreams.capacity - 1)].stream = other
    if let place = all.firstIndex(where: { $0 === stream }) { all[place] = other }
    forget(stream)
    index(other)
  }

  /// A stream's settings are changed by `body`, its sources perhaps.
  mutating func alter(_ stream: SendingStream, _ body: () -> Void) {
    forget(stream)
    body()
    index(stream)
  }

  private mutating func index(_ stream: SendingStream) {
    sources[stream.settings.ssrc] = stream
    if let again = stream.settings.retransmission { sources[again.ssrc] = stream }
  }

  private mutating func forget(_ stream: SendingStream) {
    sources[stream.settings.ssrc] = nil
    if let again = stream.settings.retransmission { sources[again.ssrc] = nil }
  }
}
