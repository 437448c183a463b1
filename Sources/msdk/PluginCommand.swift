import ArgumentParser

struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "For authors of plugins: starts one, and checks one against the rules of mediasdk/plugin.h.",
    subcommands: [CheckCommand.self, NewCommand.self])
}
