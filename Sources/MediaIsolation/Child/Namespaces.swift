import CLinux
import Glibc
import IsolationProtocol
import MediaCore

/// Gives a process namespaces of its own, as far as the kernel lets us. Without privileges that takes a user namespace, in which the user is
/// who they were and may do nothing that others may not; containers and some systems refuse it.
enum Namespaces {
  /// The first process of new namespaces: number 1 there, with which all others end.
  struct First {
    let process: pid_t
    /// Open for as long as the parent lives: in the child, the end by which it notices that.
    let life: Int32
    let sandbox: SandboxReport
  }

  private enum Kind: CaseIterable {
    /// Anybody may, where it is allowed at all.
    case user
    /// Root may; for systems that have switched user namespaces off.
    case plain
  }

  /// Forks. In the child `process` is 0. Without namespaces to be had, `life` is -1, and there is no child. Of a process of one thread.
  static func fork(withoutNetwork: Bool) -> First {
    var refusal = ""
    for kind in Kind.allCases {
      var (namespaces, sandbox) = (UInt32(MSDK_NEW_PROCESSES | MSDK_NEW_IPC), SandboxReport(containment: [.processes, .interprocess]))
      if withoutNetwork {
        namespaces |= UInt32(MSDK_NEW_NETWORK)
        sandbox.containment.insert(.network)
      }
      if kind == .user {
        namespaces |= UInt32(MSDK_NEW_USER)
        sandbox.containment.insert(.user)
      }
      do throws(MediaError) {
        return try fork(namespaces, sandbox)
      } catch {
        if refusal.isEmpty { refusal = error.text }
      }
    }
    return First(process: -1, life: -1, sandbox: SandboxReport(refusal: refusal))
  }

  private static func fork(_ namespaces: UInt32, _ sandbox: SandboxReport) throws(MediaError) -> First {
    var pipe: [Int32] = [-1, -1]
    guard msdk_pipe(&pipe) == 0 else { throw MediaError(.io, "no pipe: \(SystemText.of(errno))") }
    let process = msdk_fork_into(namespaces)
    if process == 0 {
      close(pipe[1])
      return enter(First(process: 0, life: pipe[0], sandbox: sandbox))
    }
    let code = errno
    close(pipe[0])
    guard process > 0 else {
      close(pipe[1])
      throw MediaError(.unsupported, "namespaces: \(SystemText.of(code))")
    }
    if sandbox.containment.contains(.user), let failure = map(process) {
      // It ends, as nothing lets it go on.
      close(pipe[1])
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      throw MediaError(.unsupported, failure)
    }
    var word: UInt8 = 1
    _ = write(pipe[1], &word, 1)
    return First(process: process, life: pipe[1], sandbox: sandbox)
  }

  /// In the child, until the parent has mapped who it is.
  private static func enter(_ first: First) -> First {
    var word: UInt8 = 0
    while true {
      let count = read(first.life, &word, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { _exit(2) }
      break
    }
    _ = msdk_die_with_parent()
    var poller = pollfd(fd: first.life, events: Int16(POLLIN), revents: 0)
    guard poll(&poller, 1, 0) == 0 else { _exit(2) }
    if first.sandbox.containment.contains(.user) {
      // What it could do in here is more than the user may outside. Root may still read and write everybody's files.
      _ = msdk_no_new_privileges()
      _ = msdk_keep_capabilities(getuid() == 0 ? UInt32(MSDK_CAPABILITIES_OF_FILES) : 0)
    }
    return first
  }

  // MARK: Who is who

  /// The same numbers inside as outside: all for root, else the user's own. Returns why it cannot.
  private static func map(_ process: pid_t) -> String? {
    let files = "/proc/\(process)"
    let isRoot = geteuid() == 0
    let isMapped = isRoot && put(all("uid"), "\(files)/uid_map")
    if isMapped, put(all("gid"), "\(files)/gid_map") { return nil }
    // What the user's groups may they may still; nobody leaves one by this.
    guard put("deny", "\(files)/setgroups") || errno == ENOENT, isMapped || put("\(geteuid()) \(geteuid()) 1", "\(files)/uid_map"),
      put("\(getegid()) \(getegid()) 1", "\(files)/gid_map")
    else { return "a user namespace: \(SystemText.of(errno))" }
    return nil
  }

  /// As this process sees them: each line is where a range begins here, where outside, and how long it is.
  private static func all(_ which: String) -> String {
    let descriptor = open("/proc/self/\(which)_map", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return "" }
    let lines = bytes.prefix(count).split(separator: 10).map { $0.split(separator: 32).map { String(decoding: $0, as: UTF8.self) } }
    return lines.filter { $0.count == 3 }.map { "\($0[0]) \($0[0]) \($0[2])\n" }.joined()
  }

  private static func put(_ text: String, _ path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
    let code = errno
    defer { errno = code }
    return isWritten
  }
}
