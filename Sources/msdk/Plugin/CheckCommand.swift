import ArgumentParser
import Checker
import Glibc
import MediaCore

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a plugin against every rule of mediasdk/plugin.h that a host can test.",
    discussion: """
      The plugin is run by a hostile host: short and long tables, memory that ends at the last row, padded rows, an empty pool, another \
      thread for every call, read-only frames. Every check runs in a process of its own, which is killed when it hangs; after the second \
      check that hung, the rest are not run. A failed check prints the rule and what was observed. If it is one that others need (load, \
      entry, tables, create, init), those are not run. The last check, isolated, runs the class in a process of its own and kills that \
      process while it works; it is run if nothing else failed.

      A class may need a file or a device: --set path=clip.y4m sets the parameter of every class that has it. A check that cannot work on \
      this machine is skipped with --skip and a reason, which is printed.

      Exit code: 0: nothing failed; 1: a check failed, or the plugin could not be read; 2: the command line is wrong.

      Examples:
        msdk plugin new gradient
        make -C gradient
        msdk plugin check gradient/gradient.so --junit result.xml
        msdk plugin check gradient/gradient.so --set speed=2 --skip leaks=known
        msdk plugin check gradient/gradient.so --only stop --seed 7 --in-process
        msdk plugin check --list
      """)

  @Argument(help: ArgumentHelp("The plugin, a shared object.", valueName: "file"))
  var file: String?

  @Flag(help: "List the checks and their rules.")
  var list = false

  @Option(name: .customLong("class"), help: ArgumentHelp("Check only this class. Repeatable.", valueName: "id"))
  var classes: [String] = []

  @Option(help: ArgumentHelp("Run only this check. Repeatable.", valueName: "check"))
  var only: [String] = []

  @Option(help: ArgumentHelp("Skip this check. Repeatable.", valueName: "check=reason"))
  var skip: [String] = []

  @Option(help: ArgumentHelp("Set this parameter before anything else. Repeatable.", valueName: "name=value"))
  var set: [String] = []

  @Option(help: ArgumentHelp("The seed of the random numbers.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("The time limit of a check in seconds, 1 to 600.", valueName: "n"))
  var seconds: UInt32 = 30

  @Flag(help: "Use no processes, for a debugger. A check that crashes or hangs does so in this program.")
  var inProcess = false

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: ArgumentHelp("Also write the results to this file, as JUnit XML.", valueName: "file"))
  var junit: String?

  private static let ids = CheckRun.checks.map(\.id)

  func validate() throws {
    guard list || file != nil else { throw ValidationError("no plugin is given; accepted: a file, or --list") }
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds is \(seconds); accepted: 1..600") }
    for id in only + skip.map({ CheckCommand.pair($0)?.0 ?? $0 }) where !CheckCommand.ids.contains(id) {
      throw ValidationError("there is no check \"\(id)\"; there are \(CheckCommand.ids.joined(separator: ", "))")
    }
    for text in skip {
      guard let (_, reason) = CheckCommand.pair(text), !reason.isEmpty else {
        throw ValidationError("--skip is \"\(text)\"; accepted: a check, an equals sign, and the reason")
      }
    }
    for text in set where CheckCommand.pair(text) == nil { throw ValidationError("--set is \"\(text)\"; accepted: name=value") }
  }

  private static func pair(_ text: String) -> (String, String)? {
    guard let split = text.firstIndex(of: "="), split > text.startIndex else { return nil }
    return (String(text[..<split]), String(text[text.index(after: split)...]))
  }

  func run() throws {
    guard let file, !list else { return print(CheckReport.list) }
    guard let path = realpath(file, nil) else { throw MediaError(.notFound, "\(file): \(String(cString: strerror(errno)))") }
    defer { free(path) }
    var run = CheckRun(
      path: String(cString: path), settings: set.compactMap(CheckCommand.pair), seed: seed, seconds: seconds, isInProcess: inProcess)
    run.only = only
    run.skipped = Dictionary(skip.compactMap(CheckCommand.pair)) { _, last in last }
    var report = CheckReport(path: file, seed: seed)
    try run.perform(classes: classes) { outcome in
      if !json { Terminal.show(CheckReport.text(of: outcome, after: report.outcomes.last)) }
      report.outcomes.append(outcome)
    }
    print(json ? report.json.rendered() : report.summary)
    if let junit { try report.writeJUnit(to: junit) }
    guard report.failedCount == 0 else { throw ExitCode(1) }
  }
}
