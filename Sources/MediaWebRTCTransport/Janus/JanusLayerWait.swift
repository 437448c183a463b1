/// When a key frame is asked for, so that the server passes on the layer of a video that it was asked for. It changes layers at a key frame, and asks
/// the publisher for one only once, when it is told of the layer. Publishers give a request no heed that follows another one too soon (libwebrtc:
/// within 300 ms), as happens when two layers are passed over one after the other, or two receivers change theirs. A plain value.
struct JanusLayerWait: Sendable {
  /// When the next one is due, in nanoseconds; nil: none is.
  private(set) var next: Int64?
  private var substream: Int?
  private var count = 0

  /// Nanoseconds to the first one; twice as long to each that follows.
  static let pause: Int64 = 500_000_000
  /// The publisher may not send that layer, and each costs bandwidth, which all receivers share.
  static let most = 4

  /// From now on, for that layer; nil: it has come.
  mutating func wait(for substream: Int?, now: Int64) {
    guard substream != self.substream else { return }
    (self.substream, count) = (substream, 0)
    next = substream == nil ? nil : now &+ JanusLayerWait.pause
  }

  /// Whether one is to be asked for now, which it then is.
  mutating func isDue(now: Int64) -> Bool {
    guard let time = next, time <= now else { return false }
    count += 1
    next = count < JanusLayerWait.most ? now &+ JanusLayerWait.pause << Int64(count) : nil
    return true
  }
}
