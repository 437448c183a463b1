import CMediaSDK
import Glibc
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct PluginFileTests {
  private let directory = TemporaryDirectory()

  private func refused(_ path: String) -> MediaError? {
    failure { _ = try PluginFile.load(path) }
  }

  @Test func whatIsNotThereIsNotFound() {
    let error = refused("\(directory.path)/none.so")
    #expect(error?.status == .notFound)
    #expect(error?.text.contains("none.so") == true)
    #expect(refused("\(directory.file("file"))/none.so")?.status == .notFound)
    #expect(refused("") != nil)
  }

  @Test func whatIsNoSharedObjectIsNoPlugin() {
    #expect(refused(directory.path)?.status == .abi)
    #expect(refused(directory.file("text.so", Array("#!/bin/sh".utf8)))?.status == .abi)
    #expect(refused(directory.file("empty.so"))?.status == .abi)
    #expect(refused(directory.file("short.so", [0x7F, 0x45, 0x4C]))?.status == .abi)
    #expect(refused(directory.file("cut.so", [0x7F, 0x45, 0x4C, 0x46]))?.status == .abi)
    #expect(
      refused(directory.file("noise.so", [0x7F, 0x45, 0x4C, 0x46] + (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 37) }))?.status == .abi
    )
  }

  @Test func aFileThatAnybodyMayWriteIsNotTrusted() {
    let error = refused(directory.file("open.so", [0x7F, 0x45, 0x4C, 0x46], mode: 0o666))
    #expect(error?.status == .permission)
    #expect(error?.text.contains("open.so") == true)
  }

  @Test func aFIFOIsNotOpened() {
    let path = "\(directory.path)/fifo.so"
    #expect(mkfifo(path, 0o644) == 0)
    #expect(refused(path)?.status == .abi)
  }

  @Test func aLibraryWithoutTheEntryIsNoPlugin() throws {
    // One that this process has loaded anyway.
    var path: String?
    for candidate in ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/usr/lib/libm.so.6", "/lib64/libm.so.6"]
    where access(candidate, R_OK) == 0 {
      path = candidate
    }
    let error = refused(try #require(path))
    #expect(error?.status == .abi)
    #expect(error?.text.contains(MSDK_ENTRY_SYMBOL) == true)
  }

  @Test func aDirectoryOfRefusedFilesLoadsNoneAndTellsWhy() throws {
    directory.file("a.so", [1, 2, 3, 4])
    directory.file("b.so", [1, 2, 3, 4], mode: 0o646)
    let registry = PluginRegistry()
    let errors = Monitor<[Status]>([])
    #expect(try registry.loadAll(in: directory.path) { _, error in errors.withLock { $0.append(error.status) } } == 0)
    #expect(errors.withLock { $0 } == [.abi, .permission])
    #expect(registry.classes.isEmpty)
  }
}
