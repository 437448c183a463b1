import Glibc
import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct StreamSocketTests {
  /// Until it holds, for ten seconds.
  private func wait(_ body: () -> Bool) -> Bool {
    for _ in 0..<10_000 {
      if body() { return true }
      usleep(1000)
    }
    return false
  }

  private func read(_ socket: any StreamConnection, _ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    _ = wait {
      bytes.withUnsafeMutableBytes { memory in
        if case .bytes(let some) = socket.read(into: UnsafeMutableRawBufferPointer(rebasing: memory.dropFirst(got))) { got += some }
      }
      return got == count
    }
    return Array(bytes.prefix(got))
  }

  @Test(arguments: [
    (EADDRINUSE, Status.exists), (EACCES, .permission), (EPERM, .permission), (EMFILE, .noMemory), (ENOBUFS, .noMemory),
    (EADDRNOTAVAIL, .io)
  ]) func whyThereIsNoPortIsSaidByAnError(code: Int32, status: Status) {
    #expect(StreamListener.status(of: code) == status)
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func bytesPassBothWays(host: String) throws {
    let listener = try StreamListener(binding: try #require(SocketAddress(host, port: 0)))
    let address = try #require(listener.localAddress)
    let here = try StreamSocket(connectingTo: address)
    var there: (any StreamConnection)?
    #expect(
      wait {
        if there == nil, case .stranger(let socket) = listener.accept() { there = socket }
        return there != nil && here.connecting == .done
      })
    let other = try #require(there)
    #expect(other.remoteAddress?.isSameHost(as: address) == true)
    let bytes = (0..<100).map { UInt8($0) }
    #expect(bytes.withUnsafeBytes { here.write($0) } == 100)
    #expect(read(other, 100) == bytes)
    #expect(bytes.prefix(3).withUnsafeBytes { other.write($0) } == 3)
    #expect(read(here, 3) == [0, 1, 2])
    var scratch = [UInt8](repeating: 0, count: 8)
    #expect(scratch.withUnsafeMutableBytes { here.read(into: $0) } == .nothing)
    other.shut()
    #expect(wait { scratch.withUnsafeMutableBytes { here.read(into: $0) } == .end })
  }

  /// Whoever does not read has what fits their window, and little more waits for them here.
  @Test func whatTheKernelHasNoRoomForIsNotSent() throws {
    let listener = try StreamListener(binding: try #require(SocketAddress("127.0.0.1", port: 0)))
    let here = try StreamSocket(connectingTo: try #require(listener.localAddress))
    #expect(wait { here.connecting == .done })
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    var sent = 0
    for _ in 0..<100 { sent += bytes.withUnsafeBytes { here.write($0) } ?? 0 }
    #expect(sent > 0 && sent < 1 << 20, "\(sent)")
  }

  @Test func nobodyThereIsSaid() throws {
    let address: SocketAddress
    do {
      let listener = try StreamListener(binding: try #require(SocketAddress("127.0.0.1", port: 0)))
      address = try #require(listener.localAddress)
    }
    let here = try StreamSocket(connectingTo: address)
    #expect(wait { here.connecting != .waiting })
    #expect(here.connecting == .failed("Connection refused"))
  }

  @Test func aPortThatIsTakenIsRefusedInWords() throws {
    let listener = try StreamListener(binding: try #require(SocketAddress("127.0.0.1", port: 0)))
    let address = try #require(listener.localAddress)
    var error: MediaError?
    do throws(MediaError) {
      _ = try StreamListener(binding: address)
    } catch let failure {
      error = failure
    }
    #expect(error?.text == "cannot listen at \(address): Address already in use")
  }
}
