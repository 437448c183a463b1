import CLinux
import Glibc
import IsolationProtocol
import MediaCore

/// The program that plugins run in. It is two processes: this one, which holds nothing of the plugin, waits for the other to end, says how,
/// and leaves nothing of it behind; and the one with the plugin. So an exit status is known whatever the program does with SIGCHLD, and what
/// the plugin has started ends with it. With namespaces there is a third between them, their first, which ends with the plugin.
///
/// The process with the plugin executes the same program again after the fork. Otherwise its first thread would have the number that Swift's
/// runtime keeps for the parent's thread, and two threads that reached a lazy constant at the same time would wait for ever.
public enum Reaper {
  /// Of a process that was started for it. `sandboxOptions`: MSDK_ISOLATED_*, of which it sees to those that hold from the first. Never returns.
  public static func run(version: String?, sandboxOptions: String?) -> Never {
    guard version == "\(Wire.version)" else {
      complain("msdk-plugin-host uses protocol version \(Wire.version); the library asked for \(version ?? "none")")
      exit(2)
    }
    _ = msdk_adopt_orphans()
    let sandboxOptions = SandboxOptions(rawValue: sandboxOptions.flatMap { UInt32($0) } ?? 0)
    let first = Namespaces.fork(withoutNetwork: sandboxOptions.contains(.noNetwork))
    if first.process == 0 { NamespaceInit.run(first) }
    if first.process > 0 {
      for descriptor in [0, 1, 2, Wire.Descriptor.calls, Wire.Descriptor.events] { close(descriptor) }
      watch(first.process, reportsItself: true)
      exit(0)
    }
    let plugin = start(first.sandbox, under: getpid())
    for descriptor in [0, 1, 2, Wire.Descriptor.calls, Wire.Descriptor.events] { close(descriptor) }
    watch(plugin, reportsItself: false)
    exit(0)
  }

  /// The process with the plugin, as a child of this one; what is not its own is closed there.
  fileprivate static func start(_ sandbox: SandboxReport, under parent: pid_t, closing other: Int32 = -1) -> pid_t {
    let plugin = msdk_fork()
    guard plugin >= 0 else {
      complain("the plugin's process cannot be started: \(SystemText.of(errno))")
      exit(2)
    }
    if plugin == 0 {
      _ = msdk_die_with_parent()
      guard getppid() == parent else { _exit(2) }
      setsid()
      close(Wire.Descriptor.control)
      if other >= 0 { close(other) }
      startAnew(["--plugin", "\(sandbox.containment.rawValue)", sandbox.refusal])
    }
    return plugin
  }

  /// Of the process with the plugin, in its new program. Never returns.
  public static func runPlugin(containment: String?, refusal: String?) -> Never {
    // That of /proc/self/exe would be "exe".
    pthread_setname_np(pthread_self(), "msdk-plugin-hos")
    let containment = Containment(rawValue: containment.flatMap { UInt32($0) } ?? 0)
    ChildMain.run(SandboxReport(containment: containment, refusal: refusal ?? ""))
  }

  /// Without /proc by the path that the library started it with.
  private static func startAnew(_ arguments: [String]) -> Never {
    let path = CommandLine.arguments[0]
    var pointers = ([path] + arguments).map { strdup($0) }
    pointers.append(nil)
    for program in ["/proc/self/exe", path] { execv(program, pointers) }
    complain("the plugin's process cannot be started: \(SystemText.of(errno))")
    _exit(2)
  }

  /// Says how the plugin ended.
  fileprivate static func report(_ status: Int32) {
    _ = withUnsafeBytes(of: status) { msdk_send_packet(Wire.Descriptor.control, $0.baseAddress, $0.count, -1, 0) }
  }

  static func complain(_ text: String) {
    let line = "\(text)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// Until that process ends, the plugin's or the one that watches it, or the library is gone or wants it to be.
  private static func watch(_ plugin: pid_t, reportsItself: Bool) {
    let control = Wire.Descriptor.control
    let ended = msdk_pidfd(plugin)
    var pollers = [
      pollfd(fd: control, events: Int16(POLLIN), revents: 0),
      pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
    ]
    var status: Int32 = 0
    while true {
      // Without pidfds, look often enough.
      _ = poll(&pollers, 2, ended >= 0 ? -1 : 20)
      if waitpid(plugin, &status, WNOHANG) == plugin { break }
      guard pollers[0].revents != 0 else { continue }
      kill(plugin, SIGKILL)
      while waitpid(plugin, &status, 0) < 0, errno == EINTR {}
      break
    }
    if !reportsItself || msdk_exit_signal(status) > 0 { report(status) }
    // What is in its session, and what left that and was adopted by this process.
    kill(-plugin, SIGKILL)
    for _ in 0..<2_000 {
      killChildren()
      let gone = waitpid(-1, &status, WNOHANG)
      if gone < 0, errno == ECHILD { return }
      if gone == 0 { usleep(1_000) }
    }
  }

  private static func killChildren() {
    let descriptor = open("/proc/self/task/\(getpid())/children", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &text, text.count)
    guard count > 0 else { return }
    for word in text.prefix(count).split(separator: 32) {
      if let child = pid_t(String(decoding: word, as: UTF8.self)), child > 1 { kill(child, SIGKILL) }
    }
  }
}

/// Number 1 of the plugin's own processes. It is not the plugin, as signals that a first process sends itself are lost, abort's among them.
private enum NamespaceInit {
  static func run(_ first: Namespaces.First) -> Never {
    let plugin = Reaper.start(first.sandbox, under: getpid(), closing: first.life)
    for descriptor in [0, 1, 2, Wire.Descriptor.calls, Wire.Descriptor.events, first.life] { close(descriptor) }
    var status: Int32 = 0
    while true {
      let ended = waitpid(-1, &status, 0)
      if ended == plugin { break }
      if ended < 0, errno != EINTR { _exit(2) }
    }
    Reaper.report(status)
    // With it, the kernel ends all that the plugin has left.
    _exit(0)
  }
}
