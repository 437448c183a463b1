import MediaCore

/// What was counted since the stream was made.
public struct OutgoingAudioCounters: Sendable {
  /// Buffers or packets that `send` accepted, or that came from the producer.
  public var offered: UInt64 = 0
  /// Reported as sent: raw audio, or packets of the program's.
  public var sent: UInt64 = 0
  /// Buffers reported as encoded here and handed over.
  public var encoded: UInt64 = 0
  /// Reported as dropped, for any reason.
  public var dropped: UInt64 = 0
  /// Reported as failed.
  public var failed: UInt64 = 0
  /// Packets handed to the transport, encoded here or by the program, with or without receivers.
  public var packets: UInt64 = 0
  /// Bytes of the packets or raw buffers that were reported as sent or encoded.
  public var bytesSent: UInt64 = 0
  /// Nanoseconds in the encoder and in the conversions for it.
  public var totalEncodeTime: UInt64 = 0
  /// Nanoseconds in the filters and in the conversions for them.
  public var totalFilterTime: UInt64 = 0
  /// Of the last buffer, in decibels below full scale (RFC 6464, section 3): 0 to 127, which is silence.
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

/// The stats of an outgoing stream at one moment.
public struct OutgoingAudioStats: Sendable {
  /// Where the stream is between start and stop.
  public var state: OutgoingAudio.State
  /// Counted since the stream was made.
  public var counters: OutgoingAudioCounters
  /// Nanoseconds that wait now.
  public var queued: Int64
  /// Nanoseconds that left faster than in real time, as their source had been held up.
  public var caughtUp: Int64
  /// By the program or by a moderator.
  public var isMuted: Bool
  /// The factor that was set last; 1 at first.
  public var gain: Double
  /// Members that are subscribed at present.
  public var receivers: Int
  /// Of the encoder; 0 without one.
  public var bitrate: Int
  /// Reports that were dropped because nobody read them in time.
  public var reportsDropped: UInt64
  /// Of those that its tap was to get.
  public var tapDropped: UInt64
}

extension OutgoingAudio {
  /// Taken at the moment of the call.
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
