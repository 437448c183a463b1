import MediaCore
import MediaTransport

/// What was counted since the stream came.
public struct IncomingAudioCounters: IncomingCounters, Sendable {
  /// Packets, or buffers of a raw stream. 0 for the mix, as all up to `samples`.
  public var received: UInt64 = 0
  /// Missing among the numbers of the packets or raw buffers that came.
  public var lost: UInt64 = 0
  /// Packets that the decoder refused.
  public var corrupt: UInt64 = 0
  /// Bytes of the packets or raw buffers.
  public var bytesReceived: UInt64 = 0
  /// Lost packets that forward error correction recovered.
  public var recovered: UInt64 = 0
  /// Samples per channel.
  public var concealed: UInt64 = 0
  /// Samples per channel, decoded or raw, with the concealed ones.
  public var samples: UInt64 = 0
  /// Buffers and packets that were read or passed to the callback.
  public var delivered: UInt64 = 0
  /// Buffers and packets that were neither delivered nor rendered.
  public var dropped: UInt64 = 0
  /// Buffers and packets that at least one renderer took.
  public var rendered: UInt64 = 0
  /// Nanoseconds in the decoder, loss concealment included. 0 for the mix.
  public var totalDecodeTime: UInt64 = 0
  /// Nanoseconds in the filters and in the conversions for them.
  public var totalFilterTime: UInt64 = 0
  /// Of the last buffer, in decibels below full scale (RFC 6464, section 3): 0 to 127, which is silence.
  public var level = AudioFrame.silentLevel

  mutating func countArrival(_ frame: StreamFrame<AudioFrame>, _ picture: FrameID, after latest: FrameID) {
    received += 1
    bytesReceived += UInt64(frame.byteCount)
    if latest != 0, picture > latest + 1 { lost += picture - latest - 1 }
  }
}

/// The stats of a participant's stream, or of the mix, at one moment.
public struct IncomingAudioStats: Sendable {
  /// Where the stream is between start and stop.
  public var state: IncomingAudio.State
  /// Counted since the stream was announced; of the mix, since the program first asked for it.
  public var counters: IncomingAudioCounters
  /// As a part of the mix; of the mix, over its parts.
  public var kept: Int64 = 0
  /// Number of times that no audio was there in time for the mix although the sender had not stopped.
  public var underruns: UInt64 = 0
  /// Samples per channel that the mix skipped, because they came late or the delay was too long.
  public var late: UInt64 = 0
  /// Parts per million by which the mix corrects for the sender's clock at present; above 0 that clock is fast. 0 for the mix itself.
  public var driftPPM: Int32 = 0
  /// Of the mix: the streams that are heard in its last buffer. 0 for a participant's stream.
  public var sources = 0
}

extension IncomingAudio {
  /// Taken at the moment of the call.
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
