import MediaCore
import MediaEmulation
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling

/// Frames with metadata through a room that a process serves: to members, to sessions of this library, and to clients of LiveKit's.
@Suite struct LiveKitMetadataTests {
  private let house: ServerHouse
  private let trailer: [UInt8] = [0xFC, 0xFD, 0x97, 0x96, 0xF6] + Array("LKTS".utf8)

  init() throws { house = try ServerHouse.forLiveKit() }

  private func session(_ identity: String, at address: String) throws -> RoomEnd {
    try house.session(identity, at: address, token: try LiveKitEnd.token(house, identity), url: "", publishes: [])
  }

  private func endsWithTrailer(_ end: RoomEnd) -> Int {
    (end.bytes[WebMember.codec(isVideo: true)] ?? []).count { $0.suffix(trailer.count).elementsEqual(trailer) }
  }

  private func close(_ ends: [RoomEnd]) throws {
    for end in ends { end.link.disconnect() }
    #expect(try house.run(for: second) { house.web.memberCount == 0 })
    try house.close()
  }

  /// Of a member of the process, and of a session over the network.
  @Test(arguments: [false, true]) func whoSaysThatTheyTakeItGetsIt(isRemote: Bool) throws {
    let sender = isRemote ? try session("anna", at: "10.0.0.1") : try house.member("anna")
    let (bot, bob) = (try house.member("bot"), try session("bob", at: "10.0.0.2"))
    #expect(try house.run(for: 5 * second) { sender.isHere && bob.isHere })
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", takesTrailers: true)
    let dora = try LiveKitEnd(house, "dora", at: "10.0.0.4")
    let emil = try LiveKitEnd(house, "emil", at: "10.0.0.5", version: .zero, takesTrailers: true)
    let clients = [cleo, dora, emil]
    try sender.publish(isVideo: true, carriesMetadata: true)
    sender.trailer = trailer
    #expect(try house.run(clients) { clients.allSatisfy { $0.isHere && $0.others["anna"]?.tracks.isEmpty == false } })
    for _ in 0..<90 {
      sender.send(0, isVideo: true)
      _ = try house.run(clients, for: second / 30) { false }
    }
    // In the process, and with sessions, it is no part of the data; clients get what ends with it, if they say that they take it.
    for end in [bot, bob] {
      #expect(end.added.first?.carriesMetadata == true)
      #expect(end.metadata.count > 30 && end.metadata.allSatisfy { $0 == trailer } && endsWithTrailer(end) == 0, "\(end.metadata.count)")
    }
    for end in [cleo, emil] {
      let received = end.receiving.received(isVideo: true)
      #expect(received > 30 && endsWithTrailer(end.receiving) == received, "\(end.identity): \(received)")
    }
    #expect(dora.receiving.received(isVideo: true) > 30 && endsWithTrailer(dora.receiving) == 0)
    for end in clients {
      #expect(end.others["anna"]?.tracks.first?.trailers == [.userTimestamp, .frameID, .userData])
      end.close()
    }
    try close([sender, bot, bob])
  }

  /// A client of LiveKit's sends it; what it does not announce is data.
  @Test(arguments: [false, true]) func clientsSendIt(isAnnounced: Bool) throws {
    let (bot, bob) = (try house.member("bot"), try session("bob", at: "10.0.0.2"))
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3")
    if isAnnounced { cleo.trailers = [.userData, .userData] }
    #expect(try house.run([cleo]) { cleo.isHere && bob.isHere })
    try cleo.publish(isVideo: true)
    #expect(try house.run([cleo]) { cleo.published.count == 1 })
    #expect(cleo.published[0].trailers == (isAnnounced ? [.userData] : []))
    for _ in 0..<90 {
      cleo.media.send(0, isVideo: true, ending: trailer)
      _ = try house.run([cleo], for: second / 30) { false }
    }
    for end in [bot, bob] {
      let received = end.received(isVideo: true)
      #expect(received > 30 && end.added.first?.carriesMetadata == isAnnounced, "\(end.events)")
      #expect(endsWithTrailer(end) == (isAnnounced ? 0 : received))
      #expect(end.metadata.allSatisfy { $0 == (isAnnounced ? trailer : []) })
    }
    cleo.close()
    try close([bot, bob])
  }

  /// Without the option it is not sent.
  @Test func whatIsNotAnnouncedIsNotSent() throws {
    let (anna, bot) = (try session("anna", at: "10.0.0.1"), try house.member("bot"))
    #expect(try house.run(for: 5 * second) { anna.isHere })
    try anna.publish(isVideo: true)
    anna.trailer = trailer
    #expect(try house.run(for: 5 * second) { bot.added.count == 1 })
    try anna.call(for: second, audio: nil)
    #expect(bot.received(isVideo: true) > 20 && endsWithTrailer(bot) == 0 && bot.metadata.allSatisfy(\.isEmpty))
    try close([anna, bot])
  }
}
