import MediaCore
import MediaTransport

/// What was counted since the stream was made.
public struct OutgoingVideoCounters: Sendable {
  public var offered: UInt64 = 0
  public var sent: UInt64 = 0
  public var encoded: UInt64 = 0
  /// Of standing pictures; in none of the others.
  public var repeated: UInt64 = 0
  public var replaced: UInt64 = 0
  public var dropped: UInt64 = 0
  public var failed: UInt64 = 0
  public var keyFrames: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var targetBitrate: UInt64 = 0
  public var totalEncodeTime: UInt64 = 0
  public var totalFilterTime: UInt64 = 0
  public var formatChanges: UInt32 = 0
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

public struct OutgoingVideoStats: Sendable {
  public var state: OutgoingVideo.State
  public var format: VideoFormat?
  public var framesPerSecond: Double
  /// The most that leave in a second now; nil where none are dropped for it.
  public var pacedRate: FrameRate?
  public var counters: OutgoingVideoCounters
  public var reportsDropped: UInt64
  /// Of those that its tap was to get.
  public var tapDropped: UInt64
  public var receivers: Int
  /// With which it is sent, or was when it was started last.
  public var codec: UInt32
  /// By its receivers together.
  public var wanted: VideoPreference
}

extension OutgoingVideo {
  public var stats: OutgoingVideoStats {
    let now = clock.now()
    let reportsDropped = reports.droppedCount
    return guarded.withLock { guarded in
      OutgoingVideoStats(
        state: guarded.life.state, format: guarded.senders.current?.format, framesPerSecond: guarded.rate.perSecond(at: now),
        pacedRate: guarded.slowerRate ?? (options.isPaced ? guarded.senders.current?.format.frameRate : nil), counters: guarded.counters,
        reportsDropped: reportsDropped, tapDropped: tap.droppedCount, receivers: guarded.life.receivers, codec: guarded.life.codec,
        wanted: guarded.negotiation.wanted)
    }
  }
}
