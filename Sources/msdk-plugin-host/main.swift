import Glibc
import IsolationChild
import MediaPlugins

// Started by the library, never by hand: each way of using it is one argument.
switch CommandLine.arguments.dropFirst().first {
case "--scan" where CommandLine.arguments.count == 3: ScanProcess.run(CommandLine.arguments[2])
case "--isolate":
  Reaper.run(version: CommandLine.arguments.dropFirst(2).first, sandboxOptions: CommandLine.arguments.dropFirst(3).first)
case "--plugin":
  Reaper.runPlugin(containment: CommandLine.arguments.dropFirst(2).first, refusal: CommandLine.arguments.dropFirst(3).first)
case "--describe": DescribeProcess.run(version: CommandLine.arguments.dropFirst(2).first, path: CommandLine.arguments.dropFirst(3).first)
default:
  let text = "msdk-plugin-host is started by libmediasdk; it has no use of its own\n"
  _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(2)
}
