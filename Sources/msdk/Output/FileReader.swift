import Glibc
import MediaCore

/// Whole files.
enum FileReader {
  static func bytes(of path: String, most: Int) throws(MediaError) -> [UInt8] {
    guard let file = fopen(path, "re") else {
      throw MediaError(errno == ENOENT ? .notFound : .io, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: most + 1) { buffer, count in
      count = fread(buffer.baseAddress, 1, most + 1, file)
    }
    guard ferror(file) == 0 else { throw MediaError(.io, "\(path) cannot be read: \(String(cString: strerror(errno)))") }
    guard bytes.count <= most else { throw MediaError(.range, "\(path) has more than \(most) bytes; accepted: up to \(most)") }
    return bytes
  }
}
