import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// What a program reads of an instance that is attached to no stream; of an instance that a program made.
final class InstancePulls: Sendable {
  fileprivate let clock: any MediaClock
  fileprivate let frames = PullQueue<VideoFrame> { $0.release() }
  fileprivate let buffers = PullQueue<AudioFrame>(measure: { $0.native.pointee.duration_ns }) { $0.release() }
  fileprivate let video = Monitor<VideoPull?>(nil)
  fileprivate let audio = Monitor<AudioPull?>(nil)

  init(on clock: any MediaClock) {
    self.clock = clock
  }
}

/// A producer whose frames the program reads, without a stream. Every function may be called from any thread.
extension PluginInstance {
  private func pulls() throws(MediaError) -> InstancePulls {
    guard let pulls = pulling.withLock({ $0 }) as? InstancePulls else {
      throw MediaError(.unsupported, "the instance of \(descriptor.id) is a stream's")
    }
    return pulls
  }

  /// Starts a video producer, and queues its frames to be read. `format` nil: the producer's own.
  public func startPull(_ format: VideoFormat? = nil, _ options: VideoPullOptions = VideoPullOptions()) throws(MediaError) {
    let pulls = try pulls()
    let pull = try VideoPull(of: self, format, options, into: pulls.frames, on: pulls.clock)
    pulls.video.withLock { $0 = pull }
  }

  /// Stops and releases the producer, and lets go of what is queued. Nothing happens where it is not pulled.
  public func stopPull() throws(MediaError) {
    let pull = try pulls().video.withLock { pull in
      defer { pull = nil }
      return pull
    }
    pull?.stop()
  }

  /// The oldest frame that is queued, with a reference for the caller.
  public func read(deadline: Int64) throws(MediaError) -> VideoFrame {
    try pulls().frames.read(of: descriptor.id, deadline: deadline)
  }

  /// Readable while frames are queued, and when there will be no more.
  public func pullDescriptor() throws(MediaError) -> Int32 {
    try pulls().frames.descriptor()
  }

  /// Starts an audio producer, and queues its buffers to be read. `format` nil: the producer's own.
  public func startAudioPull(_ format: AudioFormat? = nil, _ options: AudioPullOptions = AudioPullOptions()) throws(MediaError) {
    let pulls = try pulls()
    let pull = try AudioPull(of: self, format, options, into: pulls.buffers, on: pulls.clock)
    pulls.audio.withLock { $0 = pull }
  }

  /// Stops and releases the producer, and releases what is queued. Nothing happens if it is not pulled.
  public func stopAudioPull() throws(MediaError) {
    let pull = try pulls().audio.withLock { pull in
      defer { pull = nil }
      return pull
    }
    pull?.stop()
  }

  /// The oldest buffer that is queued, with a reference for the caller. Waits until `deadline`, in nanoseconds of the monotonic clock; 0
  /// does not wait, `.max` has no limit. Throws `.timeout`, `.state` if no pull was started, and `.closed` once it is stopped, or the
  /// producer has ended and all was read.
  public func readAudio(deadline: Int64) throws(MediaError) -> AudioFrame {
    try pulls().buffers.read(of: descriptor.id, deadline: deadline)
  }

  /// Readable for poll() while buffers are queued, and when there will be no more. The instance owns it.
  public func audioPullDescriptor() throws(MediaError) -> Int32 {
    try pulls().buffers.descriptor()
  }
}
