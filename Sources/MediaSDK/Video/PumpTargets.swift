import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Who takes a video producer's frames in one format; another one follows when the format changes.
protocol PumpSink: AnyObject, Sendable {
  var format: VideoFormat { get }
  /// Borrowed. What the producer made when it was asked for it, or was held to the rate when it pushed it.
  func sendScheduled(_ frame: VideoFrame) throws(MediaError)
  /// The same of a producer whose frames come encoded; nobody else has the frame.
  func sendScheduled(_ frame: EncodedFrame) throws(MediaError)
}

/// Whom a `ProducerPump` drives a producer for. Called on the pump's worker and on threads of the producer.
protocol PumpedVideo: AnyObject, Sendable {
  var clock: any MediaClock { get }
  /// What the producer is attached to, for error texts.
  var pumpedName: String { get }
  /// Whether a size that the producer refuses is asked for anew, and an odd one cut.
  var isScreen: Bool { get }

  /// An event of the producer.
  func hear(_ event: PluginEvent)
  /// The producer has ended or failed, which an event reports.
  func producerEnded()
  /// The producer was taken away, or is destroyed.
  func detachProducer()
  /// Whether frames of that pixel format are taken without a conversion.
  func takes(_ pixelFormat: PixelFormat) -> Bool
  /// The size of a producer's frames as it is taken.
  func shared(_ format: VideoFormat) -> (width: UInt32, height: UInt32)
  /// The rate at which frames are wanted; nil while none are.
  func pacedRate() -> FrameRate?
  func mayFollow(width: UInt32, height: UInt32) -> Bool
  /// Goes over to the producer's new size: who takes its frames from then on; nil for nobody.
  func adopt(width: UInt32, height: UInt32) throws(MediaError) -> (any PumpSink)?
  /// Nothing can follow.
  func fail(_ error: MediaError)
}

/// Whom an `AudioProducerPump` drives a producer for.
protocol PumpedAudio: AnyObject, Sendable {
  var clock: any MediaClock { get }
  var pumpedName: String { get }
  var format: AudioFormat { get }
  var isStarted: Bool { get }

  func hear(_ event: PluginEvent)
  func producerEnded()
  func detachProducer()
  /// Borrowed. `.again` when there is no room.
  func send(_ buffer: AudioFrame, deadline: Int64) throws(MediaError)
  func hasRoom(for duration: Int64) -> Bool
}

extension FrameSender: PumpSink {}

extension OutgoingVideo: PumpedVideo {
  var pumpedName: String { "an outgoing stream" }
  func producerEnded() {}
  func shared(_ format: VideoFormat) -> (width: UInt32, height: UInt32) { options.shared(format) }
}

extension OutgoingAudio: PumpedAudio {
  var pumpedName: String { "an outgoing stream" }
  var isStarted: Bool { state == .started }
  func hear(_ event: PluginEvent) { pass(event) }
  func producerEnded() {}
}
