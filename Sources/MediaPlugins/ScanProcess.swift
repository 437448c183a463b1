import CLinux
import Glibc
import MediaCore

/// The child's side of a scan: `msdk-plugin-host --scan FILE`.
public enum ScanProcess {
  /// Loads the file, answers on what was standard output, and ends without running what the plugin left for exit.
  public static func run(_ path: String) -> Never {
    let descriptor = msdk_scan_child()
    guard descriptor >= 0 else { _exit(3) }
    let answer: ScanAnswer
    do throws(MediaError) {
      answer = .accepted(try PluginFile.load(path).classes.map(\.id))
    } catch {
      answer = .refused(error.status, error.text)
    }
    var bytes = ArraySlice(answer.text.utf8)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { _exit(3) }
      bytes = bytes.dropFirst(count)
    }
    _exit(0)
  }
}
