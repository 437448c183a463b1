import CMediaSDK
import Glibc

/// The version, as error.h says it.
public enum SDKVersion {
  /// MAJOR.MINOR.PATCH, for a candidate with "-rc.N" at its end.
  public static let text = MSDK_VERSION_STRING

  /// The same for C; lives as long as the process.
  public static var cString: UnsafePointer<CChar>? { storage.pointer }

  private struct Storage: @unchecked Sendable {
    let pointer: UnsafePointer<CChar>?
  }

  private static let storage = Storage(pointer: strdup(text).map { UnsafePointer($0) })
}
