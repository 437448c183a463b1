import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct PluginIdentityTests {
  private let directory = TemporaryDirectory()

  /// A whole ELF header with one segment of notes, and these notes.
  private func elf(notes: [UInt8], size: UInt64? = nil) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64 + 56)
    bytes.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
    func put(_ value: UInt64, at place: Int, _ count: Int) {
      for index in 0..<count { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }
    put(64, at: 32, 8)
    put(56, at: 54, 2)
    put(1, at: 56, 2)
    put(4, at: 64, 4)
    put(120, at: 64 + 8, 8)
    put(size ?? UInt64(notes.count), at: 64 + 32, 8)
    return bytes + notes
  }

  private func note(_ type: UInt8, _ name: String, _ contents: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - contents.count % 4) % 4)
    return [UInt8(name.utf8.count), 0, 0, 0, UInt8(contents.count), 0, 0, 0, type, 0, 0, 0] + Array(name.utf8) + contents + padding
  }

  @Test func tellsTheBuildID() throws {
    let other = note(1, "GNU\0", [1, 2, 3])
    let path = directory.file("a.so", elf(notes: other + note(3, "ABC\0", [9]) + note(3, "GNU\0", [0x0A, 0xFF, 0x10])))
    let identity = try PluginIdentity(of: path)
    #expect(identity.buildID == "0aff10")
    #expect(identity.size == Int64(64 + 56 + other.count + 20 + 20))
    #expect(identity.modified > 1_600_000_000_000_000_000)
    #expect(try PluginIdentity(of: path) == identity)
  }

  @Test func notesThatLieAreNone() throws {
    let good = note(3, "GNU\0", [1, 2, 3, 4])
    for end in 0..<good.count {
      #expect(try PluginIdentity(of: directory.file("a.so", elf(notes: Array(good.prefix(end))))).buildID == "", "\(end)")
    }
    var large = good
    large.replaceSubrange(0..<8, with: [UInt8](repeating: 0xFF, count: 8))
    #expect(try PluginIdentity(of: directory.file("a.so", elf(notes: large))).buildID == "")
    #expect(try PluginIdentity(of: directory.file("a.so", elf(notes: good, size: .max))).buildID == "01020304")
    #expect(try PluginIdentity(of: directory.file("a.so", [1, 2])).buildID == "")
    #expect(failure { _ = try PluginIdentity(of: "\(directory.path)/none") }?.status == .io)
  }

  @Test func aChangeIsSeen() throws {
    let path = directory.file("a.so", elf(notes: []))
    let before = try PluginIdentity(of: path)
    var times = [timespec(tv_sec: 1, tv_nsec: 1), timespec(tv_sec: 1_700_000_000, tv_nsec: 1)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    let after = try PluginIdentity(of: path)
    #expect(after != before)
    #expect(after.modified == 1_700_000_000_000_000_001)
  }
}
