import MediaCore

/// One message of an engine's log.
public struct LogRecord: Sendable {
  /// The part of the SDK that it is about; engine.h has the list.
  public enum Category: String, Sendable {
    case session
    case room
    case video
    case audio
    case network
    case plugin
  }

  /// MSDK_LOG_*
  public let level: Int32
  /// The part of the SDK that logged it.
  public let category: Category
  /// When it was logged, on the engine's clock.
  public let time: Int64
  /// For people: it may change in every release.
  public let text: String
  /// Records dropped between the one before and this one.
  public internal(set) var dropped: UInt64 = 0
}
