import MediaCore
import MediaTransport

/// What was counted since the stream came.
public struct IncomingVideoCounters: IncomingCounters, Sendable {
  /// Frames that were received as a whole.
  public var received: UInt64 = 0
  /// Frames missing among the numbers of those that came.
  public var lost: UInt64 = 0
  /// Frames that were decoded.
  public var decoded: UInt64 = 0
  /// Key frames among `decoded`.
  public var keyDecoded: UInt64 = 0
  /// Frames that the decoder refused.
  public var corrupt: UInt64 = 0
  /// Frames that were not decoded, or not delivered encoded, because a key frame was missing.
  public var skipped: UInt64 = 0
  /// Frames that were read or passed to the callback, raw or encoded.
  public var delivered: UInt64 = 0
  /// Frames that were neither delivered nor rendered: a queue was full, a filter dropped them, or memory was short.
  public var dropped: UInt64 = 0
  /// Bytes of the frames that were received.
  public var bytesReceived: UInt64 = 0
  /// Requests to the sender, those of the transport included.
  public var keyFramesRequested: UInt64 = 0
  /// Nanoseconds in the decoder and in the conversion to the requested format.
  public var totalDecodeTime: UInt64 = 0
  /// Nanoseconds in the filters and in the conversions for them.
  public var totalFilterTime: UInt64 = 0
  /// Number of times that the video froze until the next key frame.
  public var freezes: UInt64 = 0
  /// Frames that at least one renderer took.
  public var rendered: UInt64 = 0
  /// Of the newest frame.
  public var width: UInt32 = 0
  /// Of the newest frame, in pixels.
  public var height: UInt32 = 0
  /// It showed that others before it are missing.
  private var isAfterGap = false

  mutating func countArrival(_ frame: StreamFrame<VideoFrame>, _ picture: FrameID, after latest: FrameID) {
    received += 1
    bytesReceived += UInt64(frame.byteCount)
    isAfterGap = latest != 0 && picture > latest + 1
    if isAfterGap { lost += picture - latest - 1 }
    switch frame {
    case .raw(let frame):
      width = frame.native.pointee.format?.pointee.width ?? 0
      height = frame.native.pointee.format?.pointee.height ?? 0
    case .encoded(let frame):
      width = frame.native.pointee.width
      height = frame.native.pointee.height
    }
  }

  /// What the network path dropped arrived, and was taken for lost where it shows as a gap. There the video stood still until the key frame that was just
  /// counted.
  mutating func countWait(leavingOut pictures: UInt64, requests: UInt64) {
    received += pictures
    skipped += pictures
    lost -= min(lost, pictures)
    keyFramesRequested += requests
    if isAfterGap { freezes += 1 }
  }

  mutating func count(_ verdict: DecodingStage.Verdict) {
    if !verdict.isUsable { skipped += 1 }
    if verdict.beginsFreeze { freezes += 1 }
  }
}

/// The stats of an incoming stream at one moment.
public struct IncomingVideoStats: Sendable {
  /// Where the stream is between start and stop.
  public var state: IncomingVideo.State
  /// Frames that were received in the last second.
  public var framesPerSecond: Double
  /// Counted since the stream was announced.
  public var counters: IncomingVideoCounters
}

extension IncomingVideo {
  /// Taken at the moment of the call.
  public var stats: IncomingVideoStats {
    let now = clock.now()
    var stats = guarded.withLock { guarded in
      IncomingVideoStats(state: guarded.life.state, framesPerSecond: guarded.rate.perSecond(at: now), counters: guarded.counters)
    }
    stats.counters.delivered = output.delivered
    return stats
  }
}
