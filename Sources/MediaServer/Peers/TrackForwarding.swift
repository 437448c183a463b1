import MediaTransport

/// A track of a client that is handed to the room as one stream: in one layer, or in several that come as streams of their own. A value.
struct TrackForwarding {
  /// As the room knows it.
  let stream: StreamID
  let isVideo: Bool
  /// At most one of each layer; a later one takes the place of the former.
  private(set) var layers: [PublisherForwarding] = []

  init(_ stream: StreamID, isVideo: Bool) { (self.stream, self.isVideo) = (stream, isVideo) }

  mutating func add(_ layer: PublisherForwarding) {
    layers.removeAll { $0.layer == layer.layer }
    layers.append(layer)
  }

  /// Whether the client's stream is one of them.
  func has(_ source: StreamID) -> Bool { layers.contains { $0.source == source } }
  func setMuted(_ isMuted: Bool) { for one in layers { one.setMuted(isMuted) } }
  /// The client's streams of which a key frame is to be asked for: those of which none is awaited.
  func toBeAsked(now: Int64) -> [StreamID] { layers.filter { $0.isToBeAsked(now: now) }.map(\.source) }
}
