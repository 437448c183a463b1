import Glibc
import MediaCore

/// Has the files of a directory looked at by a child before this process loads any of them.
public struct PluginScanner: Sendable {
  /// Of one file; a loaded machine takes its time.
  public static let patience: UInt32 = 10_000

  let program: String
  let cachePath: String?
  var patience = PluginScanner.patience

  public init(program: String, cachePath: String?) {
    self.program = program
    self.cachePath = cachePath
  }

  /// nil without the program that scans: files are loaded unseen then.
  public static func standard(ignoringEnvironment: Bool) -> PluginScanner? {
    guard let program = PluginHostProgram.path(ignoringEnvironment: ignoringEnvironment) else { return nil }
    return PluginScanner(program: program, cachePath: ScanCache.standardPath(ignoringEnvironment: ignoringEnvironment))
  }

  func begin(rescan: Bool) -> Scan { Scan(self, rescan: rescan) }

  /// The scan of one directory, with what is known already.
  struct Scan {
    private let scanner: PluginScanner
    private let rescan: Bool
    private var cache: ScanCache

    init(_ scanner: PluginScanner, rescan: Bool) {
      self.scanner = scanner
      self.rescan = rescan
      cache = ScanCache(path: scanner.cachePath)
    }

    /// The classes that a file brings, or why this process must not load it. nil: nobody could look, and it is loaded unseen.
    mutating func classes(of path: String) throws(MediaError) -> [String]? {
      let resolved = try PluginFile.check(path)
      if let loaded = PluginFile.loadedClasses(resolved) { return loaded }
      try ElfFile.check(resolved)
      let identity = try PluginIdentity(of: resolved)
      let now = Int64(time(nil))
      if !rescan, let known = cache.answer(for: resolved, identity, now: now) { return try PluginScanner.result(known) }
      let deadline = Deadline.after(milliseconds: scanner.patience)
      guard let outcome = try? ScanChild.run(scanner.program, ["--scan", resolved], deadline: deadline) else { return nil }
      let (answer, isAnswered) = scanner.judge(outcome, resolved)
      if case .refused = answer, isAnswered {
        cache.keepForMoments(answer, for: resolved, identity, now: now)
      } else {
        cache.keep(answer, for: resolved, identity, now: now)
      }
      return try PluginScanner.result(answer)
    }

    mutating func finish() { cache.save() }
  }

  private static func result(_ answer: ScanAnswer) throws(MediaError) -> [String] {
    switch answer {
    case .accepted(let ids): return ids
    case .refused(let status, let words): throw MediaError(status, words)
    }
  }

  /// What came of a child, and whether that is an answer of its own.
  private func judge(_ outcome: ScanChild.Outcome, _ path: String) -> (ScanAnswer, isAnswered: Bool) {
    let said = outcome.words.isEmpty ? "" : "; it said: \(outcome.words)"
    func fault(_ status: Status, _ words: String) -> (ScanAnswer, Bool) {
      (.refused(status, "plugin \(path) was not loaded: \(words)\(said)"), false)
    }
    let answer = ScanAnswer(outcome.output)
    switch outcome.end {
    case .late: return fault(.timeout, "a process that loaded it did not end within \(Double(patience) / 1000) s")
    case .flooding: return fault(.abi, "a process that loaded it wrote without end")
    case .signal(let number):
      return fault(.pluginDied, "a process that loaded it was ended by signal \(number), \(ForeignText.readLossy(strsignal(number), limit: 128))")
    case .exit(let code) where code != 0 || outcome.output.isEmpty:
      return fault(.pluginDied, "a process that loaded it was ended by exit(\(code))")
    case .exit, .unknown:
      guard let answer else { return fault(.abi, "what a process that loaded it answered makes no sense") }
      return (answer, true)
    }
  }
}
