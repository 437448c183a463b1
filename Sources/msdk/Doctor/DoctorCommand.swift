import ArgumentParser
import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Shows what works on this machine, and what to do about the rest.",
    discussion: """
      One line each for the library, the plugins and why some were refused, isolation, the display, the sound server, the kernel's \
      features, the limits of this process, and the ports. It begins with ok, not here (only what needs it does not work), broken (it is \
      here or was asked for, and does not work), or unknown; what to do is below it. The display and the sound server are connected to, \
      the isolated plugin is run, and datagrams are sent from this machine to itself.

      Whether a firewall lets packets through cannot be seen from the machine that it is on: see msdk help bench-link.

      Exit code: 0 if nothing is broken, 1 if something is.

      Examples:
        msdk doctor
        msdk doctor --port 5004 --port 5006
        msdk doctor --json
      """)

  @Option(
    help: ArgumentHelp("Also try to bind this port of UDP and TCP. Repeatable.", valueName: "port"), transform: { try Arguments.port($0) })
  var port: [UInt16] = []

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Examine every plugin file again.")
  var rescan = false

  @Option(help: ArgumentHelp("Load plugins from this directory first. Repeatable.", valueName: "dir"))
  var plugins: [String] = []

  func run() throws {
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine, isQuiet: true)
    let places = try PluginPlaces(loadingInto: engine, given: plugins, rescan: rescan)
    let findings =
      [.ok("library", "MediaSDK \(SDKVersion.text), plugin ABI \(MSDK_ABI_MAJOR).\(MSDK_ABI_MINOR)")]
      + PluginFindings(engine: engine, places: places).all
      + DeviceFindings(engine: engine).all + KernelFindings.all + PortFindings.all(also: port)
    let broken = findings.count { $0.state == .broken }
    if json {
      print(
        JSON.object([
          ("version", .text(SDKVersion.text)), ("broken", .whole(broken)), ("checks", .array(findings.map(\.json)))
        ]).rendered())
    } else {
      let width = findings.map(\.id.count).max() ?? 0
      print(findings.map { $0.lines(width) }.joined(separator: "\n"))
    }
    guard broken > 0 else { return }
    Terminal.complain("\(broken) of \(findings.count) checks found something broken")
    throw ExitCode(1)
  }
}
