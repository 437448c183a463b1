import CMediaSDK
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// How much of a pulled producer may be queued.
public struct AudioPullOptions: Sendable {
  /// Audio that may be queued to be read, in milliseconds: 20 to 60,000, else the start throws `.range`.
  public var queueMilliseconds: UInt32 = 500
  /// Which buffer is dropped when the queue is full; `.wait` is refused with `.unsupported`.
  public var queuePolicy = QueuePolicy.dropOldest

  /// A queue of 500 ms, of which the oldest buffer is dropped.
  public init() {}

  fileprivate func check() throws(MediaError) {
    // The queue is that of an incoming stream.
    var options = IncomingAudioOptions()
    options.queueMilliseconds = queueMilliseconds
    options.queuePolicy = queuePolicy
    try options.check()
  }
}

/// An audio producer whose buffers a program reads; the same as `VideoPull`.
final class AudioPull: PumpedAudio {
  private static let inHand = 2_048
  /// plugin.h, P4.
  private static let lent = 8

  let clock: any MediaClock
  let format: AudioFormat
  private let queue: PullQueue<AudioFrame>
  private let share = FrameShare(limit: AudioPull.lent)
  private let copies: BufferPool
  private let life = PullLife()
  private let pump = Monitor<AudioProducerPump?>(nil)
  private let sequence = Monitor<UInt64>(0)

  /// Starts. `format` nil: the producer's own.
  init(
    of producer: PluginInstance, _ format: AudioFormat?, _ options: AudioPullOptions, into queue: PullQueue<AudioFrame>,
    on clock: any MediaClock
  ) throws(MediaError) {
    try options.check()
    self.clock = clock
    self.queue = queue
    self.format = try AudioProducerPump.prepare(producer, format)
    let longest = Int64(options.queueMilliseconds) * 1_000_000
    let most = IncomingAudio.mostQueued(in: longest)
    copies = BufferPool(limit: most + AudioPull.inHand - AudioPull.lent)
    let pump = try AudioProducerPump(producer, for: self)
    do throws(MediaError) {
      try life.begin {
        queue.open(capacity: most, longest: longest, policy: options.queuePolicy)
        self.pump.withLock { $0 = pump }
      }
    } catch {
      pump.close()
      throw error
    }
    pump.follow(true)
  }

  /// When it returns, the producer is down, unless the call came from the producer itself.
  func stop() {
    if life.stop() { queue.close() }
    let pump = self.pump.withLock { pump in
      defer { pump = nil }
      return pump
    }
    pump?.close()
  }

  // MARK: The pump's

  var pumpedName: String { "a pull (msdk_instance_start_pull_audio)" }
  var isStarted: Bool { pump.withLock { $0 != nil } }
  func hasRoom(for duration: Int64) -> Bool { true }
  func producerEnded() { queue.end() }
  func detachProducer() { stop() }

  func hear(_ event: PluginEvent) {
    if event.event == UInt32(MSDK_PLUGIN_EVENT_ENDED) { queue.end() }
  }

  func send(_ buffer: AudioFrame, deadline: Int64) throws(MediaError) {
    let number = sequence.withLock { sequence in
      sequence += 1
      return sequence
    }
    // What has no place is missing among the numbers of those that are read.
    guard let kept = buffer.lent(to: share) ?? buffer.copy(from: copies) else { return }
    kept.setWritable(false)
    kept.native.pointee.sequence = number
    kept.native.pointee.level = kept.computedLevel
    queue.put(kept)
  }
}

extension AudioFrame {
  /// nil when the pool is empty.
  fileprivate func copy(from pool: BufferPool) -> AudioFrame? {
    guard let copy = try? AudioFrame.make(format, sampleCount: sampleCount, from: pool, deadline: 0) else { return nil }
    copy.bytes.copyMemory(from: UnsafeRawBufferPointer(bytes))
    copy.native.pointee.duration_ns = native.pointee.duration_ns
    copy.copyIdentity(from: self)
    return copy
  }
}
