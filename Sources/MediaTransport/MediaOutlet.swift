import MediaCore

/// Where the frames of one published stream go: `Transport.send` without the stream's look-up. Frames are borrowed. Any thread, one frame at a time.
public protocol MediaOutlet: AnyObject, Sendable {
  /// Encoded, with its number in the stream.
  func send(_ frame: EncodedFrame, _ id: FrameID) -> SendResult
  /// Raw, on a stream that was published raw.
  func send(_ frame: VideoFrame, _ id: FrameID) -> SendResult
  /// Raw, on a stream that was published raw.
  func send(_ frame: AudioFrame, _ id: FrameID) -> SendResult
}

/// Of a transport that looks its streams up.
final class TransportOutlet: MediaOutlet {
  private let transport: any Transport
  private let stream: StreamID
  /// nil: of a stream in one.
  private let layer: Int?

  init(_ transport: any Transport, _ stream: StreamID, layer: Int? = nil) {
    (self.transport, self.stream, self.layer) = (transport, stream, layer)
  }

  func send(_ frame: EncodedFrame, _ id: FrameID) -> SendResult {
    guard let layer else { return transport.send(frame, id, on: stream) }
    return transport.send(frame, id, on: stream, layer: layer)
  }
  func send(_ frame: VideoFrame, _ id: FrameID) -> SendResult { transport.send(frame, id, on: stream) }
  func send(_ frame: AudioFrame, _ id: FrameID) -> SendResult { transport.send(frame, id, on: stream) }
}
