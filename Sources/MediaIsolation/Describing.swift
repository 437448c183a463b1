import CLinux
import Glibc
import MediaCore
import MediaPlugins

/// Looking at a file without loading it: a process does that and tells what it saw.
extension Isolation {
  private static let patience: UInt32 = 10_000
  private static let mostBytes = 16 << 20

  /// The module as a process described it; nil when its code is to be in this process, as some of its classes will not be isolated.
  public func describe(_ path: String) throws(MediaError) -> LoadedModule? {
    guard !globs.isEmpty, let program else { return nil }
    let path = try PluginFile.check(path)
    let module: LoadedModule
    do throws(MediaError) {
      module = try Isolation.known(path, program: program)
    } catch {
      guard error.status == .unsupported else { throw error }
      return nil
    }
    let fileName = path.split(separator: "/").last.map(String.init) ?? path
    let isAll = module.classes.allSatisfy { (names($0.id) || names(fileName)) && Isolation.obstacle($0) == nil }
    return isAll ? module : nil
  }

  /// Which file it was: one that was replaced is looked at again.
  private struct Stamp: Equatable {
    let device, inode: UInt64
    let size, seconds, nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
      (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private struct Described {
    let stamp: Stamp
    let outcome: Result<LoadedModule, MediaError>
  }

  private static let described = Monitor<[String: Described]>([:])

  /// What was seen in this process's life already, as loaded files are loaded once. A look that failed by itself is made again.
  private static func known(_ path: String, program: String) throws(MediaError) -> LoadedModule {
    let stamp = Stamp(path)
    if let known = described.withLock({ $0[path] }), known.stamp == stamp { return try known.outcome.get() }
    do throws(MediaError) {
      let module = try describe(path, program: program)
      if let stamp { described.withLock { $0[path] = Described(stamp: stamp, outcome: .success(module)) } }
      return module
    } catch {
      if let stamp, error.status == .abi || error.status == .unsupported, error.text.hasPrefix("plugin \(path): the process") == false {
        described.withLock { $0[path] = Described(stamp: stamp, outcome: .failure(error)) }
      }
      throw error
    }
  }

  static func describe(_ path: String, program: String) throws(MediaError) -> LoadedModule {
    var pipe: [Int32] = [-1, -1]
    guard msdk_pipe(&pipe) == 0 else { throw MediaError(.io, "no pipe for a plugin's process: \(SystemText.of(errno))") }
    defer { close(pipe[0]) }
    let started: Spawn.Started
    do throws(MediaError) {
      started = try Spawn.start(program, ["--describe", "\(Wire.version)", path], descriptors: [pipe[1]])
    } catch {
      close(pipe[1])
      throw error
    }
    close(pipe[1])
    let watch = msdk_pidfd(started.process)
    let bytes = readAll(pipe[0], until: Deadline.after(milliseconds: patience))
    if watch >= 0 {
      _ = msdk_pidfd_kill(watch)
      close(watch)
    }
    var status: Int32 = 0
    while waitpid(started.process, &status, 0) < 0, errno == EINTR {}
    var tail = OutputTail()
    _ = tail.read(started.output)
    close(started.output)
    guard let bytes, !bytes.isEmpty else {
      let how = bytes == nil ? "took longer than \(patience / 1000) s" : "ended without a word"
      throw MediaError(.abi, "plugin \(path): the process that looked at it \(how)\(tail.text.isEmpty ? "" : "; it wrote: \(tail.text)")")
    }
    let module: Result<LoadedModule, MediaError> = bytes.withUnsafeBytes { bytes in
      do throws(MediaError) { return .success(try read(bytes, path: path)) } catch { return .failure(error) }
    }
    return try module.get()
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, path: String) throws(MediaError) -> LoadedModule {
    var reader = WireReader(bytes)
    let code = try reader.get(Int32.self)
    guard code >= 0 else { throw MediaError(Status(foreign: code), try reader.getText()) }
    return try Description.read(&reader, path: path)
  }

  /// Up to the end; nil when that does not come in time.
  private static func readAll(_ descriptor: Int32, until deadline: Int64) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= mostBytes {
      let left = deadline - MediaTime.monotonic()
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, left <= 0 ? 0 : Int32(clamping: left / 1_000_000 + 1))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer.prefix(count))
    }
    return nil
  }
}

/// The other side: of a process that was started for it.
public enum Describer {
  public static func run(version: String?, path: String?) -> Never {
    guard version == "\(Wire.version)", let path else {
      Guardian.complain("msdk-plugin-host speaks version \(Wire.version); the library asked for \(version ?? "none")")
      exit(2)
    }
    _ = msdk_die_with_parent()
    PluginSide.confine(memory: 2_048, processorTime: 20, mayFork: false)
    var writer = WireWriter()
    do throws(MediaError) {
      let module = try PluginFile.load(path)
      writer.put(Int32(0))
      Description.write(module, to: &writer)
    } catch {
      writer.begin()
      writer.put(error.status.rawValue)
      writer.put(text: error.text)
    }
    writer.bytes.withUnsafeBytes { bytes in
      var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
      while !rest.isEmpty {
        let count = write(Wire.Descriptor.calls, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { _exit(2) }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
    // What the plugin would do at exit is not wanted.
    _exit(0)
  }
}
