import ArgumentParser
import Glibc
import MediaCore

extension Template.Kind: ExpressibleByArgument {}
extension Template.Language: ExpressibleByArgument {}

struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Creates a plugin project: a folder that builds, passes the checks and shows something.",
    discussion: """
      'make' builds it against the installed headers, which pkg-config finds; 'make check' checks it, 'make run' tries it in a call, 'make \
      install' installs it where programs look for plugins. C needs a C11 compiler, C++ one for C++20, Swift the toolchain of Swift 6, \
      Rust rustc 1.63 and no crates. A producer is asked for each frame; a push-producer delivers frames from a thread of its own; \
      the frames of an encoded-producer are encoded already, and sent unchanged. Swift and Rust: --kind producer, renderer and filter.

      Examples:
        msdk plugin new gradient
        msdk plugin new gradient_rust --language rust
        msdk plugin new camera --language cpp --kind push-producer
        make -C camera all check run
        msdk plugin new vp8_camera --kind encoded-producer
        msdk plugin new meter --kind audio-renderer --id com.example.meter
      """)

  @Argument(help: ArgumentHelp("The folder, and the plugin's name: [a-z][a-z0-9_]*, at most 40 bytes.", valueName: "name"))
  var name: String

  @Option(help: "producer, push-producer, encoded-producer, renderer, audio-producer, audio-renderer, filter or codec.")
  var kind = Template.Kind.producer

  @Option(help: "c, cpp, swift or rust.")
  var language = Template.Language.c

  @Option(help: ArgumentHelp("The class's id, reverse DNS; default: org.example.NAME.", valueName: "id"))
  var id: String?

  func validate() throws {
    let isName = name.utf8.enumerated().allSatisfy { index, byte in
      (97...122).contains(byte) || index > 0 && ((48...57).contains(byte) || byte == 95)
    }
    guard isName, (1...40).contains(name.utf8.count) else {
      throw ValidationError("the name is \"\(name)\"; accepted: [a-z][a-z0-9_]*, at most 40 bytes")
    }
    let isID = id?.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || [45, 46, 95].contains($0) } ?? true
    guard isID, (1...127).contains(id?.utf8.count ?? 1) else {
      throw ValidationError("--id is \"\(id ?? "")\"; accepted: [a-z0-9._-], 1 to 127 bytes")
    }
    // By a name without a dot the tool looks for the end of an id.
    guard id.map({ !$0.split(separator: ".", omittingEmptySubsequences: false).contains("") && $0.contains(".") }) ?? true else {
      throw ValidationError("--id is \"\(id ?? "")\"; accepted: reverse DNS, at least two names with a dot between them")
    }
    guard Template(kind, language) != nil else {
      throw ValidationError(
        "there is no \(kind.rawValue) in \(language.rawValue); accepted: producer, renderer, filter, or --language c or cpp")
    }
  }

  func run() throws {
    guard let template = Template(kind, language) else { throw ExitCode(2) }
    guard mkdir(name, 0o777) == 0 else { throw FileWriter.failure("./\(name)") }
    for file in template.files {
      let path = "\(name)/\(filled(file.path))"
      if let end = path.lastIndex(of: "/"), mkdir(String(path[..<end]), 0o777) != 0, errno != EEXIST {
        throw FileWriter.failure(String(path[..<end]))
      }
      try FileWriter.write(filled(file.text), to: path, isNew: true)
      print(path)
    }
    print("Next: cd \(name), then make, make check, make run.")
  }

  private func filled(_ text: String) -> String {
    text.filled("@NAME@", name).filled("@ID@", id ?? "org.example.\(name)")
  }
}
