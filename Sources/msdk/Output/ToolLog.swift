import CMediaSDK
import MediaSDK

/// What of the SDK's log is shown: warnings, with -v more.
enum ToolLog {
  private static let level: Int32 =
    switch CommandLineWords.own.verbosity {
    case 0: Int32(MSDK_LOG_WARN)
    case 1: Int32(MSDK_LOG_INFO)
    default: Int32(MSDK_LOG_DEBUG)
    }

  /// `isQuiet`: nothing without -v, as the command says itself what is wrong.
  static func show(of engine: Engine, isQuiet: Bool = false) {
    guard !isQuiet || CommandLineWords.own.verbosity > 0 else { return }
    engine.logger.set(level: level) { record in
      // That is written by the library already.
      guard record.level < EnvironmentLog.level else { return }
      let names = [Int32(MSDK_LOG_DEBUG): "debug", Int32(MSDK_LOG_INFO): "info", Int32(MSDK_LOG_WARN): "warning"]
      Terminal.complain("\(names[record.level] ?? "error"): \(record.text)")
    }
  }
}
