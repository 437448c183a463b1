import Glibc
import Testing

/// The frames of an IVF file: a head of 32 bytes, then for each frame a head of 12, which begins with its size, and its bytes.
struct IVFClip {
  let frames: [[UInt8]]

  /// From the folder of test media beside this one.
  init(_ name: String) throws {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    let file = try #require(fopen("\(folder)/Media/\(name)", "rb"), "\(folder)/Media/\(name) cannot be opened")
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    try #require(fread(&bytes, 1, bytes.count, file) == bytes.count && bytes.starts(with: Array("DKIF".utf8)))
    var frames: [[UInt8]] = []
    var position = 32
    while position + 12 <= bytes.count {
      let size = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
      position += 12
      try #require(position + size <= bytes.count)
      frames.append(Array(bytes[position..<position + size]))
      position += size
    }
    self.frames = frames
  }
}
