import MediaCore
import MediaRTP

/// What an RTP session made of what the peer sent, as transports handle it.
public enum PeerArrival {
  /// A frame of video or audio, whose reference is the taker's, with its RTP timestamp in units since the stream began. `isAfterGap`: frames before it
  /// are missing.
  case frame(SSRC, EncodedFrame, stamp: Int64, isAfterGap: Bool)
  /// Packets of audio that did not come in time.
  case lost(SSRC, Int)
  /// A frame that came, and for which there was no memory: the stream's share is in use.
  case dropped(SSRC)
  case event(RTPSessionEvent)

  var frame: EncodedFrame? { if case .frame(_, let frame, _, _) = self { frame } else { nil } }
}
