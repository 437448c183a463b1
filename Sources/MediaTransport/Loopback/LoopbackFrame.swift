import MediaCore

/// What passes a loopback room. Its path is compiled for each of the three types of frame.
protocol LoopbackFrame: MediaFrame {
  /// To who takes such frames.
  func hand(to sink: StreamSink, _ id: FrameID)
  /// What a scripted network may cut into packets; nil: it passes whole.
  var encoded: EncodedFrame? { get }
}

extension EncodedFrame: LoopbackFrame {
  func hand(to sink: StreamSink, _ id: FrameID) { sink.encoded.receive(self, id) }
  var encoded: EncodedFrame? { self }
}

extension VideoFrame: LoopbackFrame {
  func hand(to sink: StreamSink, _ id: FrameID) { if case .video(let sink) = sink { sink.receive(self, id) } }
  var encoded: EncodedFrame? { nil }
}

extension AudioFrame: LoopbackFrame {
  func hand(to sink: StreamSink, _ id: FrameID) { if case .audio(let sink) = sink { sink.receive(self, id) } }
  var encoded: EncodedFrame? { nil }
}
