import MediaCore

/// What was counted since the stream was made.
public struct OutgoingAudioCounters: Sendable {
  public var offered: UInt64 = 0
  public var sent: UInt64 = 0
  public var encoded: UInt64 = 0
  public var dropped: UInt64 = 0
  public var failed: UInt64 = 0
  public var packets: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var totalEncodeTime: UInt64 = 0
  public var totalFilterTime: UInt64 = 0
  public var level = AudioFrame.silentLevel

  mutating func count(_ report: FrameReport) {
    switch report.outcome {
    case .sent: sent += 1
    case .encoded: encoded += 1
    case .replaced, .dropped: dropped += 1
    case .failed: failed += 1
    }
    bytesSent += report.bytes
  }
}

public struct OutgoingAudioStats: Sendable {
  public var state: OutgoingAudio.State
  public var counters: OutgoingAudioCounters
  /// Nanoseconds that wait now.
  public var queued: Int64
  /// Nanoseconds that left faster than in real time, as their source had been held up.
  public var caughtUp: Int64
  public var isMuted: Bool
  public var gain: Double
  public var receivers: Int
  /// Of the encoder; 0 without one.
  public var bitrate: Int
  public var reportsDropped: UInt64
  /// Of those that its tap was to get.
  public var tapDropped: UInt64
}

extension OutgoingAudio {
  public var stats: OutgoingAudioStats {
    let reportsDropped = reports.droppedCount
    return guarded.withLock { guarded in
      OutgoingAudioStats(
        state: guarded.life.state, counters: guarded.counters, queued: guarded.queued, caughtUp: guarded.pacer.caughtUp,
        isMuted: guarded.isMuted, gain: guarded.gain, receivers: guarded.life.receivers,
        bitrate: canEncode && guarded.life.codec != FourCC.raw ? guarded.encoderSettings.bitrate : 0,
        reportsDropped: reportsDropped, tapDropped: tap.droppedCount)
    }
  }
}
