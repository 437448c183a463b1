import CMediaSDK
import MediaCodecs
import MediaCore
import MediaIngest
import MediaPlugins

/// A session's door for a feeder; ingest.h describes each member.
public struct IngestOptions: Sendable {
  /// nil: none; 0: any that is free.
  public var port: UInt16?
  /// The path of a Unix socket, at most 107 bytes; nil: none. One of `port` and this must be set.
  public var socketPath: String?
  /// What the feeder must prove that it knows: 16 to 255 bytes.
  public var transmissionToken: [UInt8]
  /// What the session proves to the feeder that it knows: 16 to 255 bytes, not those of `transmissionToken`.
  public var receptionToken: [UInt8]
  /// Of a screen share; a frame beyond them ends the feeder's connection.
  public var limits = VideoLimits.conference
  /// The fourcc of the codec for raw frames; 0: raw or VP8, as the members of the room need it. VP8 frames of the feeder are passed on.
  public var codec: UInt32 = 0
  /// 1 to the highest rate of `limits`; frames beyond it are dropped.
  public var framesPerSecond: UInt32 = 15
  /// Of the encoder.
  public var preset = EncoderPreset.realtime
  /// 0: by size and rate.
  public var targetBitrate: UInt64 = 0

  /// `Session.setIngest` checks the tokens.
  public init(transmissionToken: [UInt8], receptionToken: [UInt8]) {
    self.transmissionToken = transmissionToken
    self.receptionToken = receptionToken
  }

  func rules(_ known: Codecs = .builtIn) throws(MediaError) -> IngestRules {
    guard port != nil || socketPath != nil else {
      throw MediaError(.invalid, "options.port is 0 and options.socket_path is NULL; accepted: one of them, or both")
    }
    if codec != 0, codec != FourCC.raw { _ = try known.encodableVideo(codec, argument: "options.codec") }
    let fastest = limits.list(of: .screenShare).map(\.frameRate).max() ?? 1
    guard (1...fastest).contains(framesPerSecond) else {
      throw MediaError(.range, "options.fps is \(framesPerSecond); accepted: 1..\(fastest), or 0 for 15")
    }
    try stream(VideoFormat(.nv12, width: 16, height: 16, frameRate: FrameRate(framesPerSecond)), isEncoded: false).bitrate.check()
    return try IngestRules(
      transmission: IngestToken(transmissionToken, argument: "options.transmission_token"),
      reception: IngestToken(receptionToken, argument: "options.reception_token"), limits: limits, frameRate: FrameRate(framesPerSecond))
  }

  /// The share's stream for frames of a format.
  func stream(_ format: VideoFormat, isEncoded: Bool) -> OutgoingVideoOptions {
    var options = OutgoingVideoOptions(formats: [format])
    options.kind = .screenShare
    options.limits = limits
    options.codec = isEncoded ? UInt32(MSDK_CODEC_VP8) : codec
    options.isEncodedInput = isEncoded
    options.preset = preset
    options.bitrate.target = targetBitrate
    options.isFed = true
    return options
  }
}

/// What happened to a feeder or its share. The raw values are MSDK_INGEST_* of ingest.h.
public enum IngestState: UInt32, Sendable {
  case feederConnected = 0x501
  case feederDisconnected = 0x502
  case feederRefused = 0x503
  case sharing = 0x504
}

/// What happens at the door.
public struct IngestEvent: Sendable {
  /// What happened.
  public var state: IngestState
  /// Why the session refused the feeder or closed its connection; `.none` if it did not.
  public var reason = IngestReason.none
  /// The error; nil if there is none, also when the feeder disconnected by itself.
  public var status: Status?
  /// The error text, or with `.feederConnected` the transport; may be empty.
  public var text = ""
  /// With `.sharing` the stream of the share, which the session owns; else nil.
  public var stream: OutgoingVideo?

  init(_ state: IngestState, text: String) {
    self.state = state
    self.text = text
  }

  init(_ state: IngestState, _ refusal: IngestRefusal) {
    self.state = state
    reason = refusal.reason
    text = refusal.text
    status = refusal.reason.status
  }
}

extension IngestReason {
  var status: Status {
    switch self {
    case .none: .io
    case .notAdmitted: .permission
    case .busy: .exists
    case .version: .abi
    case .malformed: .corrupt
    case .tooLarge: .range
    case .format: .limit
    case .slot: .invalid
    case .stalled: .timeout
    case .crowded: .full
    case .closed: .closed
    }
  }
}

/// Refusals come as fast as somebody connects, and must not push other events out: some at once, then one a second.
struct RefusalMeter: Sendable {
  private static let burst: Int64 = 16
  private static let interval: Int64 = 1_000_000_000
  private var earliest = Int64.min
  private(set) var untold = 0

  /// Whether one more may be told of now; if not, it is counted.
  mutating func mayTell(at now: Int64) -> Bool {
    let start = max(earliest, now - (RefusalMeter.burst - 1) * RefusalMeter.interval)
    guard start <= now else {
      untold += 1
      return false
    }
    earliest = start + RefusalMeter.interval
    return true
  }

  mutating func takeUntold() -> Int {
    defer { untold = 0 }
    return untold
  }
}
