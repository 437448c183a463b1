import ArgumentParser

struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "Creates a plugin project, and checks a plugin against the rules of mediasdk/plugin.h.",
    subcommands: [CheckCommand.self, NewCommand.self])
}
