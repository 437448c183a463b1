import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaSDP
import Testing

@testable import MediaSignalling
@testable import MediaTLS
@testable import MediaTransport
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

@Suite struct WHIPSessionTests {
  private let house = WebRTCHouse()
  private let server: EmulatedWHIPServer
  private let host: EmulatedHost
  private let vp8 = Int32(MSDK_CODEC_VP8)
  private let opus = Int32(MSDK_CODEC_OPUS)

  init() throws {
    server = try EmulatedWHIPServer(house, at: "10.0.8.1")
    host = try house.network.addHost("10.0.0.1")
  }

  private func end(
    _ kind: String, token: String = "", options: String = "", publishes: [Transceiver.Kind]? = nil
  ) throws -> WHIPEnd {
    let url = "\(kind)+https://10.0.8.1/\(kind)/lobby#fingerprint=\(server.web.certificate.fingerprint)\(options)"
    return try WHIPEnd(url, token: token, on: host, house, publishes: publishes ?? (kind == "whip" ? [.video, .audio] : []))
  }

  private func close(_ end: WHIPEnd) throws {
    end.whip.disconnect()
    try house.close()
    #expect(server.errors.isEmpty, "\(server.errors)")
  }

  @Test(arguments: [true, false]) func whatIsPublishedReachesTheServer(trickles: Bool) throws {
    let a = try end("whip", token: "secret", options: "&trickle=\(trickles ? 1 : 0)")
    #expect(try house.run(for: 5 * second) { a.isHere && a.count("receivers 1") == 2 }, "\(a.events) \(String(describing: a.ending))")
    #expect(server.offers.count == 1 && server.offers[0].token == "secret" && server.offers[0].kind == .whip)
    #expect(server.offers[0].sdp.contains("a=candidate:") && server.offers[0].sdp.contains("a=sendonly"))
    #expect(server.methods == (trickles ? ["POST", "PATCH"] : ["POST"]) && server.web.accepted == 1, "\(server.methods)")
    // What the offer has is not said again.
    #expect(server.changes.allSatisfy { $0.fragment.candidates.isEmpty })
    let b = try #require(server.last)
    try a.call(for: 2 * second, video: 0, audio: 1)
    #expect(b.received(vp8) > 50 && b.received(opus) > 90)
    #expect(a.whip.stats.bytesSent > 100_000)
    try close(a)
    #expect(server.ended.count == 1 && server.methods.last == "DELETE" && server.web.connectionCount == 0)
  }

  /// What the session had before it connected does not wait for streams to come; what is started later waits for others.
  @Test func attachedStreamsAreOfferedAtOnce() throws {
    let a = try end("whip", publishes: [.video])
    a.whip.attachedArePublished()
    #expect(try house.run(for: RoomTransport.gathering / 2) { server.offers.count == 1 })
    #expect(try house.run(for: 5 * second) { a.isHere })
    // The time for which others would have been waited for is over, too, and nothing came of it.
    #expect(server.offers.count == 1)
    try close(a)
  }

  @Test func withoutAttachedStreamsTheFirstWaitsForOthers() throws {
    let a = try end("whip", publishes: [])
    a.whip.attachedArePublished()
    try a.publish(.audio)
    try house.run(for: RoomTransport.gathering / 2)
    #expect(server.offers.isEmpty)
    try a.publish(.video)
    #expect(try house.run(for: 5 * second) { a.isHere && a.count("receivers 1") == 2 }, "\(a.events)")
    #expect(server.offers.count == 1)
    try close(a)
  }

  @Test func whatTheServerSendsIsReceived() throws {
    let a = try end("whep", token: "secret")
    #expect(try house.run(for: 5 * second) { a.isHere }, "\(a.events) \(String(describing: a.ending))")
    #expect(server.offers[0].kind == .whep && server.offers[0].sdp.contains("a=recvonly"))
    let b = try #require(server.last)
    try b.call(for: 2 * second, video: 0, audio: 1)
    #expect(a.received(vp8) > 50 && a.received(opus) > 90 && a.has("joined peer"))
    #expect(a.estimate == 0)
    // Nothing is sent there.
    let refusal = failure { try a.publish(.video) }
    #expect(refusal?.status == .unsupported && refusal?.text.contains("WHEP receives only") == true)
    try close(a)
    #expect(server.ended.count == 1)
  }

  @Test func mediaFlowThroughLoss() throws {
    for (kind, seed) in [("whip", 1), ("whep", 2)] {
      _ = seed
      host.setConditions(
        up: .init(delay: 20 * millisecond, loss: 30_000), down: .init(delay: 20 * millisecond, loss: 30_000))
      let a = try end(kind)
      #expect(try house.run(for: 15 * second) { a.isHere }, "\(a.events)")
      let b = try #require(server.last)
      let (sender, receiver): (MediaEnd, MediaEnd) = kind == "whip" ? (a, b) : (b, a)
      try house.run(for: second)
      try sender.call(for: 4 * second, video: 0, audio: 1)
      #expect(receiver.received(vp8) > 80 && receiver.received(opus) > 150, "\(receiver.received(vp8)) \(receiver.received(opus))")
      a.whip.disconnect()
    }
    try house.close()
  }
}
