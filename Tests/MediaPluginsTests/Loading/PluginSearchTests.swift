import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct PluginSearchTests {
  private let directory = TemporaryDirectory()

  @Test func findsSharedObjectsByName() throws {
    #expect(try PluginSearch.files(in: directory.path).isEmpty)
    for name in ["b.so", "a.so", "ä.so", "c.so.1", "readme", ".hidden.so", "so"] { directory.file(name) }
    #expect(try PluginSearch.files(in: directory.path) == ["a.so", "b.so", "ä.so"].map { "\(directory.path)/\($0)" })
  }

  @Test func whatIsNoDirectoryIsAnError() {
    let missing = failure { _ = try PluginSearch.files(in: "\(directory.path)/none") }
    #expect(missing?.status == .notFound)
    #expect(missing?.text.contains("\(directory.path)/none") == true)
    #expect(failure { _ = try PluginSearch.files(in: directory.file("file")) } != nil)
    #expect(failure { _ = try PluginSearch.files(in: "") } != nil)
  }

  @Test func onlyPlacesThatExistAreStandard() {
    for path in PluginSearch.directories(ignoringEnvironment: true) {
      #expect(access(path, F_OK) == 0)
      #expect(path.hasSuffix("/mediasdk/plugins-1"))
    }
  }

  @Test func anInstallationIsFoundFromItsLibraryAndFromItsPrograms() {
    // Each as a distribution has them: libraries in lib, lib64 or a directory of the architecture, programs in bin.
    let libraries = ["/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"]
    for library in libraries {
      #expect(PluginSearch.installed(beside: library).contains("\(library)/./mediasdk/plugins-1"))
    }
    let seen = PluginSearch.installations(beside: "/usr/bin")
    #expect(seen.contains("/usr/bin/../lib/mediasdk") && seen.contains("/usr/bin/../lib64/mediasdk"))
    #if arch(x86_64)
      #expect(seen.contains("/usr/bin/../lib/x86_64-linux-gnu/mediasdk"))
    #endif
  }

  /// In a process of its own, because the environment belongs to all.
  @Test func theEnvironmentSaysWhere() async {
    await #expect(processExitsWith: .success) {
      let (own, system, data) = (TemporaryDirectory(), TemporaryDirectory(), TemporaryDirectory())
      mkdir("\(data.path)/mediasdk", 0o755)
      mkdir("\(data.path)/mediasdk/plugins-1", 0o755)
      setenv("MSDK_PLUGIN_PATH", "\(own.path):relative:/does/not/exist:\(own.path)/::\(system.path)", 1)
      setenv("MSDK_PLUGIN_SYSTEM_PATH", "\(system.path)", 1)
      setenv("XDG_DATA_HOME", data.path, 1)
      #expect(PluginSearch.directories(ignoringEnvironment: false) == [own.path, system.path])
      let places = [own.path, system.path, data.path]
      for place in PluginSearch.directories(ignoringEnvironment: true) { #expect(places.allSatisfy { !place.hasPrefix($0) }) }
      unsetenv("MSDK_PLUGIN_SYSTEM_PATH")
      let found = PluginSearch.directories(ignoringEnvironment: false)
      #expect(found.prefix(3) == [own.path, system.path, "\(data.path)/mediasdk/plugins-1"])
      setenv("XDG_DATA_HOME", "relative", 1)
      setenv("HOME", data.path, 1)
      mkdir("\(data.path)/.local", 0o755)
      mkdir("\(data.path)/.local/share", 0o755)
      mkdir("\(data.path)/.local/share/mediasdk", 0o755)
      mkdir("\(data.path)/.local/share/mediasdk/plugins-1", 0o755)
      #expect(PluginSearch.directories(ignoringEnvironment: false).contains("\(data.path)/.local/share/mediasdk/plugins-1"))
      for path in [".local/share/mediasdk/plugins-1", ".local/share/mediasdk", ".local/share", "mediasdk/plugins-1"] {
        rmdir("\(data.path)/\(path)")
      }
      setenv("MSDK_PLUGIN_SYSTEM_PATH", "", 1)
      unsetenv("MSDK_PLUGIN_PATH")
      #expect(PluginSearch.directories(ignoringEnvironment: false).isEmpty)
    }
  }
}
