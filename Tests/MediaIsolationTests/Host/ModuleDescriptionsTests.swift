import Glibc
import MediaCore
import MediaPlugins
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

/// With scripts in the child's place; the real one is tested in C.
@Suite final class ModuleDescriptionsTests {
  private let directory: String
  private let path: String

  init() {
    var name = Array("/tmp/msdk-describing-XXXXXX\0".utf8CString)
    directory = mkdtemp(&name).map { String(cString: $0) } ?? "/nonexistent"
    path = "\(directory)/plugin.so"
    write("a plugin", to: path)
  }

  deinit {
    for name in ["plugin.so", "host", "looked"] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  private func write(_ text: String, to path: String) {
    guard let file = fopen(path, "we") else { return }
    fputs(text, file)
    fclose(file)
  }

  private func isolation(_ script: String) -> Isolation {
    let program = "\(directory)/host"
    // By another process: of a file that this one has open for writing a child that another test starts meanwhile has a copy (ETXTBSY).
    let writes = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 755 \"$2\""
    let arguments = ["-c", writes, "sh", "echo >> '\(directory)/looked'\n\(script)", program]
    _ = try? ChildAnswer.of("/bin/sh", arguments, most: 0, deadline: Deadline.after(milliseconds: 60_000))
    return Isolation(globs: ["*"], program: program)
  }

  private var looks: Int {
    var status = stat()
    return stat("\(directory)/looked", &status) == 0 ? Int(status.st_size) : 0
  }

  @Test func oneThatDiesIsRememberedUntilTheFileChanges() {
    let isolation = isolation("echo last words >&2; kill -SEGV $$")
    for _ in 0..<3 {
      let error = failure { _ = try isolation.describe(path) }
      #expect(error?.status == .pluginDied)
      #expect(error?.text.contains("signal 11") == true)
      #expect(error?.text.contains("last words") == true)
    }
    #expect(looks == 1)
    _ = failure { _ = try isolation.describe(path, anew: true) }
    #expect(looks == 2)
    write("another plugin", to: path)
    _ = failure { _ = try isolation.describe(path) }
    #expect(looks == 3)
  }

  @Test func aRefusalInWordsIsRememberedForMoments() {
    // MSDK_E_ABI, and four bytes of text.
    let isolation = isolation("printf '\\347\\377\\377\\377\\004\\000\\000\\000none'")
    for _ in 0..<2 { #expect(failure { _ = try isolation.describe(path) } == MediaError(.abi, "none")) }
    #expect(looks == 1)
  }

  @Test func nonsenseIsAnError() {
    #expect(failure { _ = try isolation("echo x").describe(path) }?.status == .corrupt)
  }

  /// Without a glob, a class's wish is what counts.
  @Test func aWishNeedsNoGlob() throws {
    let program = isolation("kill -SEGV $$").program
    let isolation = Isolation(globs: [], program: program)
    #expect(try isolation.describe(path) == nil)
    #expect(looks == 0)
    #expect(failure { _ = try isolation.describe(path, wish: true) }?.status == .pluginDied)
    #expect(try Isolation(globs: [], program: nil).describe(path, wish: true) == nil)
  }

  @Test func aProgramThatCannotBeStartedIsNotRemembered() {
    let missing = Isolation(globs: ["*"], program: "/nonexistent/program")
    #expect(failure { _ = try missing.describe(path) }?.status == .io)
    #expect(failure { _ = try isolation("kill -SEGV $$").describe(path) }?.status == .pluginDied)
  }
}
