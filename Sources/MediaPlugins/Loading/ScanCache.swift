import CLinux
import CMediaSDK
import Glibc
import MediaCore

/// What children found out about plugin files, kept between programs: which classes a file brings, or that it killed or held up the process that
/// loaded it. A file that changed is not known any more, and neither is such a fault after a day. Other refusals are not kept: they cost little,
/// and their reason may lie outside of the file.
package struct ScanCache: Sendable {
  struct Entry: Sendable, Equatable {
    let identity: PluginIdentity
    /// In seconds since 1970.
    let time: Int64
    let answer: ScanAnswer
    /// For how many seconds a refusal counts.
    var lasts = ScanCache.faultLasts
  }

  private static let largest = 4 << 20
  private static let mostEntries = 4096
  package static let faultLasts: Int64 = 86_400
  package static let refusalLasts: Int64 = 10
  /// Of this process, for engines that keep no file.
  private static let memory = Monitor<[String: Entry]>([:])
  /// Another version of the SDK may think otherwise of the same files.
  static var head: String { "mediasdk-plugins 1 \(SDKVersion.text) \(MSDK_ABI_MAJOR).\(MSDK_ABI_MINOR)" }

  /// nil: nothing is kept but in the memory of this process.
  let path: String?
  private(set) var entries: [String: Entry] = [:]
  private var changed: Set<String> = []

  /// $XDG_CACHE_HOME/mediasdk/plugins or ~/.cache/mediasdk/plugins; nil in a set-user-id program, without either, or when told to ignore the environment.
  static func standardPath(ignoringEnvironment: Bool) -> String? {
    func variable(_ name: String) -> String? {
      ignoringEnvironment ? nil : secure_getenv(name).map { ForeignText.readLossy($0, limit: 4096) }
    }
    if let cache = variable("XDG_CACHE_HOME"), cache.hasPrefix("/") { return "\(cache)/mediasdk/plugins" }
    return variable("HOME").flatMap { $0.hasPrefix("/") ? "\($0)/.cache/mediasdk/plugins" : nil }
  }

  /// What is malformed is as good as nothing.
  init(path: String?) {
    self.path = path
    entries = path.map { ScanCache.read($0) ?? [:] } ?? ScanCache.memory.withLock { $0 }
  }

  func answer(for path: String, _ identity: PluginIdentity, now: Int64) -> ScanAnswer? {
    guard let entry = entries[path], entry.identity == identity else { return nil }
    // A clock that was set back makes old what is from the future.
    if case .refused = entry.answer, !(0..<entry.lasts).contains(now &- entry.time) { return nil }
    return entry.answer
  }

  mutating func keep(_ answer: ScanAnswer, for path: String, _ identity: PluginIdentity, now: Int64) {
    entries[path] = Entry(identity: identity, time: now, answer: answer)
    changed.insert(path)
  }

  /// A refusal that the child put into words is not kept in a file, and in memory for moments only: several engines are made in a row.
  mutating func keepForMoments(_ answer: ScanAnswer, for path: String, _ identity: PluginIdentity, now: Int64) {
    if self.path != nil {
      entries[path] = nil
    } else {
      entries[path] = Entry(identity: identity, time: now, answer: answer, lasts: ScanCache.refusalLasts)
    }
    changed.insert(path)
  }

  // MARK: The file

  /// Writes what was found out beside what other programs have written meanwhile: the whole file, or none. What fails costs time and nothing else.
  mutating func save() {
    guard !changed.isEmpty else { return }
    guard let path else {
      ScanCache.memory.withLock { memory in
        if memory.count > ScanCache.mostEntries { memory = [:] }
        for name in changed { memory[name] = entries[name] }
      }
      return
    }
    var merged = ScanCache.read(path) ?? [:]
    for name in changed { merged[name] = entries[name] }
    changed = []
    let lines = merged.inKeyOrder.filter { access($0.key, F_OK) == 0 }.prefix(ScanCache.mostEntries).map(ScanCache.line)
    let text = ([ScanCache.head] + lines + ["end"]).map { $0 + "\n" }.joined()
    guard let slash = path.lastIndex(of: "/") else { return }
    ScanCache.makeDirectory(String(path[..<slash]))
    let temporary = "\(path).\(getpid()).\(MediaTime.monotonic())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let bytes = Array(text.utf8)
    let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
    guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
      unlink(temporary)
      return
    }
  }

  private static func makeDirectory(_ path: String) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    makeDirectory(String(path[..<slash]))
    mkdir(path, 0o700)
  }

  private static func read(_ path: String) -> [String: Entry]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & (S_IWGRP | S_IWOTH) == 0, (0...Int(largest)).contains(Int(status.st_size))
    else { return nil }
    let size = Int(status.st_size)
    let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      count = max(0, Glibc.read(descriptor, buffer.baseAddress, size + 1))
    }
    guard bytes.count == size, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, lines[0] == head, lines[lines.count - 2] == "end", lines[lines.count - 1].isEmpty else { return nil }
    var entries: [String: Entry] = [:]
    for line in lines[1..<lines.count - 2] {
      guard entries.count < mostEntries, let (path, entry) = parse(line) else { return nil }
      entries[path] = entry
    }
    return entries
  }

  // MARK: A line: path, size, time of change, build-id, time of looking, answer; separated by tabs

  private static func line(_ path: String, _ entry: Entry) -> String {
    let verdict: String
    switch entry.answer {
    case .accepted(let ids): verdict = "accepted\t\(ids.joined(separator: " "))"
    case .isolated(let ids): verdict = "isolated\t\(ids.joined(separator: " "))"
    case .refused(let status, let words): verdict = "refused\t\(status.rawValue) \(ScanText.oneLine(words, most: 2048))"
    }
    let identity = entry.identity
    return "\(escaped(path))\t\(identity.size)\t\(identity.modified)\t\(identity.buildID)\t\(entry.time)\t\(verdict)"
  }

  private static func parse(_ line: Substring) -> (String, Entry)? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 7, let path = unescaped(fields[0]), path.hasPrefix("/"), let size = Int64(fields[1]),
      let modified = Int64(fields[2]), fields[3].allSatisfy({ $0.isHexDigit }), let time = Int64(fields[4]), time >= 0
    else { return nil }
    let words = fields[6].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let answer: ScanAnswer
    switch fields[5] {
    case "accepted", "isolated":
      guard !words.isEmpty, words.allSatisfy(ScanAnswer.isID) else { return nil }
      answer = fields[5] == "isolated" ? .isolated(words) : .accepted(words)
    case "refused":
      guard words.count > 1, let code = msdk_result(words[0]), let status = Status(rawValue: code) else { return nil }
      answer = .refused(status, words.dropFirst().joined(separator: " "))
    default: return nil
    }
    return (path, Entry(identity: PluginIdentity(size: size, modified: modified, buildID: String(fields[3])), time: time, answer: answer))
  }

  private static func escaped(_ path: String) -> String {
    path.unicodeScalars.map { $0 == "\\" ? "\\\\" : $0 == "\t" ? "\\t" : $0 == "\n" ? "\\n" : String($0) }.joined()
  }

  private static func unescaped(_ text: Substring) -> String? {
    var result = String.UnicodeScalarView()
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "\\" else {
        result.append(scalar)
        continue
      }
      switch scalars.next() {
      case "\\": result.append("\\")
      case "t": result.append("\t")
      case "n": result.append("\n")
      default: return nil
      }
    }
    return String(result)
  }
}
