import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

/// Passive candidates of a server (RFC 6544): the other end connects.
@Suite struct TCPCandidateTests {
  @Test func aConnectionIsARoute() throws {
    let agent = ICEAgent(ICESettings(isControlling: false), random: SeededRandom(seed: 1))
    let base = try agent.addHost(address("192.0.2.1", 443), .tcpPassive, now: 0)
    guard case .candidate(let candidate) = agent.takeEvent() else {
      Issue.record("no candidate")
      return
    }
    #expect(candidate.text.hasSuffix("tcp 1526726399 192.0.2.1 443 typ host tcptype passive") || candidate.transport == "tcp")
    #expect(candidate.extensions == [.init("tcptype", "passive")])
    try agent.setRemote(.init(user: "peer", password: ForgedPeer.password), now: 0)
    let peer = ForgedPeer(agent, base)
    peer.isStream = true
    let source = address("192.0.2.9", 40_000)
    // As the connection brings it, in pieces.
    let stream = ICEStream()
    let check = peer.request(isNominating: true)
    for byte in [UInt8(check.count >> 8), UInt8(truncatingIfNeeded: check.count)] + check {
      _ = withUnsafeBytes(of: byte) { stream.append($0) }
    }
    let message = try #require(stream.next())
    #expect(message == check)
    #expect(peer.give(message, from: source, now: 0))
    let answers = peer.answerAll(now: 0)
    // Framed.
    #expect(answers.count == 1 && withMessage(Array(answers[0].bytes.dropFirst(2))) { $0.kind == .success } == true)
    #expect(Int(answers[0].bytes[1]) == answers[0].bytes.count - 2)
    let route = try #require(agent.route)
    #expect(agent.state == .completed && route.isStream && route.destination == source)
    var memory = [UInt8](repeating: 0, count: 100)
    #expect(memory.withUnsafeMutableBytes { route.wrap($0, payload: 48..<58) } == 46..<58 && memory[47] == 10)
    agent.connectionClosed(base, from: source)
    _ = agent.poll(now: second)
    #expect(agent.route == nil)
  }

  /// Those that another end connects from have no address to be connected to, and no datagram goes to one of TCP.
  @Test func candidatesOfOtherTransportsMakeNoPairs() throws {
    let agent = ICEAgent(ICESettings(isControlling: true), random: SeededRandom(seed: 1))
    _ = try agent.addHost(address("192.0.2.1", 443), .tcpPassive, now: 0)
    #expect(try agent.addRemote("1 1 udp 1 192.0.2.9 5000 typ host", now: 0))
    #expect(try !agent.addRemote("1 1 tcp 1 192.0.2.9 5000 typ host tcptype passive", now: 0))
    #expect(agent.current.pairs.isEmpty)
  }
}
