import MediaCore
import MediaTransport

/// What was counted since the stream was made.
public struct OutgoingVideoCounters: Sendable {
  /// Frames that `send` accepted, or that came from the producer.
  public var offered: UInt64 = 0
  /// Reported as sent: raw frames, or frames that the program encoded.
  public var sent: UInt64 = 0
  /// Reported as encoded here and handed over.
  public var encoded: UInt64 = 0
  /// Of standing pictures; in none of the others.
  public var repeated: UInt64 = 0
  /// Reported as replaced by a newer frame before the encoder took them.
  public var replaced: UInt64 = 0
  /// Reported as dropped, for any reason.
  public var dropped: UInt64 = 0
  /// Reported as failed.
  public var failed: UInt64 = 0
  /// Key frames that left, repeated ones included.
  public var keyFrames: UInt64 = 0
  /// Bytes of all frames that left, repeated ones included.
  public var bytesSent: UInt64 = 0
  /// The encoder's current target in bits a second; 0 before the first frame is encoded.
  public var targetBitrate: UInt64 = 0
  /// Layers in which the last frame was encoded.
  public var activeLayers: UInt32 = 0
  /// Nanoseconds in the encoder and in the conversions for it.
  public var totalEncodeTime: UInt64 = 0
  /// Nanoseconds in the filters and in the conversions for them.
  public var totalFilterTime: UInt64 = 0
  /// Changes to another format while the stream was started or previewed.
  public var formatChanges: UInt32 = 0
  /// Key frames that receivers requested.
  public var keyFrameRequests: UInt32 = 0

  mutating func countRepeat(_ report: FrameReport) {
    guard report.outcome == .sent || report.outcome == .encoded else { return }
    repeated += 1
    bytesSent += report.bytes
    if report.isKeyFrame { keyFrames += 1 }
  }

  mutating func count(_ report: FrameReport) {
    switch report.outcome {
    case .sent: sent += 1
    case .encoded: encoded += 1
    case .replaced: replaced += 1
    case .dropped: dropped += 1
    case .failed: failed += 1
    }
    bytesSent += report.bytes
    if report.isKeyFrame { keyFrames += 1 }
  }
}

/// The stats of an outgoing stream at one moment.
public struct OutgoingVideoStats: Sendable {
  /// Where the stream is between start and stop.
  public var state: OutgoingVideo.State
  /// Of the current sender; nil without one.
  public var format: VideoFormat?
  /// Frames that were sent or encoded in the last second.
  public var framesPerSecond: Double
  /// The most that leave in a second now; nil where none are dropped for it.
  public var pacedRate: FrameRate?
  /// Counted since the stream was made.
  public var counters: OutgoingVideoCounters
  /// Reports that were dropped because nobody read them in time.
  public var reportsDropped: UInt64
  /// Of those that its tap was to get.
  public var tapDropped: UInt64
  /// Members that are subscribed at present.
  public var receivers: Int
  /// With which it is sent, or was when it was started last.
  public var codec: UInt32
  /// By its receivers together.
  public var wanted: VideoPreference
  /// In which it is published.
  public var layers: Int
}

extension OutgoingVideo {
  /// Taken at the moment of the call.
  public var stats: OutgoingVideoStats {
    let now = clock.now()
    let reportsDropped = reports.droppedCount
    return guarded.withLock { guarded in
      OutgoingVideoStats(
        state: guarded.life.state, format: guarded.senders.current?.format, framesPerSecond: guarded.rate.perSecond(at: now),
        pacedRate: guarded.slowerRate ?? (options.isPaced ? guarded.senders.current?.format.frameRate : nil), counters: guarded.counters,
        reportsDropped: reportsDropped, tapDropped: tap.droppedCount, receivers: guarded.life.receivers, codec: guarded.life.codec,
        wanted: guarded.negotiation.wanted, layers: guarded.negotiation.layers.layers.count)
    }
  }
}
