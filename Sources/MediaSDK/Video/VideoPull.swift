import CMediaSDK
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// How much of a pulled producer may be queued; 0 stands for the default that instance.h gives.
public struct VideoPullOptions: Sendable {
  /// Frames that may be queued to be read, 1 to 64, else the start throws `.range`; 0: 3.
  public var queueCapacity = 0
  /// Which frame is dropped when the queue is full; `.wait` is refused with `.unsupported`.
  public var queuePolicy = QueuePolicy.dropOldest

  /// The default queue, of which the oldest frame is dropped.
  public init() {}

  /// The queue is that of an incoming stream.
  fileprivate var queue: IncomingVideoOptions {
    var options = IncomingVideoOptions()
    options.queueCapacity = queueCapacity
    options.queuePolicy = queuePolicy
    return options
  }
}

/// A video producer whose frames a program reads. A producer has a pool of 8 frames, and memory that it wraps may be less: of those that are
/// queued and that the program holds, as many are the producer's own as a renderer may keep, and the others are copies. So nobody who does
/// not read, or keeps what it reads, slows the producer.
final class VideoPull: PumpedVideo {
  /// In one format.
  final class Sink: PumpSink {
    let format: VideoFormat
    private let pull: VideoPull

    fileprivate init(_ pull: VideoPull, _ format: VideoFormat) {
      self.pull = pull
      self.format = format
    }

    func sendScheduled(_ frame: VideoFrame) throws(MediaError) {
      guard frame.fits(format) else { throw MediaError(.format, "the frame is \(frame.format); agreed: \(format)") }
      pull.take(frame)
    }

    /// Refused at the start.
    func sendScheduled(_ frame: EncodedFrame) throws(MediaError) {}
  }

  private struct State {
    var pump: ProducerPump?
    /// Nil before it is started.
    var sink: Sink?
    var sequence: UInt64 = 0
  }

  private static let inHand = 32
  /// plugin.h, P4.
  private static let lent = 4
  /// Of a producer that does not say how many frames a second it makes, but is asked for them: that is usual of screens.
  private static let usualRate = FrameRate(15)

  let clock: any MediaClock
  private let queue: PullQueue<VideoFrame>
  private let followsSize: Bool
  private let isPull: Bool
  private let share = FrameShare(limit: VideoPull.lent)
  private let copies: BufferPool
  private let life = PullLife()
  private let state = Monitor(State())

  /// Starts. `format` nil: the producer's own, and the size that it changes to.
  init(
    of producer: PluginInstance, _ format: VideoFormat?, _ options: VideoPullOptions, into queue: PullQueue<VideoFrame>,
    on clock: any MediaClock
  ) throws(MediaError) {
    guard !producer.isEncodedProducer else {
      let made = "class \(producer.descriptor.id) makes encoded frames of codec \(FourCC.text(producer.producedCodec))"
      let accepted = "a producer of raw frames (encoded ones are for an outgoing stream with encoded_input and that codec)"
      throw MediaError(.unsupported, "\(made); accepted: \(accepted)")
    }
    let limits = options.queue
    try limits.check()
    self.clock = clock
    self.queue = queue
    followsSize = format == nil
    isPull = producer.isPull
    copies = BufferPool(limit: limits.rawCapacity + VideoPull.inHand - VideoPull.lent)
    let pump = try ProducerPump(producer, for: self)
    do throws(MediaError) {
      let sink = Sink(self, paced(try pump.prepare(format)))
      try life.begin {
        queue.open(capacity: limits.rawCapacity, policy: options.queuePolicy)
        state.withLock { state in
          state.pump = pump
          state.sink = sink
        }
      }
      pump.follow(sink)
    } catch {
      pump.close()
      throw error
    }
  }

  /// When it returns, the producer is down, unless the call came from the producer itself.
  func stop() {
    if life.stop() { queue.close() }
    // The sink refers to the pull.
    let pump = state.withLock { state in
      defer { (state.pump, state.sink) = (nil, nil) }
      return state.pump
    }
    pump?.close()
  }

  private func paced(_ format: VideoFormat) -> VideoFormat {
    guard isPull, !format.frameRate.isKnown else { return format }
    var format = format
    format.frameRate = VideoPull.usualRate
    return format
  }

  private func take(_ frame: VideoFrame) {
    let sequence = state.withLock { state in
      state.sequence += 1
      return state.sequence
    }
    guard let kept = frame.lent(to: share) ?? copy(frame) else { return }
    kept.setWritable(false)
    kept.native.pointee.sequence = sequence
    queue.put(kept)
  }

  /// nil when the program holds as many as it may: its number is missing among those that are read.
  private func copy(_ frame: VideoFrame) -> VideoFrame? {
    guard let copy = try? VideoFrame.make(frame.format, from: copies, deadline: 0) else { return nil }
    copy.copyIdentity(from: frame)
    guard (try? copy.copyPixels(from: frame)) != nil else {
      copy.release()
      return nil
    }
    return copy
  }

  // MARK: The pump's

  var pumpedName: String { "a pull (msdk_instance_start_pull)" }
  var isScreen: Bool { false }

  func hear(_ event: PluginEvent) {
    switch event.event {
    case UInt32(MSDK_PLUGIN_EVENT_FORMAT_CHANGED): state.withLock { $0.pump }?.formatChanged()
    case UInt32(MSDK_PLUGIN_EVENT_ENDED): queue.end()
    default: break
    }
  }

  func producerEnded() { queue.end() }
  func detachProducer() { stop() }
  func takes(_ pixelFormat: PixelFormat) -> Bool { true }
  func shared(_ format: VideoFormat) -> (width: UInt32, height: UInt32) { (format.width, format.height) }
  func pacedRate() -> FrameRate? { state.withLock { $0.sink?.format.frameRate } }
  func mayFollow(width: UInt32, height: UInt32) -> Bool { followsSize }

  func adopt(width: UInt32, height: UInt32) throws(MediaError) -> (any PumpSink)? {
    state.withLock { state in
      guard let current = state.sink else { return nil }
      guard current.format.width != width || current.format.height != height else { return current }
      var format = current.format
      (format.width, format.height) = (width, height)
      let sink = Sink(self, format)
      state.sink = sink
      return sink
    }
  }

  func fail(_ error: MediaError) { queue.end() }
}
