import MediaCore
import MediaTransport

// Parts of the state of an outgoing video stream, each of one subject, behind the stream's lock.

/// In which format the stream goes out, and what that follows from.
struct Negotiation {
  var negotiator: any Negotiator
  var estimate: UInt64 = 0
  /// By the receivers; since the stream was published as it is.
  var wanted = VideoPreference.any
  /// In which the stream is published, and what the transport lets them take, since then too.
  var layers = StreamLayers.one {
    didSet { followLayers() }
  }
  /// By anybody; else nothing is known of layers.
  var isReceived = false {
    didSet { followLayers() }
  }
  /// What the program asked for.
  var bitrate: BitrateRange

  init(_ negotiator: any Negotiator, _ bitrate: BitrateRange) {
    (self.negotiator, self.bitrate) = (negotiator, bitrate)
  }

  /// Of one start.
  mutating func begin(_ negotiator: any Negotiator, layers: StreamLayers, estimate: UInt64) {
    restart(negotiator)
    (self.layers, self.estimate) = (layers, estimate)
  }

  mutating func restart(_ negotiator: any Negotiator) {
    self.negotiator = negotiator
    forgetReceivers()
  }

  /// Nobody receives the stream as it is published now, in those layers.
  mutating func forgetReceivers(layers: StreamLayers = .one) {
    (wanted, negotiator.wanted, self.layers, isReceived) = (.any, .any, layers, false)
  }

  private mutating func followLayers() { negotiator.layerPart = isReceived ? layers.smallestPart : 1 }

  /// What the stream would have of the session's estimate.
  func share(_ options: OutgoingVideoOptions) -> BitrateAllocator.Wish {
    options.wish(bitrate, negotiator.formats, isEncoded: negotiator.isEncoded, wanted: negotiator.wanted, in: layers)
  }

  /// What the encoders of a format are to make, within that estimate (0: unlimited). `hasBest`: of several layers the best is needed here, whoever
  /// receives it.
  func plan(for format: VideoFormat?, estimate: UInt64, hasBest: Bool) -> LayerEncoding.Plan {
    let layers = isReceived || layers.layers.count == 1 ? layers : layers.unreceived
    guard let format else { return LayerEncoding.Plan(layers: layers, wish: 0, total: 0, hasBest: hasBest) }
    let paced = negotiator.wanted.paced(format)
    let wish = bitrate.bitrate(for: paced, estimate: 0, part: negotiator.wantedPart)
    let sum = LayerPlan.sum(of: layers, hasBest: hasBest)
    let affordable = bitrate.bitrate(for: paced, estimate: estimate, part: negotiator.wantedPart, times: sum)
    return LayerEncoding.Plan(layers: layers, wish: wish, total: layers.bounded(affordable, least: bitrate.least), hasBest: hasBest)
  }
}

/// Of a shared screen: the newest frame that came ahead of its time, and what is shown now.
struct ScreenFrames {
  var held: OutgoingVideo.Pending?
  var repetition = ScreenRepetition()

  mutating func takeHeld() -> [OutgoingVideo.Pending] {
    defer { held = nil }
    return held.map { [$0] } ?? []
  }
}

/// Frames that wait for the encoder, or for whoever hands frames over.
struct PendingFrames {
  private var queue = BoundedQueue<OutgoingVideo.Pending>(capacity: 16)
  /// How many of them may wait for an encoder.
  private let encodedCapacity: Int

  init(encodedCapacity: Int) {
    self.encodedCapacity = encodedCapacity
  }

  func isFull(isEncoding: Bool) -> Bool { queue.count >= (isEncoding ? encodedCapacity : queue.capacity) }

  /// When it is full, the oldest makes room and is returned.
  mutating func push(_ added: OutgoingVideo.Pending, isEncoding: Bool) -> OutgoingVideo.Pending? {
    let displaced = isFull(isEncoding: isEncoding) ? queue.pop() : nil
    return queue.push(added) ?? displaced
  }

  mutating func pop() -> OutgoingVideo.Pending? { queue.pop() }

  mutating func takeAll() -> [OutgoingVideo.Pending] { queue.takeAll() }
}
