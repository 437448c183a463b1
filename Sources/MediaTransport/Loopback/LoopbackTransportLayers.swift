import MediaCore

/// Streams in several layers, of which each receiver gets one at a time. Under a scripted network all get the best that comes.
extension LoopbackTransport {
  /// By which a layer of a stream that this session publishes is sent; the best for a layer that there is not, and the whole of a stream in one.
  public func outlet(of stream: StreamID, layer: Int) -> any MediaOutlet {
    guard let room = room.withLock({ $0 }), let figures = room.layers(of: stream), let route = route(of: stream) else {
      return outlet(of: stream)
    }
    return LoopbackLayerOutlet(self, stream, min(max(0, layer), figures.layers.count - 1), figures, route)
  }

  /// What is known of the layers of a stream of the room; none: it has one alone.
  package func layers(of stream: StreamID) -> [LayerFigures.Layer] {
    room.withLock { $0 }?.layers(of: stream)?.layers ?? []
  }

  /// The best layer of a stream that is received which this member's path allows.
  package func allow(_ layer: Int, of stream: StreamID) { room.withLock { $0 }?.layers(of: stream, at: self)?.allow(layer) }

  /// The best layer of a stream that is received which this member chooses. What nobody chooses its publisher need not send (`layers`).
  package func choose(_ layer: Int, of stream: StreamID) {
    guard let room = room.withLock({ $0 }), let layers = room.layers(of: stream, at: self) else { return }
    layers.choose(layer)
    room.followDemand(stream)
  }

  fileprivate func carry(
    _ frame: EncodedFrame, _ id: FrameID, of layer: Int, _ figures: LayerFigures, on stream: StreamID, along route: LoopbackRoute
  ) -> SendResult {
    guard !route.isOver else { return .notConnected }
    let flow = figures.note(frame, of: layer)
    // What is of use to whom follows from the sizes.
    if flow.isNewSize, let room = room.withLock({ $0 }) { loop.post { room.followDemand(stream) } }
    guard !route.receivers.isEmpty else { return .noReceiver }
    let (bytes, time) = (frame.byteCount, frame.native.pointee.timestamp_ns)
    var needsKeyFrame = false
    defer { if needsKeyFrame { post(.keyFrameRequested(stream)) } }
    if route.script != nil {
      switch figures.shared.take(id, of: layer, isKeyFrame: frame.isKeyFrame, at: time, flow) {
      case .passes(let number): return carry(frame, number, on: stream, along: route)
      case .needsKeyFrame: needsKeyFrame = true
      case .skipped: break
      }
      return .sent
    }
    let packets = UInt64(NetworkLink.packets(bytes: bytes))
    traffic.countSent(bytes: bytes, packets: packets)
    for receiver in route.receivers {
      switch receiver.layers?.take(id, of: layer, isKeyFrame: frame.isKeyFrame, at: time, flow) {
      case .passes(let number)?: receiver.transport.deliver(frame, number, to: receiver.sink, bytes: bytes, packets: packets)
      case .needsKeyFrame?: needsKeyFrame = true
      case .skipped?, nil: break
      }
    }
    return .sent
  }
}

/// One layer of a published stream, for who sends it: no look-up, and no lock of the room's.
private final class LoopbackLayerOutlet: MediaOutlet {
  private let transport: LoopbackTransport
  private let stream: StreamID
  private let layer: Int
  private let figures: LayerFigures
  private let route: Snapshot<LoopbackRoute>

  init(_ transport: LoopbackTransport, _ stream: StreamID, _ layer: Int, _ figures: LayerFigures, _ route: Snapshot<LoopbackRoute>) {
    (self.transport, self.stream, self.layer, self.figures, self.route) = (transport, stream, layer, figures, route)
  }

  func send(_ frame: EncodedFrame, _ id: FrameID) -> SendResult {
    route.read { transport.carry(frame, id, of: layer, figures, on: stream, along: $0) }
  }
  /// `.notConnected`: layers are of encoded streams.
  func send(_ frame: VideoFrame, _ id: FrameID) -> SendResult { .notConnected }
  /// `.notConnected`: layers are of encoded streams.
  func send(_ frame: AudioFrame, _ id: FrameID) -> SendResult { .notConnected }
}
