import MediaCore
import MediaRuntime
import Testing

@testable import MediaTransport

@Suite struct RTPTargetTests {
  private func sources(_ transport: RTPTransport) -> [Bool] {
    transport.configuration.legs.flatMap(\.media).flatMap { [$0.ssrc != nil, $0.retransmissionSSRC != nil] }
  }

  /// With the same key and the same source the same numbers would be protected twice, and the other end would take them for packets of before.
  @Test func whoConnectsOnceMoreHasOtherSources() throws {
    let clock = SystemClock()
    let (thread, loop) = (try Reactor(clock: clock), EventLoop("loop", clock: clock))
    defer { thread.stop() }
    let url = "rtp:?host=127.0.0.1&srtp=AEAD_AES_128_GCM"
    let (alice, bob) = (try RTPTarget(url, argument: "url"), try RTPTarget(url, argument: "url"))
    let offer = try alice.localDescription()
    try bob.setRemote(.offer, offer)
    try alice.setRemote(.answer, bob.localDescription())
    for target in [alice, bob] {
      #expect(sources(try target.makeTransport(on: thread, loop: loop)) == [true, true, true, false])
      #expect(sources(try target.makeTransport(on: thread, loop: loop)) == [false, false, false, false])
    }
    // The same answer is for the same keys; another offer has keys of its own.
    try alice.setRemote(.answer, bob.localDescription())
    #expect(sources(try alice.makeTransport(on: thread, loop: loop)) == [false, false, false, false])
    try bob.setRemote(.offer, offer)
    #expect(sources(try bob.makeTransport(on: thread, loop: loop)) == [true, true, true, false])
  }
}
