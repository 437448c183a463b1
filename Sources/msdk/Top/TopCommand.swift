import ArgumentParser
import MediaCore

struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the figures of running sessions of msdk send, receive and run, every second.",
    discussion: """
      Each session shows its figures only to this user, on a socket in the directory mediasdk of $XDG_RUNTIME_DIR, named by its process; \
      without that variable there are none. A line describes each session: how much can be sent, and the network quality in both \
      directions. Below it is a line for each stream: kilobits a second, the encoder's target, packets a second, packets lost in percent, \
      jitter (jit), round trip (rtt) and delay in milliseconds, frames a second, key frames, freezes (frz; for audio: concealments), NACK \
      and PLI, and retransmitted packets (rtx). The delay is how long packets are queued before sending, or how long media is in the \
      jitter buffer. '-' is an unknown figure; inside one process most network figures are unknown. --json prints the same and more; \
      docs/json.md describes it.

      On a terminal the table is updated in place; elsewhere it is printed each second. It ends when no process shows figures any longer, \
      or with Ctrl-C.

      Examples:
        msdk run --producer testpattern --seconds 5 &
        sleep 1
        msdk top $! --once
        msdk top --once --json
        msdk top
      """)

  @Argument(help: ArgumentHelp("Show only the process with this number.", valueName: "pid"))
  var process: Int32?

  @Flag(help: "Show the figures of one second, and exit.")
  var once = false

  @Flag(help: "Print JSON, one object per second and process.")
  var json = false

  func validate() throws {
    if let process, process <= 0 { throw ValidationError("the process is \(process); accepted: at least 1") }
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
      throw MediaError(.notFound, "XDG_RUNTIME_DIR is not set to a directory, so no process can show its figures; try: msdk doctor")
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
      do throws(MediaError) {
        if let snapshot = try StatsSnapshot(of: process, in: directory) { found.append(snapshot) }
      } catch {
        // One that is stopped, or shows what cannot be read, hides no others.
        guard command.process == nil else { throw error }
        Terminal.complain("warning: \(error.text)")
      }
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
