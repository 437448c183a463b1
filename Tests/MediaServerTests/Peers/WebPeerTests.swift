import CMediaSDK
import MediaCore
import Testing

@testable import MediaServer
@testable import MediaTransport

/// Offers of players, as a page or a stranger makes them.
@Suite struct WebPeerTests {
  private func answer(
    _ house: ServerHouse, _ kind: String, _ sections: [String], at address: String = "10.0.0.1"
  ) throws -> (status: Int?, body: String) {
    let client = try house.wire(at: address)
    try client.get(
      "/\(kind)/\(house.room)", ["Content-Type": "application/sdp"], method: "POST", body: Array(browserOffer(sections).utf8))
    _ = try house.run(for: 3 * second) { client.last != nil }
    defer { client.close() }
    return (client.last?.status, client.last.map { String(decoding: $0.body, as: UTF8.self) } ?? "")
  }

  @Test func eachSectionIsAnswered() throws {
    let house = try ServerHouse()
    _ = try house.member("bot", publishes: [true, false])
    let (status, sdp) = try answer(house, "whep", ["audio recvonly", "video recvonly", "video recvonly"])
    #expect(status == 201, "\(sdp)")
    #expect(sdp.split(separator: "\r\n").count { $0 == "a=sendonly" } == 3 && sdp.contains("a=candidate:"), "\(sdp)")
    #expect(house.web.sessionCount == 1)
    // Nobody came: it ends.
    #expect(try house.run(for: 25 * second) { house.web.sessionCount == 0 && house.web.memberCount == 0 })
    try house.close()
  }

  /// What comes in several sizes would reach the room as one stream of all of them.
  @Test func oneOfSeveralSizesIsTaken() throws {
    let house = try ServerHouse()
    let client = try house.wire(at: "10.0.0.1")
    let layers = "a=rid:h send\r\na=rid:l send\r\na=simulcast:send h;l\r\na=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id\r\n"
    let offer = browserOffer(["video sendonly"]) + layers
    try client.get("/whip/\(house.room)", ["Content-Type": "application/sdp"], method: "POST", body: Array(offer.utf8))
    #expect(try house.run(for: 3 * second) { client.last != nil })
    let sdp = client.last.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
    #expect(client.last?.status == 201 && sdp.contains("a=recvonly") && !sdp.contains("simulcast"), "\(sdp)")
    client.close()
    try house.close()
  }

  @Test func sectionsAreBounded() throws {
    let house = try ServerHouse()
    _ = try house.member("bot", publishes: [true, false])
    let (status, text) = try answer(house, "whep", [String](repeating: "video recvonly", count: WebPeer.mostLanes + 1))
    #expect(status == 503, "\(text)")
    #expect(try answer(house, "whep", [String](repeating: "video recvonly", count: WebPeer.mostLanes), at: "10.0.0.2").status == 201)
    try house.close()
  }

  @Test(arguments: [("whip", "audio recvonly"), ("whep", "video sendonly"), ("whep", "audio inactive")])
  func anOfferOfNothingIsRefused(kind: String, section: String) throws {
    let house = try ServerHouse()
    _ = try house.member("bot", publishes: [true, false])
    let (status, text) = try answer(house, kind, [section])
    #expect(status == 422 && text.contains("accepted"), "\(text)")
    #expect(house.web.memberCount == 0 && house.web.sessionCount == 0)
    try house.close()
  }

  /// Nor what is encrypted from end to end, which it could only show as noise.
  @Test(arguments: [(FourCC.raw, false), (UInt32(MSDK_CODEC_VP8), true)]) func whatIsSentRawDoesNotReachAPlayer(
    codec: UInt32, isEncrypted: Bool
  ) throws {
    let house = try ServerHouse()
    let bot = try house.member("bot", encrypts: isEncrypted)
    try bot.publish(isVideo: true, codec: codec)
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { bot.has("unreachable alice unsupported") })
    #expect(!page.has("stream"))
    page.close()
    try house.close()
  }
}
