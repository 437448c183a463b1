import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash
    case zsh
    case fish
  }

  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Prints a script with which a shell completes msdk's commands, options, classes, parameters and files.",
    discussion: """
      The script asks msdk itself, so it also completes the classes of the plugins that are installed or given with --plugins, their \
      parameters, and the values of these: msdk run --producer testpattern:<TAB>.

      An installation has the scripts where the shells look for them. Without one: for bash, save it as msdk in \
      ~/.local/share/bash-completion/completions (package bash-completion), or read it with the command '.' in ~/.bashrc. For zsh, save it \
      as _msdk in a directory of fpath. For fish, save it as msdk.fish in ~/.config/fish/completions.

      Examples:
        msdk completions bash > msdk
        msdk completions zsh > _msdk
        msdk completions fish > msdk.fish
      """)

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() throws {
    let script =
      switch shell {
      case .bash: CompletionScripts.bash
      case .zsh: CompletionScripts.zsh
      case .fish: CompletionScripts.fish
      }
    print(script)
  }
}
