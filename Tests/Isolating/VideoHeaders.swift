import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins

/// Headers of encoded pictures, for which there is a function and no instance; a test looks at those of one class.
enum VideoHeaders {
  typealias Function = @convention(c) (UnsafeRawPointer?, UInt64, UnsafeMutablePointer<msdk_encoded_header>?) -> msdk_result

  private static let descriptor = Monitor<ClassDescriptor?>(nil)

  static func function(for decoder: ClassDescriptor) throws(MediaError) -> Function {
    let isFirst = descriptor.withLock { descriptor in
      defer { descriptor = descriptor ?? decoder }
      return descriptor == nil
    }
    guard isFirst else { throw MediaError(.limit, "a test uses more than one isolated class that decodes video") }
    return { data, size, out in
      guard let data, let out, let headers = VideoHeaders.descriptor.withLock({ $0 })?.module.headers, let id = VideoHeaders.id else {
        return msdk_result(MSDK_E_INVALID)
      }
      do throws(MediaError) {
        return try headers.parseVideo(UnsafeRawBufferPointer(start: data, count: Int(clamping: size)), of: id, &out.pointee)
      } catch {
        return error.status.rawValue
      }
    }
  }

  private static var id: String? { descriptor.withLock { $0?.id } }
}
