import Glibc

/// The processes that this one has begun.
enum OwnProcesses {
  /// Those that the direct children have begun: of an isolated plugin, whose parent is the program that looks after it.
  static var grandchildren: [pid_t] {
    let parents = all
    let me = getpid()
    return parents.filter { parents[$0.value] == me }.map(\.key)
  }

  /// Every process and its parent.
  private static var all: [pid_t: pid_t] {
    var parents: [pid_t: pid_t] = [:]
    guard let directory = opendir("/proc") else { return [:] }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let process = pid_t(name), let parent = parent(of: process) else { continue }
      parents[process] = parent
    }
    return parents
  }

  /// The second word behind the name, which stands in brackets and may hold anything. Nil for what is gone, a zombie too.
  private static func parent(of process: pid_t) -> pid_t? {
    let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 1024)
    let count = read(descriptor, &text, text.count)
    guard count > 0, let bracket = text.prefix(count).lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let words = text[text.index(after: bracket)..<count].split(separator: UInt8(ascii: " ")).prefix(2)
    guard let state = words.first, state.first != UInt8(ascii: "Z"), let parent = words.last else { return nil }
    return pid_t(String(decoding: parent, as: UTF8.self))
  }
}
