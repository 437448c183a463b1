import MediaCore

/// Which of the versions of one video that its publisher sends at once (simulcast) is received.
public struct JanusLayer: Sendable, Equatable {
  /// Of the sizes: 0 is the smallest, 2 the largest. The server takes the next smaller one while the publisher does not send that.
  public let substream: Int
  /// Of the rates of VP8: 0 is the lowest, 2 all of the frames.
  public let temporal: Int

  /// Both 0 to 2; what is outside is taken for the nearest of them.
  public init(substream: Int, temporal: Int) {
    (self.substream, self.temporal) = (min(max(0, substream), 2), min(max(0, temporal), 2))
  }

  /// What is received where nothing is said.
  public static let best = JanusLayer(substream: 2, temporal: 2)

  var members: [(String, JSON)] { [("substream", .whole(UInt64(substream))), ("temporal", .whole(UInt64(temporal)))] }
}

/// Layers of what is received.
extension JanusClient {
  /// Which layer of a stream is received from now on, whether it is yet or not; of one that has none nothing is said.
  public func choose(_ layer: JanusLayer, of source: JanusSource, now: Int64) {
    guard stage == .here, layers[source] != nil || layers.count < JanusClient.mostWanted else { return }
    layers[source] = layer
    tellLayers(now)
  }

  /// The server begins with the best one of each stream.
  func tellLayers(_ now: Int64) {
    guard !isOffered, let subscriber else { return }
    var streams: [JSON] = []
    for (mid, source) in sources.inKeyOrder {
      guard let layer = layers[source], layer != told[source] ?? .best, isSimulcast(source) else { continue }
      told[source] = layer
      streams.append(.object([("mid", .text(mid))] + layer.members))
    }
    if !streams.isEmpty { tell(.layer, to: subscriber, [("request", .text("configure")), ("streams", .array(streams))], now) }
  }

  private func isSimulcast(_ source: JanusSource) -> Bool {
    participants[source.feed]?.streams.contains { $0.mid == source.mid && $0.isSimulcast } == true
  }

  /// What is said of a stream begins anew with it.
  func forgetLayers() {
    let received = Set(sources.values)
    told = told.filter { received.contains($0.key) }
    layers = layers.filter { received.contains($0.key) || wanted.contains($0.key) || asked.contains($0.key) }
  }

  /// Another layer comes now.
  func takeLayer(_ data: JSON) {
    guard let mid = data.member("mid")?.string, let source = sources[mid], let substream = data.member("substream")?.whole(Int.self),
      (0...2).contains(substream)
    else { return }
    events.append(.layer(source, substream: substream))
  }
}
