import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct ScanCacheTests {
  private let directory = TemporaryDirectory()
  private let identity = PluginIdentity(size: 5, modified: -7, buildID: "00ff")
  private var path: String { "\(directory.path)/cache" }

  private func bytes() -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  @Test func isReadAsItWasWritten() {
    let odd = directory.file("a\tb\\\nä.so")
    let plain = directory.file("plain.so")
    let wishful = directory.file("wishful.so")
    var cache = ScanCache(path: path)
    cache.keep(.accepted(["org.a", "org.b"]), for: odd, identity, now: 100)
    cache.keep(.isolated(["org.d"]), for: wishful, identity, now: 100)
    cache.keep(.refused(.pluginDied, "was ended\tby\nsignal 11"), for: plain, identity, now: 100)
    cache.keep(.accepted(["org.c"]), for: "/no/such/file.so", identity, now: 100)
    cache.save()
    let read = ScanCache(path: path)
    #expect(read.answer(for: odd, identity, now: 1_000_000) == .accepted(["org.a", "org.b"]))
    #expect(read.answer(for: plain, identity, now: 200) == .refused(.pluginDied, "was ended by signal 11"))
    #expect(read.answer(for: wishful, identity, now: 1_000_000) == .isolated(["org.d"]))
    // A file that is not there any more is not kept.
    #expect(read.entries.count == 3)
  }

  @Test func anotherFileInItsPlaceIsNotKnown() {
    var cache = ScanCache(path: nil)
    cache.keep(.accepted(["org.a"]), for: "/a.so", identity, now: 100)
    #expect(cache.answer(for: "/a.so", identity, now: 100) == .accepted(["org.a"]))
    for other in [
      PluginIdentity(size: 6, modified: -7, buildID: "00ff"), PluginIdentity(size: 5, modified: 7, buildID: "00ff"),
      PluginIdentity(size: 5, modified: -7, buildID: "")
    ] {
      #expect(cache.answer(for: "/a.so", other, now: 100) == nil)
    }
    #expect(cache.answer(for: "/b.so", identity, now: 100) == nil)
  }

  /// No permanent blacklist.
  @Test func aFaultIsForgottenAfterADay() {
    var cache = ScanCache(path: nil)
    cache.keep(.refused(.timeout, "late"), for: "/a.so", identity, now: 1_000_000)
    #expect(cache.answer(for: "/a.so", identity, now: 1_086_399) != nil)
    #expect(cache.answer(for: "/a.so", identity, now: 1_086_400) == nil)
    #expect(cache.answer(for: "/a.so", identity, now: 999_999) == nil)
  }

  @Test func whatIsMalformedIsAsGoodAsNothing() {
    let file = directory.file("a.so")
    var cache = ScanCache(path: path)
    cache.keep(.accepted(["org.a"]), for: file, identity, now: 100)
    cache.save()
    let good = bytes()
    #expect(ScanCache(path: path).entries.count == 1)
    for end in 0..<good.count {
      directory.file("cache", Array(good.prefix(end)), mode: 0o600)
      #expect(ScanCache(path: path).entries.isEmpty, "\(end)")
    }
    for place in good.indices {
      var changed = good
      changed[place] = 0xFF
      directory.file("cache", changed, mode: 0o600)
      #expect(ScanCache(path: path).entries.isEmpty, "\(place)")
    }
    directory.file("cache", good + good, mode: 0o600)
    #expect(ScanCache(path: path).entries.isEmpty)
    directory.file("cache", good, mode: 0o622)
    #expect(ScanCache(path: path).entries.isEmpty)
    directory.file("cache", good, mode: 0o600)
    #expect(ScanCache(path: path).entries.count == 1)
  }

  @Test func programsAddToWhatOthersWrote() {
    let (one, two) = (directory.file("one.so"), directory.file("two.so"))
    var first = ScanCache(path: path)
    var second = ScanCache(path: path)
    first.keep(.accepted(["org.a"]), for: one, identity, now: 100)
    first.save()
    second.keep(.accepted(["org.b"]), for: two, identity, now: 100)
    second.save()
    #expect(Set(ScanCache(path: path).entries.keys) == [one, two])
  }

  @Test func aRefusalInWordsIsKeptInMemoryForMoments() {
    let file = directory.file("a.so")
    var cache = ScanCache(path: nil)
    cache.keepForMoments(.refused(.abi, "no"), for: file, identity, now: 100)
    cache.save()
    #expect(ScanCache(path: nil).answer(for: file, identity, now: 109) == .refused(.abi, "no"))
    #expect(ScanCache(path: nil).answer(for: file, identity, now: 110) == nil)
    cache = ScanCache(path: path)
    cache.keep(.refused(.timeout, "late"), for: file, identity, now: 100)
    cache.save()
    cache.keepForMoments(.refused(.abi, "no"), for: file, identity, now: 100)
    #expect(cache.answer(for: file, identity, now: 100) == nil)
    cache.save()
    #expect(ScanCache(path: path).entries.isEmpty)
  }

  @Test func aPlaceThatCannotBeWrittenCostsNothing() {
    var cache = ScanCache(path: "/proc/none/cache")
    cache.keep(.accepted(["org.a"]), for: directory.file("a.so"), identity, now: 100)
    cache.save()
    #expect(ScanCache(path: "/proc/none/cache").entries.isEmpty)
  }

  @Test func theEnvironmentSaysWhere() async {
    #expect(ScanCache.standardPath(ignoringEnvironment: true) == nil)
    await #expect(processExitsWith: .success) {
      setenv("HOME", "/home/somebody", 1)
      setenv("XDG_CACHE_HOME", "/var/somewhere", 1)
      #expect(ScanCache.standardPath(ignoringEnvironment: false) == "/var/somewhere/mediasdk/plugins")
      setenv("XDG_CACHE_HOME", "relative", 1)
      #expect(ScanCache.standardPath(ignoringEnvironment: false) == "/home/somebody/.cache/mediasdk/plugins")
      unsetenv("HOME")
      #expect(ScanCache.standardPath(ignoringEnvironment: false) == nil)
    }
  }
}
