import MediaCore
import MediaTransport

/// What was counted since the stream came.
public struct IncomingAudioCounters: IncomingCounters, Sendable {
  public var received: UInt64 = 0
  public var lost: UInt64 = 0
  public var corrupt: UInt64 = 0
  public var bytesReceived: UInt64 = 0
  public var recovered: UInt64 = 0
  /// Samples per channel.
  public var concealed: UInt64 = 0
  public var samples: UInt64 = 0
  public var delivered: UInt64 = 0
  public var dropped: UInt64 = 0
  public var rendered: UInt64 = 0
  public var totalDecodeTime: UInt64 = 0
  public var totalFilterTime: UInt64 = 0
  public var level = AudioFrame.silentLevel

  mutating func countArrival(_ frame: StreamFrame<AudioFrame>, _ picture: FrameID, after latest: FrameID) {
    received += 1
    bytesReceived += UInt64(frame.byteCount)
    if latest != 0, picture > latest + 1 { lost += picture - latest - 1 }
  }
}

public struct IncomingAudioStats: Sendable {
  public var state: IncomingAudio.State
  public var counters: IncomingAudioCounters
  /// As a part of the mix; of the mix, over its parts.
  public var kept: Int64 = 0
  public var underruns: UInt64 = 0
  public var late: UInt64 = 0
  public var driftPPM: Int32 = 0
  public var sources = 0
}

extension IncomingAudio {
  public var stats: IncomingAudioStats {
    let (stats, source, mixer): (IncomingAudioStats, MixerSource?, AudioMixer?) = guarded.withLock { guarded in
      (IncomingAudioStats(state: guarded.life.state, counters: guarded.counters), guarded.part, guarded.mixer)
    }
    var result = stats
    result.counters.delivered = output.delivered
    let mixed = mixer?.stats
    if let part = source?.stats ?? mixed?.parts {
      result.kept = part.kept
      result.underruns = part.underruns
      result.late = part.late
      result.driftPPM = part.driftPPM
    }
    result.sources = mixed?.heard ?? 0
    return result
  }
}
