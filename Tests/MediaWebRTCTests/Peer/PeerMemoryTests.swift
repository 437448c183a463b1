import Glibc
import MediaCore
import MediaRTP
import Testing

@testable import MediaWebRTC

/// What a connection takes that does nothing. With MSDK_TEST_MEMORY=1 and this suite alone, the figure is exact and shown.
@Suite struct PeerMemoryTests {
  /// Resident, in bytes.
  private func resident() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var (all, resident) = (0, 0)
    return withUnsafeMutablePointer(to: &all) { all in
      withUnsafeMutablePointer(to: &resident) { resident in
        withVaList([all, resident]) { vfscanf(file, "%ld %ld", $0) } == 2 ? resident.pointee * Int(getpagesize()) : 0
      }
    }
  }

  @Test func anIdleConnectionTakesLessThan300Kilobytes() throws {
    func connected() throws -> VirtualPair {
      let pair = try VirtualPair()
      try pair.a.add(.audio)
      try pair.a.add(.video)
      pair.network.run(for: 5 * second) { pair.isConnected }
      pair.network.run(for: 10 * second)
      #expect(pair.isConnected)
      return pair
    }
    var pairs = try (0..<4).map { _ in try connected() }
    // Others take memory meanwhile: what the best of several rounds has taken is enough.
    var least = Int.max
    for _ in 0..<5 {
      let before = resident()
      for _ in 0..<10 { pairs.append(try connected()) }
      least = min(least, (resident() - before) / 20)
    }
    #expect(least < 300_000, "\(least) bytes of each peer")
    if getenv("MSDK_TEST_MEMORY") != nil { print("an idle connection takes \(least) bytes") }
    #expect(pairs.count == 54)
  }
}
