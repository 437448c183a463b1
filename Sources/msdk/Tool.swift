import ArgumentParser
import Glibc
import MediaCore

@main
struct Tool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "msdk",
    abstract: "Inspects MediaSDK and its plugins, runs them in a call inside this process, and sends and receives over networks.",
    discussion: """
      Exit code: 0 for success, 1 when something failed (one line on standard error says what), 2 when the command line is wrong.

      On a terminal, errors, warnings and the results of checks are coloured, unless the environment variable NO_COLOR is set, and progress \
      is one line. Elsewhere all output is plain lines.

      -v or --verbose, with every command, prints the SDK's log on standard error; -vv prints more. In any program, not only this tool, \
      the environment variable MSDK_LOG does the same: debug, info, warn or error.

      Plugins are loaded from the directories given with --plugins, then from the standard directories (the environment variable \
      MSDK_PLUGIN_PATH, colon-separated; MSDK_PLUGIN_SYSTEM_PATH or else ~/.local/share/mediasdk/plugins-1, \
      /usr/local/lib/mediasdk/plugins-1 and /usr/lib/mediasdk/plugins-1), then from 'plugins' and '../lib/mediasdk/plugins-1' beside this \
      program; on Debian, /usr/lib has a directory of the architecture too. Of two classes with the same name, the first is used.
      """,
    version: SDKVersion.text,
    subcommands: [
      InspectCommand.self, RunCommand.self, SendCommand.self, ReceiveCommand.self, ServeCommand.self, TokenCommand.self,
      TopCommand.self, ParamsCommand.self, PluginCommand.self, DemoCommand.self, DoctorCommand.self, BenchLinkCommand.self,
      CompletionsCommand.self, CompleteCommand.self
    ])

  static func main() {
    let line = CommandLineWords.own
    defer { exitUnlessWritten() }
    do {
      var command = try parseAsRoot(line.words)
      try command.run()
    } catch let error as MediaError {
      Terminal.complain(error.text)
      Glibc.exit(1)
    } catch let code as ExitCode {
      Glibc.exit(code.rawValue)
    } catch {
      // Help and the version come as errors, too; also the help of a command that does not exist.
      let mistake = line.mistake()
      if exitCode(for: error) == .success, mistake == nil || line.words.first != "help" { return print(fullMessage(for: error)) }
      let command = (["msdk", "help"] + line.commandPath).joined(separator: " ")
      Terminal.complain(NextStep.trying(command, after: mistake ?? message(for: error)))
      Glibc.exit(2)
    }
  }

  /// What a full disk did not take is not success.
  private static func exitUnlessWritten() {
    guard let error = Terminal.flush() else { return }
    Terminal.complain("standard output cannot be written: \(String(cString: strerror(error)))")
    Glibc.exit(1)
  }
}
