import Glibc
import MediaCore

/// Has the files of a directory looked at by a child before this process loads any of them.
public struct PluginScanner: Sendable {
  /// Of one file; a loaded machine takes its time.
  public static let patience: UInt32 = 10_000

  let program: String
  let cachePath: String?
  var patience = PluginScanner.patience

  init(program: String, cachePath: String?) {
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

    /// What a file brings, or why this process must not load it. nil: nobody could look, and it is loaded unseen.
    mutating func look(at path: String) throws(MediaError) -> Look? {
      let resolved = try PluginFile.check(path)
      if let loaded = PluginFile.loadedClasses(resolved) { return Look(classes: loaded, prefersIsolation: false) }
      try ElfFile.check(resolved)
      let identity = try PluginIdentity(of: resolved)
      let now = Int64(time(nil))
      if !rescan, let known = cache.answer(for: resolved, identity, now: now) { return try PluginScanner.result(known) }
      let deadline = Deadline.after(milliseconds: scanner.patience)
      guard let outcome = try? ChildAnswer.of(scanner.program, ["--scan", resolved], most: ScanAnswer.mostBytes, deadline: deadline) else {
        return nil
      }
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

  struct Look: Equatable {
    let classes: [String]
    /// The file is described by a process then, and not loaded into this one before that is asked for.
    let prefersIsolation: Bool
  }

  private static func result(_ answer: ScanAnswer) throws(MediaError) -> Look {
    switch answer {
    case .accepted(let ids): return Look(classes: ids, prefersIsolation: false)
    case .isolated(let ids): return Look(classes: ids, prefersIsolation: true)
    case .refused(let status, let words): throw MediaError(status, words)
    }
  }

  /// What came of a child, and whether that is an answer of its own.
  private func judge(_ outcome: ChildAnswer.Outcome, _ path: String) -> (ScanAnswer, isAnswered: Bool) {
    if let fault = outcome.fault(path, patience: patience) { return (.refused(fault.status, fault.text), false) }
    if let answer = ScanAnswer(outcome.output) { return (answer, true) }
    let fault = outcome.senseless(path)
    return (.refused(fault.status, fault.text), false)
  }
}
