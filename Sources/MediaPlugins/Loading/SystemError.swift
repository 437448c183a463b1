import Glibc
import MediaCore

enum SystemError {
  static func text(_ code: Int32) -> String {
    ForeignText.readLossy(strerror(code), limit: 256)
  }
}
