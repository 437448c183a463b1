import CLinux
import CMediaSDK
import Glibc
import MediaCore

/// What the environment variable MSDK_LOG asks for: the log of every engine of the process on standard error, beside the program's callback.
public enum EnvironmentLog {
  /// The least level that is written, MSDK_LOG_*; NONE without the variable, and in a set-user-id program. Read once in a process.
  public static let level: Int32 = {
    guard let value = secure_getenv("MSDK_LOG") else { return MSDK_LOG_NONE.level32 }
    let text = ForeignText.readLossy(value, limit: 64)
    if let level = named(text) { return level }
    write(MSDK_LOG_WARN.level32, "MSDK_LOG is \"\(text)\"; accepted: \(names.joined(separator: ", ")). Warnings are logged")
    return MSDK_LOG_WARN.level32
  }()

  /// By their numbers.
  private static let names = ["debug", "info", "warn", "error", "none"]

  static func named(_ text: String) -> Int32? { names.firstIndex(of: text).map { Int32($0) } }

  /// A line, at once, whatever else is written. A plugin's text may hold anything: nothing of it shall steer a terminal.
  static func write(_ level: Int32, _ text: String) {
    var line = String.UnicodeScalarView("msdk: \(names[Int(min(max(level, 0), MSDK_LOG_ERROR.level32))]): ".unicodeScalars)
    for scalar in text.unicodeScalars {
      line.append(scalar.value < 32 || (127..<160).contains(scalar.value) ? " " : scalar)
    }
    line.append("\n")
    let bytes = Array(String(line).utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
