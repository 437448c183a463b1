import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

/// With scripts in the child's place; the real one is tested in C.
@Suite struct PluginScannerTests {
  private let directory = TemporaryDirectory()

  /// A copy of a library that is no plugin, so that the checks before the child pass.
  private func library() throws -> String {
    let places = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/usr/lib/libm.so.6", "/lib64/libm.so.6"]
    let place = try #require(places.first { access($0, R_OK) == 0 })
    let file = try #require(fopen(place, "re"))
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 20) { buffer, count in count = fread(buffer.baseAddress, 1, 16 << 20, file) }
    return directory.file("library.so", bytes)
  }

  private func scanner(_ script: String, cached: Bool = true) -> PluginScanner {
    let program = directory.script("host", "echo >> '\(directory.path)/looked'\n\(script)")
    return PluginScanner(program: program, cachePath: cached ? "\(directory.path)/cache" : nil)
  }

  private func looks() -> Int {
    var status = stat()
    return stat("\(directory.path)/looked", &status) == 0 ? Int(status.st_size) : 0
  }

  private func classes(_ scanner: PluginScanner, _ path: String, rescan: Bool = false) throws(MediaError) -> [String]? {
    var scan = scanner.begin(rescan: rescan)
    defer { scan.finish() }
    return try scan.look(at: path)?.classes
  }

  private static let good = "printf 'mediasdk-scan 1\\naccepted org.a org.b\\nend\\n'"

  @Test func anAnswerIsKept() throws {
    let path = try library()
    #expect(try classes(scanner(Self.good), path) == ["org.a", "org.b"])
    #expect(try classes(scanner("exit 1"), path) == ["org.a", "org.b"])
    #expect(looks() == 1)
    let error = failure { _ = try classes(scanner("exit 1"), path, rescan: true) }
    #expect(error?.status == .pluginDied)
    #expect(error?.text.contains("\(path) was not loaded") == true)
    #expect(failure { _ = try classes(scanner(Self.good), path) } == error)
    #expect(looks() == 2)
    #expect(try classes(scanner(Self.good), path, rescan: true) == ["org.a", "org.b"])
    #expect(looks() == 3)
  }

  @Test func withoutAPlaceThisProcessKnows() throws {
    let path = try library()
    for _ in 0..<2 { #expect(try classes(scanner(Self.good, cached: false), path) != nil) }
    #expect(looks() == 1)
    #expect(try classes(scanner(Self.good, cached: false), path, rescan: true) != nil)
    #expect(looks() == 2)
    #expect(try classes(scanner(Self.good), path) != nil)
    #expect(looks() == 3)
  }

  @Test func aRefusalOfItsOwnIsNotKept() throws {
    let path = try library()
    let refusing = scanner("printf 'mediasdk-scan 1\\nrefused -25 a library is missing\\nend\\n'")
    for _ in 0..<2 { #expect(failure { _ = try classes(refusing, path) } == MediaError(.abi, "a library is missing")) }
    #expect(looks() == 2)
    #expect(try classes(scanner(Self.good), path) != nil)
  }

  @Test func aHangIsAReason() throws {
    var slow = scanner("exec sleep 1000")
    slow.patience = 300
    let path = try library()
    let error = failure { _ = try classes(slow, path) }
    #expect(error?.status == .timeout)
    #expect(error?.text.contains("did not end within 0.3 s") == true)
  }

  @Test func whatIsWrongOnSightNeedsNoChild() throws {
    let scanner = scanner(Self.good)
    #expect(failure { _ = try classes(scanner, directory.file("text.so", [1, 2, 3, 4])) }?.status == .abi)
    #expect(failure { _ = try classes(scanner, directory.file("open.so", [1], mode: 0o666)) }?.status == .permission)
    #expect(failure { _ = try classes(scanner, "\(directory.path)/none.so") }?.status == .notFound)
    #expect(looks() == 0)
  }

  @Test func nobodyToLookIsNoReason() throws {
    let path = try library()
    #expect(try classes(PluginScanner(program: "/no/such/program", cachePath: nil), path) == nil)
  }

  @Test func aWishForIsolationIsHeardAndKept() throws {
    let path = try library()
    for script in ["printf 'mediasdk-scan 1\\nisolated org.a org.b\\nend\\n'", "exit 1"] {
      var scan = scanner(script).begin(rescan: false)
      #expect(try scan.look(at: path) == PluginScanner.Look(classes: ["org.a", "org.b"], prefersIsolation: true))
      scan.finish()
    }
    #expect(looks() == 1)
  }

  /// Nothing of it is loaded: had it been, that it is no plugin would be told.
  @Test func whatPrefersIsolationIsDescribed() throws {
    let path = try library()
    let asked = Monitor<[String]>([])
    let registry = PluginRegistry(scanner: scanner("printf 'mediasdk-scan 1\\nisolated org.a\\nend\\n'")) {
      path, wish, anew throws(MediaError) in
      asked.withLock { $0.append("\(path) \(wish) \(anew)") }
      if wish { throw MediaError(.permission, "described") }
      return nil
    }
    let reasons = Monitor<[String]>([])
    #expect(try registry.loadAll(in: directory.path, rescan: true) { _, error in reasons.withLock { $0.append(error.text) } } == 0)
    #expect(reasons.withLock { $0 } == ["described"])
    #expect(asked.withLock { $0 } == ["\(path) false true", "\(path) true true"])
  }

  @Test func whatAChildCouldNotLoadIsNotLoaded() throws {
    let path = try library()
    let refused = Monitor<[String]>([])
    let registry = PluginRegistry(scanner: scanner("kill -ABRT $$"))
    #expect(try registry.loadAll(in: directory.path) { path, error in refused.withLock { $0 += [path, error.text] } } == 0)
    #expect(refused.withLock { $0.first } == path)
    #expect(refused.withLock { $0.last }?.contains("signal 6") == true)
    // What it is, had it been loaded, would be another reason.
    #expect(failure { try registry.load(path) }?.text.contains("msdk_plugin_entry_v1") == true)
  }
}
