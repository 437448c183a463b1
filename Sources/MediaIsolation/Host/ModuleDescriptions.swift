import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Looking at a file without loading it: a process does that and describes it (`DescribeProcess`).
extension Isolation {
  private static let timeout: UInt32 = 10_000
  private static let mostBytes = 16 << 20

  /// The module as a process described it; nil when its code is to be in this process. `wish`: one of its classes prefers isolation.
  /// `anew`: what was seen before does not count.
  public func describe(_ path: String, wish: Bool = false, anew: Bool = false) throws(MediaError) -> LoadedModule? {
    guard wish || !globs.isEmpty, let program else { return nil }
    let path = try PluginFile.check(path)
    let module = try Isolation.known(path, program: program, anew: anew)
    let fileName = path.split(separator: "/").last.map(String.init) ?? path
    // Whichever of its classes is wanted in this process is loaded then.
    let isAll = wish || module.classes.allSatisfy { (names($0.id) || names(fileName)) && Isolation.obstacle($0) == nil }
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
    /// On CLOCK_MONOTONIC.
    let until: Int64
  }

  private static let described = Monitor<[String: Described]>([:])

  /// What was seen in this process's life already. A description lasts as long as the file; refusals as long as those of a scan do: moments
  /// when the process gave an error, as its reason may lie outside of the file, a day when it died or hung.
  private static func known(_ path: String, program: String, anew: Bool) throws(MediaError) -> LoadedModule {
    let stamp = Stamp(path)
    let now = MediaTime.monotonic()
    if !anew, let known = described.withLock({ $0[path] }), known.stamp == stamp, now < known.until { return try known.outcome.get() }
    let outcome: Result<LoadedModule, MediaError>
    var lasts = Int64.max
    let answer = try ChildAnswer.of(
      program, ["--describe", "\(Wire.version)", path], most: mostBytes, deadline: Deadline.after(milliseconds: timeout))
    if let fault = answer.fault(path, patience: timeout) {
      outcome = .failure(fault)
      lasts = ScanCache.faultLasts
    } else {
      outcome = answer.output.withUnsafeBytes { bytes in
        do throws(MediaError) {
          return .success(try read(bytes, path: path, program: program))
        } catch {
          lasts = ScanCache.refusalLasts
          return .failure(error)
        }
      }
    }
    if let stamp {
      let until = lasts == .max ? lasts : now + lasts * 1_000_000_000
      described.withLock { $0[path] = Described(stamp: stamp, outcome: outcome, until: until) }
    }
    return try outcome.get()
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, path: String, program: String) throws(MediaError) -> LoadedModule {
    var reader = WireReader(bytes)
    let code = try reader.get(Int32.self)
    guard code >= 0 else { throw MediaError(Status(foreign: code), try reader.getText()) }
    return try ModuleDescription.read(&reader, path: path, headers: HeaderProcess(program: program, path: path))
  }
}
