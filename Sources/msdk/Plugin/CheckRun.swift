import Checker
import Glibc
import MediaCore

/// Runs the checks over a plugin, one after the other.
struct CheckRun {
  struct Check {
    let index: Int32
    let id: String
    let rule: String
    let summary: String
    let isForClass: Bool
    /// Without it those behind it cannot be run.
    let isNeeded: Bool
  }

  enum Verdict: String {
    case passed
    case failed
    case skipped
    /// Another one on which it stands has failed.
    case blocked
  }

  struct Outcome {
    let check: Check
    let className: String?
    let verdict: Verdict
    /// Of a failure: the rule that was broken.
    let rule: String
    let text: String
    let milliseconds: Int64
  }

  /// Those of the checker's own host, and the one that takes the library's.
  static let checks: [Check] =
    hostile + [
      Check(
        index: checker_count(), id: IsolatedCheck.id, rule: IsolatedCheck.rule, summary: IsolatedCheck.summary, isForClass: true,
        isNeeded: false)
    ]

  private static let hostile: [Check] = (0..<checker_count()).compactMap { index in
    guard let check = checker_at(index)?.pointee else { return nil }
    return Check(
      index: index, id: String(cString: check.id), rule: String(cString: check.rule), summary: String(cString: check.summary),
      isForClass: check.is_for_class != 0, isNeeded: check.is_needed != 0)
  }

  let path: String
  let settings: [(String, String)]
  let seed: UInt64
  let seconds: UInt32
  let isInProcess: Bool
  var only: [String] = []
  var skipped: [String: String] = [:]
  /// How many checks waited their time out. A plugin that hangs in two of them hangs in more, and the rest are not waited for.
  private var hangs = 0
  private static let mostHangs = 2

  init(path: String, settings: [(String, String)], seed: UInt64, seconds: UInt32, isInProcess: Bool) {
    (self.path, self.settings, self.seed, self.seconds, self.isInProcess) = (path, settings, seed, seconds, isInProcess)
  }

  mutating func perform(classes wanted: [String], _ report: (Outcome) -> Void) throws(MediaError) {
    guard series(className: nil, report) else { return }
    let names = try classNames()
    if let missing = wanted.first(where: { !names.contains($0) }) {
      throw MediaError(.notFound, "\(path) has no class \"\(missing)\"; it has \(names.joined(separator: ", "))")
    }
    for name in names where wanted.isEmpty || wanted.contains(name) { _ = series(className: name, report) }
  }

  private func classNames() throws(MediaError) -> [String] {
    let count = call(check: 0, className: nil) { checker_classes(&$0) }
    guard count >= 0 else { throw MediaError(.abi, "\(path): \(String(cString: checker_text()))") }
    return (0..<count).map { String(cString: checker_class($0)) }
  }

  /// The checks of the file, or of one class. False when one failed without which there is no going on.
  private mutating func series(className: String?, _ report: (Outcome) -> Void) -> Bool {
    var blocker: String?
    var firstFailure: String?
    for check in CheckRun.checks where check.isForClass == (className != nil) {
      // What is needed is looked at in any case, and reported when it was asked for, or fails.
      let isAsked = only.isEmpty || only.contains(check.id)
      guard isAsked || check.isNeeded else { continue }
      // What breaks a rule dies in a process of its own, too: it is mended first.
      let outcome = outcome(of: check, className: className, blocker: check.id == IsolatedCheck.id ? firstFailure : blocker)
      if outcome.verdict == .failed, outcome.milliseconds >= Int64(seconds) * 1000 { hangs += 1 }
      if isAsked || outcome.verdict == .failed { report(outcome) }
      if outcome.verdict == .failed, check.isNeeded, blocker == nil { blocker = check.id }
      if outcome.verdict == .failed, firstFailure == nil { firstFailure = check.id }
    }
    return blocker == nil
  }

  private func outcome(of check: Check, className: String?, blocker: String?) -> Outcome {
    func made(_ verdict: Verdict, _ text: String, rule: String = "", since start: Int64? = nil) -> Outcome {
      Outcome(
        check: check, className: className, verdict: verdict, rule: rule, text: text,
        milliseconds: start.map { (CheckRun.now - $0) / 1_000_000 } ?? 0)
    }
    if let reason = skipped[check.id] { return made(.skipped, reason) }
    if let blocker { return made(.blocked, "not run: \(blocker) failed") }
    if hangs >= CheckRun.mostHangs { return made(.blocked, "not run: the plugin hung in \(hangs) checks, \(seconds) s each") }
    let start = CheckRun.now
    if check.id == IsolatedCheck.id, let className {
      switch isolated(className) {
      case .passed: return made(.passed, "", since: start)
      case .skipped(let reason): return made(.skipped, reason, since: start)
      case .failed(let text): return made(.failed, text, rule: check.rule, since: start)
      }
    }
    let verdict = call(check: check.index, className: className) { checker_run(&$0) }
    let text = String(cString: checker_text())
    switch verdict {
    case Int32(CHECKER_PASSED): return made(.passed, "", since: start)
    case Int32(CHECKER_SKIPPED): return made(.skipped, text, since: start)
    default: return made(.failed, text, rule: String(cString: checker_rule()), since: start)
    }
  }

  private func isolated(_ className: String) -> IsolatedCheck.Outcome {
    guard !isInProcess else { return .skipped("--in-process permits no processes") }
    return IsolatedCheck(path: path, classID: className, settings: settings, seconds: seconds).run()
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func call(check: Int32, className: String?, _ body: (inout checker_request) -> Int32) -> Int32 {
    let words = settings.flatMap { [strdup($0.0), strdup($0.1)] }
    defer { for word in words { free(word) } }
    let pointers = words.map { UnsafePointer($0) }
    let name = className.map { strdup($0) } ?? nil
    defer { free(name) }
    return path.withCString { path in
      pointers.withUnsafeBufferPointer { settings in
        var request = checker_request(
          path: path, class_id: name, check: check, seed: seed, in_process: isInProcess ? 1 : 0, seconds: seconds,
          settings: settings.baseAddress, setting_count: Int32(settings.count / 2))
        return body(&request)
      }
    }
  }
}
