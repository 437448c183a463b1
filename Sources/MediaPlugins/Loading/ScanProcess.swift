import CMediaSDK
import MediaCore

/// The child's side of a scan: `msdk-plugin-host --scan FILE`.
public enum ScanProcess {
  /// Loads the file and tells of its classes.
  public static func run(_ path: String) -> Never {
    let descriptor = AnsweringChild.begin()
    let answer: ScanAnswer
    do throws(MediaError) {
      let classes = try PluginFile.load(path).classes
      let ids = classes.map(\.id)
      answer = classes.contains(where: \.prefersIsolation) ? .isolated(ids) : .accepted(ids)
    } catch {
      answer = .refused(error.status, error.text)
    }
    AnsweringChild.end(descriptor, answer.text.utf8)
  }
}

extension ClassDescriptor {
  /// Whether it says so, and does not take it back.
  var prefersIsolation: Bool {
    flags & UInt32(MSDK_CLASS_PREFERS_ISOLATION) != 0 && flags & UInt32(MSDK_CLASS_NO_ISOLATION) == 0
  }
}
