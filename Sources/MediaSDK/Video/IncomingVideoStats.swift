import MediaCore
import MediaTransport

/// What was counted since the stream came.
public struct IncomingVideoCounters: IncomingCounters, Sendable {
  public var received: UInt64 = 0
  public var lost: UInt64 = 0
  public var decoded: UInt64 = 0
  public var keyDecoded: UInt64 = 0
  public var corrupt: UInt64 = 0
  public var skipped: UInt64 = 0
  public var delivered: UInt64 = 0
  public var dropped: UInt64 = 0
  public var bytesReceived: UInt64 = 0
  public var keyFramesRequested: UInt64 = 0
  public var totalDecodeTime: UInt64 = 0
  public var totalFilterTime: UInt64 = 0
  public var freezes: UInt64 = 0
  public var rendered: UInt64 = 0
  /// Of the newest frame.
  public var width: UInt32 = 0
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

public struct IncomingVideoStats: Sendable {
  public var state: IncomingVideo.State
  public var framesPerSecond: Double
  public var counters: IncomingVideoCounters
}

extension IncomingVideo {
  public var stats: IncomingVideoStats {
    let now = clock.now()
    var stats = guarded.withLock { guarded in
      IncomingVideoStats(state: guarded.life.state, framesPerSecond: guarded.rate.perSecond(at: now), counters: guarded.counters)
    }
    stats.counters.delivered = output.delivered
    return stats
  }
}
