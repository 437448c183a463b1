import CMediaSDK
import MediaCore

/// The truth about one frame that `send` accepted.
public struct FrameReport: @unchecked Sendable, Equatable {
  /// What became of a frame. The raw values are MSDK_OUTCOME_* of report.h.
  public enum Outcome: UInt32, Sendable {
    case sent = 1
    case encoded = 2
    case replaced = 3
    case dropped = 4
    case failed = 5
  }

  /// Why a frame was dropped. The raw values are MSDK_DROP_* of report.h.
  public enum DropReason: UInt32, Sendable {
    case none = 0
    case noReceiver = 1
    case notConnected = 2
    case encoder = 3
    case stopped = 4
    case paced = 5
    case queue = 6
    case network = 7
    case muted = 8
    case flushed = 9
    case filter = 10
    case noKey = 11
  }

  /// What became of the frame.
  public var outcome: Outcome
  /// Why it was dropped; `.none` with every other outcome.
  public var reason = DropReason.none
  /// Whether it left as a key frame.
  public var isKeyFrame = false
  /// The error of `.failed`; nil with every other outcome.
  public var status: Status?
  /// Of the frame, as receivers get it; of audio that is encoded here, of the buffer and not of the packets.
  public var sequence: UInt64
  /// The capture time as receivers get it, in nanoseconds on the engine's clock.
  public var timestamp: Int64
  /// As sent, 0 if nothing was. Of audio that is encoded here, of the packets that left since the previous report.
  public var bytes: UInt64 = 0
  /// The program's own of that send: handed back, never looked into.
  public var user: UnsafeMutableRawPointer?
}

/// Whom to tell. A foreign function is kept as it is, so that a send allocates nothing.
public enum Completion: @unchecked Sendable {
  /// Nobody given; the report can be read, and has the pointer.
  case queued(UnsafeMutableRawPointer? = nil)
  /// Nobody at all: what a producer of the core's makes.
  case silent
  case closure(@Sendable (FrameReport) -> Void)
  case foreign(@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<msdk_frame_report>?) -> Void, UnsafeMutableRawPointer?)
}

extension Completion {
  var user: UnsafeMutableRawPointer? {
    switch self {
    case .queued(let user), .foreign(_, let user): user
    case .silent, .closure: nil
    }
  }
}

extension FrameReport {
  /// The report as the C ABI has it.
  public var foreign: msdk_frame_report {
    var report = msdk_frame_report()
    report.struct_size = UInt32(MemoryLayout<msdk_frame_report>.size)
    report.outcome = outcome.rawValue
    report.reason = reason.rawValue
    report.key_frame = isKeyFrame ? 1 : 0
    report.status = status?.rawValue ?? msdk_result(MSDK_OK)
    report.sequence = sequence
    report.timestamp_ns = timestamp
    report.bytes = bytes
    report.user = user
    return report
  }
}
