import ArgumentParser
import MediaCore

struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the figures of running sessions of msdk send, receive and run, again each second.",
    discussion: """
      Each of them shows its figures to this user alone, on a socket in the directory mediasdk of $XDG_RUNTIME_DIR, named by its process; \
      without that variable there are none. A line tells of each session, with what can be sent and how good the network is in both directions, \
      and a line of each stream: bits and packets a second, packets lost, jitter, round trip, pictures a second and key pictures, freezes (of \
      sound: times that it was concealed), NACK and PLI, packets sent again, what the encoder is told to make, and for how long packets wait to be \
      sent, or media in the jitter buffer. '-' is what is not known. The names behind them are those of W3C's webrtc-stats.

      On a terminal the table stays in its place; elsewhere it is printed each second. It ends when nobody shows figures any more, or with Ctrl-C.

      Examples:
        msdk top
        msdk top 4711 --once
        msdk top --once --json
      """)

  @Argument(help: ArgumentHelp("Only the process of that number.", valueName: "pid"))
  var process: Int32?

  @Flag(help: "Show the figures of one second, and end.")
  var once = false

  @Flag(help: "Print them as JSON, an object a second and process.")
  var json = false

  func validate() throws {
    if let process, process <= 0 { throw ValidationError("the process is \(process); accepted: 1 and more") }
  }

  func run() throws {
    try TopRun(command: self).perform()
  }
}

/// Asks once a second, and shows what has changed.
struct TopRun {
  let command: TopCommand
  private static let second = 1000

  func perform() throws(MediaError) {
    guard let directory = StatsPlace.directory else {
      throw MediaError(.notFound, "XDG_RUNTIME_DIR is not set to a directory, so no process can show its figures")
    }
    let signals = StopSignals()
    var before = try look(directory)
    guard !before.isEmpty else {
      let words = command.process.map { "process \($0) shows no figures" } ?? "no running msdk shows figures"
      throw MediaError(.notFound, "\(words) in \(directory)")
    }
    if command.json, command.once { return show(before, before: []) }
    while !signals.wait(milliseconds: TopRun.second) {
      let now = try look(directory)
      if now.isEmpty { return }
      show(now, before: before)
      if command.once { return }
      before = now
    }
  }

  private func look(_ directory: String) throws(MediaError) -> [StatsSnapshot] {
    var found: [StatsSnapshot] = []
    for process in command.process.map({ [$0] }) ?? StatsPlace.processes(in: directory) {
      if let snapshot = try StatsSnapshot(of: process, in: directory) { found.append(snapshot) }
    }
    return found
  }

  private func show(_ now: [StatsSnapshot], before: [StatsSnapshot]) {
    if command.json { return Terminal.show(now.map { $0.json.rendered() }.joined(separator: "\n")) }
    let tables = now.map { snapshot in TopTable(snapshot.json, before: before.first { $0.process == snapshot.process }?.json).text }
    // From the top of the screen, which is emptied.
    let start = Terminal.isInteractive && !command.once ? "\u{1B}[H\u{1B}[2J" : ""
    Terminal.show(start + tables.joined(separator: "\n\n"))
  }
}
