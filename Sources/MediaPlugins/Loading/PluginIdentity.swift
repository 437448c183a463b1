import CLinux
import Glibc
import MediaCore

/// By what a file is known again: another file in its place differs in one of these.
struct PluginIdentity: Equatable, Sendable {
  let size: Int64
  /// When it was changed, in nanoseconds.
  let modified: Int64
  /// Of the linker, in hexadecimal; "" for none.
  let buildID: String

  init(size: Int64, modified: Int64, buildID: String) {
    self.size = size
    self.modified = modified
    self.buildID = buildID
  }

  init(of path: String) throws(MediaError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw MediaError(.io, "plugin \(path): \(SystemError.text(errno))") }
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    buildID = ElfFile.buildID(path).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }.joined()
  }
}

extension ElfFile {
  private static let noteType: UInt64 = 4
  private static let buildIDType: UInt64 = 3
  private static let mostNotes = 65_536

  /// Of a file that was checked; empty when it has none. Notes are laid out as in elf(5): sizes of name and contents, a type, and both, padded.
  static func buildID(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let header = read(descriptor, at: 0, count: headerSize)
    guard header.count == headerSize else { return [] }
    let count = Int(number(header, at: 56, bytes: 2))
    let table = read(descriptor, at: number(header, at: 32, bytes: 8), count: count * programHeaderSize)
    guard table.count == count * programHeaderSize else { return [] }
    for index in 0..<count where number(table, at: index * programHeaderSize, bytes: 4) == noteType {
      let offset = number(table, at: index * programHeaderSize + 8, bytes: 8)
      let size = number(table, at: index * programHeaderSize + 32, bytes: 8)
      let notes = read(descriptor, at: offset, count: Int(min(size, UInt64(mostNotes))))
      if let found = buildID(in: notes) { return found }
    }
    return []
  }

  private static func buildID(in notes: [UInt8]) -> [UInt8]? {
    var place = 0
    while notes.count - place >= 12 {
      let nameSize = Int(number(notes, at: place, bytes: 4))
      let size = Int(number(notes, at: place + 4, bytes: 4))
      let type = number(notes, at: place + 8, bytes: 4)
      let name = place + 12
      let contents = name + (nameSize + 3) / 4 * 4
      guard contents <= notes.count, size <= notes.count - contents else { return nil }
      if type == buildIDType, notes[name..<contents].elementsEqual("GNU\0".utf8) { return Array(notes[contents..<contents + size]) }
      place = contents + (size + 3) / 4 * 4
    }
    return nil
  }
}
