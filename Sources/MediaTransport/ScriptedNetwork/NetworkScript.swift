import MediaCore

/// What a loopback room's network does, step by step from a start.
public struct NetworkScript: Sendable {
  /// The conditions from its time on, until the next step. All times in nanoseconds.
  public struct Step: Sendable {
    /// After the start of the script.
    public var at: Int64
    /// Nothing passes. A member who is cut off for 30 seconds is disconnected.
    public var isDisconnected: Bool
    /// Bits a second; 0 is unlimited.
    public var bandwidth: UInt64
    /// Of each packet, one way; up to ten seconds.
    public var delay: Int64
    /// The most that is added to the delay, drawn anew for each frame or packet; up to ten seconds. The order stays.
    public var jitter: Int64
    /// Packets lost out of a million.
    public var loss: UInt32
    /// The longest that the sending queue may be, in time.
    public var queue: Int64

    /// By default a perfect network, whose sending queue is 300 ms long once the bandwidth is bounded. The script's `init` checks all but
    /// the queue.
    public init(
      at: Int64 = 0, isDisconnected: Bool = false, bandwidth: UInt64 = 0, delay: Int64 = 0, jitter: Int64 = 0, loss: UInt32 = 0,
      queue: Int64 = 300_000_000
    ) {
      self.at = at
      self.isDisconnected = isDisconnected
      self.bandwidth = bandwidth
      self.delay = delay
      self.jitter = jitter
      self.loss = loss
      self.queue = queue
    }
  }

  /// Ascending in time.
  public let steps: [Step]
  /// Of losses and jitter: with the same seed and the same frames, they are the same.
  public let seed: UInt64
  /// Nanoseconds of the clock that the steps follow.
  public let start: Int64

  /// `.invalid` for times that are negative, descend or are beyond 10^18 ns, `.range` for the rest; both name the step and its member.
  public init(steps: [Step], seed: UInt64, start: Int64) throws(MediaError) {
    for (index, step) in steps.enumerated() {
      let name = "script.steps[\(index)]"
      let latest: Int64 = 1_000_000_000_000_000_000
      guard step.at >= (index == 0 ? 0 : steps[index - 1].at), step.at <= latest else {
        throw MediaError(.invalid, "\(name).at_ns is \(step.at); accepted: 0..\(latest), ascending")
      }
      guard step.bandwidth == 0 || step.bandwidth >= 1000 else {
        throw MediaError(.range, "\(name).bandwidth_bps is \(step.bandwidth); accepted: 0 for unlimited, or at least 1000")
      }
      let longest: Int64 = 10_000_000_000
      guard (0...longest).contains(step.delay), (0...longest).contains(step.jitter) else {
        throw MediaError(.range, "\(name).delay_ns is \(step.delay), jitter_ns \(step.jitter); accepted: 0..\(longest)")
      }
      guard step.queue >= 0 else {
        throw MediaError(.range, "\(name).queue_ns is \(step.queue); accepted: 0 for the default, or more")
      }
      guard step.loss <= 1_000_000 else {
        throw MediaError(.range, "\(name).loss_ppm is \(step.loss); accepted: 0..1000000")
      }
    }
    self.steps = steps
    self.seed = seed
    self.start = start
  }

  /// The step in force; nil before the first.
  public func step(at now: Int64) -> Step? {
    steps.last { start &+ $0.at <= now }
  }

  /// When the next step begins.
  public func nextChange(after now: Int64) -> Int64? {
    steps.first { start &+ $0.at > now }.map { start &+ $0.at }
  }
}
