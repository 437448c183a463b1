import CLinux
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// How a process ended, as the program that started the plugin saw it.
struct ExitStatus {
  /// As waitpid(2) gives it; nil when nobody could say.
  var status: Int32?
  var output = ""
}

/// The text for it.
enum ExitReason {
  /// What an event's text has room for.
  private static let mostOutput = 300

  /// Whether it left by itself, and in order.
  static func isLeaving(_ death: ExitStatus) -> Bool {
    death.status.map { msdk_exit_signal($0) == 0 && msdk_exit_code($0) == 0 } ?? false
  }

  static func describe(_ death: ExitStatus, reason: String?, doing: String?, output: String) -> String {
    var text: String
    if let reason, !reason.isEmpty {
      text = "its process was ended: \(reason)"
    } else if let status = death.status, msdk_exit_signal(status) > 0 {
      text = "its process died of \(name(msdk_exit_signal(status)))"
    } else if let status = death.status {
      text = "its process exited with code \(msdk_exit_code(status))"
    } else {
      text = "its process is gone"
    }
    if let doing, reason?.isEmpty ?? true { text += " in \(doing)" }
    if !output.isEmpty { text += "; its last output: \(output.count > mostOutput ? SecretTexts.cut : "")\(output.suffix(mostOutput))" }
    return text
  }

  /// "SIGSEGV (Segmentation fault)"
  static func name(_ signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
      SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE",
      SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS"
    ]
    return "\(names[signal] ?? "signal \(signal)") (\(ForeignText.readLossy(strsignal(signal), limit: 64)))"
  }
}
