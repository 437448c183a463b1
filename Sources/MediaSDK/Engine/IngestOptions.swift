import CMediaSDK
import MediaCodecs
import MediaCore
import MediaIngest
import MediaPlugins

/// A session's door for a feeder; ingest.h describes each member.
public struct IngestOptions: Sendable {
  /// nil: none; 0: any that is free.
  public var port: UInt16?
  public var socketPath: String?
  public var transmissionToken: [UInt8]
  public var receptionToken: [UInt8]
  public var limits = VideoLimits.conference
  public var codec: UInt32 = 0
  public var framesPerSecond: UInt32 = 15
  public var preset = EncoderPreset.realtime
  /// 0: by size and rate.
  public var targetBitrate: UInt64 = 0

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

public enum IngestState: UInt32, Sendable {
  case feederConnected = 0x501
  case feederDisconnected = 0x502
  case feederRefused = 0x503
  case sharing = 0x504
}

/// What happens at the door.
public struct IngestEvent: Sendable {
  public var state: IngestState
  public var reason = IngestReason.none
  public var status: Status?
  public var text = ""
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
