import CLinux
import Glibc
import MediaCore

/// A look at a shared object before the dynamic linker maps it: one whose segments reach past the end of the file would end the process with
/// SIGBUS instead of an error. Layout as in elf(5).
enum ElfFile {
  static let headerSize = 64
  static let programHeaderSize = 56

  static func check(_ path: String) throws(MediaError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw MediaError(errno == EACCES ? .permission : .io, "plugin \(path): \(SystemError.text(errno))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw MediaError(.io, "plugin \(path): \(SystemError.text(errno))") }
    let size = UInt64(max(0, status.st_size))
    let header = read(descriptor, at: 0, count: headerSize)
    guard header.count >= 4, header.prefix(4).elementsEqual([0x7F, 0x45, 0x4C, 0x46]) else {
      throw MediaError(.abi, "plugin \(path) is not an ELF shared object: its first bytes are not 7F 45 4C 46")
    }
    // Class 2: 64 bits; data 1: little-endian.
    guard header.count == headerSize, header[4] == 2, header[5] == 1 else {
      throw MediaError(.abi, "plugin \(path) is not a complete 64-bit little-endian ELF file")
    }
    let offset = number(header, at: 32, bytes: 8)
    let count = Int(number(header, at: 56, bytes: 2))
    guard number(header, at: 54, bytes: 2) == programHeaderSize, count > 0, offset <= size,
      UInt64(count * programHeaderSize) <= size - offset
    else { throw MediaError(.abi, "plugin \(path) is cut off: its program headers end past its \(size) bytes") }
    let table = read(descriptor, at: offset, count: count * programHeaderSize)
    guard table.count == count * programHeaderSize else { throw MediaError(.io, "plugin \(path) cannot be read") }
    for index in 0..<count {
      let start = number(table, at: index * programHeaderSize + 8, bytes: 8)
      let length = number(table, at: index * programHeaderSize + 32, bytes: 8)
      guard start <= size, length <= size - start else {
        throw MediaError(.abi, "plugin \(path) is cut off: segment \(index) ends past its \(size) bytes")
      }
    }
  }

  static func read(_ descriptor: Int32, at offset: UInt64, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, pread(descriptor, buffer.baseAddress, count, off_t(clamping: offset)))
    }
  }

  static func number(_ bytes: [UInt8], at offset: Int, bytes count: Int) -> UInt64 {
    (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
  }
}
