import MediaCore
import MediaSDP
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling

/// Programs that administer a room by the API of LiveKit's servers.
@Suite struct LiveKitServiceTests {
  private static let all: @Sendable (inout LiveKitGrants) -> Void = { ($0.joins, $0.isAdministrator, $0.listsRooms) = (false, true, true) }

  private func request(
    _ house: ServerHouse, _ method: String, _ body: [UInt8], _ kind: String = "application/protobuf",
    grant: (inout LiveKitGrants) -> Void = all
  ) throws -> HTTPRequest {
    let token = try LiveKitEnd.token(house, "administrator", grant)
    let fields: HTTPFields = ["Host": "server", "Content-Type": kind, "Authorization": "Bearer \(token)"]
    return HTTPRequest("POST", "/twirp/livekit.RoomService/\(method)", fields, body: body)
  }

  /// Asks, and waits for the answer.
  private func ask(
    _ house: ServerHouse, _ wire: WireClient, _ method: String, _ message: some ProtoMessage, _ ends: [LiveKitEnd] = [],
    grant: (inout LiveKitGrants) -> Void = all
  ) throws -> HTTPResponse {
    try ask(house, wire, try request(house, method, message.encoded, grant: grant), ends)
  }

  private func ask(_ house: ServerHouse, _ wire: WireClient, _ request: HTTPRequest, _ ends: [LiveKitEnd]) throws -> HTTPResponse {
    let count = wire.responses.count
    try wire.send(request)
    #expect(try house.run(ends) { wire.responses.count > count })
    return try #require(wire.last)
  }

  private func target(_ house: ServerHouse, _ identity: String = "", track: String = "", _ isMuted: Bool = false) -> LiveKitServiceTarget {
    LiveKitServiceTarget(room: house.room, identity: identity, track: track, isMuted: isMuted)
  }

  @Test func theRoomAndWhoIsInItAreListed() throws {
    let house = try ServerHouse.forLiveKit()
    let wire = try house.wire(at: "10.0.0.9")
    #expect(try LiveKitRooms(reading: ask(house, wire, "ListRooms", LiveKitRoomNames()).body).rooms.map(\.participants) == [0])
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true])
    #expect(try house.run([anna]) { anna.isHere })
    try anna.media.call(for: second, audio: nil)
    let rooms = try LiveKitRooms(reading: ask(house, wire, "ListRooms", LiveKitRoomNames(names: [house.room])).body).rooms
    #expect(rooms.map(\.name) == [house.room] && rooms.first?.participants == 2 && rooms.first?.publishers == 2)
    #expect(rooms.first?.sid == anna.join?.room?.sid && rooms.first?.mostParticipants == 64)
    #expect(try LiveKitRooms(reading: ask(house, wire, "ListRooms", LiveKitRoomNames(names: ["other"])).body).rooms.isEmpty)
    let all = try LiveKitParticipants(reading: ask(house, wire, "ListParticipants", target(house)).body).participants
    #expect(all.map(\.identity) == ["bot", "anna"] && all.map(\.tracks.count) == [2, 1] && all.allSatisfy(\.isPublisher))
    // Everybody is called as clients are told.
    #expect(all[0].sid == anna.others["bot"]?.sid && all[1].sid == anna.join?.participant?.sid)
    #expect(all[0].tracks.map(\.sid) == anna.others["bot"]?.tracks.map(\.sid) && all[1].tracks.first?.name == "a track")
    let one = try LiveKitParticipant(reading: ask(house, wire, "GetParticipant", target(house, "anna")).body)
    #expect(one == all[1] && one.permission?.canPublish == true)
    #expect(try ask(house, wire, "GetParticipant", target(house, "nobody")).status == 404)
    _ = bot
    anna.close()
    try house.close()
  }

  @Test func everybodyCanBeMutedAndRemoved() throws {
    let house = try ServerHouse.forLiveKit()
    let wire = try house.wire(at: "10.0.0.9")
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true, false])
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try anna.media.call(for: second)
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.tracks.count == 2 })
    for type in [LiveKitTrackType.video, .audio] {
      for isMuted in [true, false] {
        let sid = try #require(anna.published.first { $0.type == type }?.sid)
        let response = try ask(house, wire, "MutePublishedTrack", target(house, "anna", track: sid, isMuted), [anna, bob])
        let track = try LiveKitMutedTrack(reading: response.body).track
        #expect(track?.sid == sid && track?.isMuted == isMuted)
        #expect(try house.run([anna, bob]) { bob.others["anna"]?.tracks.first { $0.sid == sid }?.isMuted == isMuted })
        #expect(try house.run([anna, bob]) { anna.said.contains { $0 == .mute(LiveKitMute(sid: sid, isMuted: isMuted)) } })
        #expect(bot.has(isMuted ? "muted" : "unmuted") == (type == .audio))
      }
    }
    // What she muted herself stays so, and the answer says it. It is no late confirmation of the above.
    _ = try house.run([anna, bob], for: 4 * second) { false }
    let own = try #require(anna.published.first { $0.type == .audio }?.sid)
    try anna.say(.mute(LiveKitMute(sid: own, isMuted: true)))
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.tracks.first { $0.sid == own }?.isMuted == true })
    for isMuted in [true, false] {
      let response = try ask(house, wire, "MutePublishedTrack", target(house, "anna", track: own, isMuted), [anna, bob])
      #expect(try LiveKitMutedTrack(reading: response.body).track?.isMuted == true)
    }
    // Of a member of the process the audio alone, and they do it themselves.
    let tracks = anna.others["bot"]?.tracks ?? []
    let audio = try #require(tracks.first { $0.type == .audio }?.sid)
    let video = try #require(tracks.first { $0.type == .video }?.sid)
    #expect(try ask(house, wire, "MutePublishedTrack", target(house, "bot", track: audio, true)).status == 200)
    #expect(try house.run([]) { bot.has("muted") })
    #expect(try ask(house, wire, "MutePublishedTrack", target(house, "bot", track: video, true)).status == 412)
    #expect(try ask(house, wire, "MutePublishedTrack", target(house, "bot", track: "TR_none", true)).status == 404)
    #expect(try ask(house, wire, "RemoveParticipant", target(house, "nobody")).status == 404)
    for (name, isOut) in [("anna", { anna.leave?.reason == .participantRemoved }), ("bot", { bot.ending?.status == .removed })] {
      #expect(try ask(house, wire, "RemoveParticipant", target(house, name)).body.isEmpty)
      #expect(try house.run([anna, bob]) { isOut() && bob.others[name] == nil })
    }
    anna.close()
    bob.close()
    try house.close()
  }

  @Test func whatIsSaidOfParticipantsAndTheRoomIsKnown() throws {
    let house = try ServerHouse.forLiveKit()
    let wire = try house.wire(at: "10.0.0.9")
    let bot = try house.member("bot")
    // Without a grant to say something of herself.
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1") { $0.attributes = ["old": "1"] }
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    var change = LiveKitParticipantChange(
      room: house.room, identity: "anna", metadata: "m", name: "Anna A.", attributes: ["hand": "up", "old": ""])
    let one = try LiveKitParticipant(reading: ask(house, wire, "UpdateParticipant", change, [anna, bob]).body)
    #expect(one.metadata == "m" && one.name == "Anna A." && one.attributes == ["hand": "up"])
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.metadata == "m" && bob.others["anna"]?.attributes == ["hand": "up"] })
    #expect(try house.run([anna, bob]) { bot.has("anna says hand=up") && bot.has("anna says old=nil") }, "\(bot.events)")
    #expect(
      try house.run([anna, bob]) {
        anna.said.contains { if case .participants(let update) = $0 { update.participants.contains { $0.metadata == "m" } } else { false } }
      })
    // Each of them is short enough.
    for (key, status) in [("first", 200), ("second", 429)] {
      change.attributes = [key: String(repeating: "a", count: 40_000)]
      #expect(try ask(house, wire, "UpdateParticipant", change, [anna, bob]).status == status)
    }
    change.identity = "bot"
    #expect(try ask(house, wire, "UpdateParticipant", change).status == 412)
    let news = LiveKitRoomChange(room: house.room, metadata: "news")
    #expect(try LiveKitRoom(reading: ask(house, wire, "UpdateRoomMetadata", news, [anna, bob]).body).metadata == "news")
    let isTold = { (end: LiveKitEnd) in
      end.said.contains {
        if case .room(let update) = $0 { update.room?.metadata == "news" && update.room?.participants == 3 } else { false }
      }
    }
    #expect(try house.run([anna, bob]) { isTold(anna) && isTold(bob) })
    let late = try LiveKitEnd(house, "late", at: "10.0.0.3")
    #expect(try house.run([anna, bob, late]) { late.join?.room?.metadata == "news" && late.others["anna"]?.name == "Anna A." })
    for end in [anna, bob, late] { end.close() }
    try house.close()
  }

  @Test func dataReachesThoseWhomItIsFor() throws {
    let house = try ServerHouse.forLiveKit()
    let wire = try house.wire(at: "10.0.0.9")
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    #expect(try house.run([anna]) { anna.isHere })
    _ = try house.run([anna], for: second) { false }
    var data = LiveKitServiceData(room: house.room, data: Array("hi".utf8), topic: "t")
    #expect(try ask(house, wire, "SendData", data, [anna]).status == 200)
    (data.kind, data.identities) = (.lossy, ["bot", "nobody"])
    #expect(try ask(house, wire, "SendData", data, [anna]).status == 200)
    #expect(try house.run([anna]) { bot.data == [": hi t", ": hi t lossy"] && anna.received.count == 1 }, "\(bot.data)")
    let user = try #require(try anna.received.first?.userData())
    #expect(user.identity.isEmpty && user.bytes == Array("hi".utf8) && user.topic == "t")
    anna.close()
    try house.close()
  }

  /// Every method.
  @Test func aRoomIsAdministeredByJSON() throws {
    let house = try ServerHouse.forLiveKit()
    let wire = try house.wire(at: "10.0.0.9")
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true])
    #expect(try house.run([anna]) { anna.isHere })
    try anna.media.call(for: second, audio: nil)
    let at = #""room":"\#(house.room)""#
    func ask(_ method: String, _ json: String, status: Int = 200) throws -> JSON {
      let response = try self.ask(house, wire, try self.request(house, method, Array(json.utf8), "application/json; charset=utf-8"), [anna])
      #expect(response.status == status && response.fields.values("Content-Type") == ["application/json"], "\(method)")
      return try JSONReader.read(response.body, name: method)
    }
    let rooms = try ask("ListRooms", "{}").member("rooms")?.list ?? []
    #expect(rooms.map { $0.member("name")?.string } == [house.room] && rooms.first?.member("num_participants")?.whole(Int.self) == 2)
    let all = try ask("ListParticipants", "{\(at)}").member("participants")?.list ?? []
    #expect(all.map { $0.member("identity")?.string } == ["bot", "anna"])
    let one = try ask("GetParticipant", #"{\#(at),"identity":"anna"}"#)
    #expect(one.compact == all[1].compact && one.member("state")?.string == "ACTIVE")
    let track = try #require(one.member("tracks")?.list.first)
    let sid = try #require(track.member("sid")?.string)
    #expect(track.member("type")?.string == "VIDEO" && sid == anna.published.first?.sid)
    let muted = try ask("MutePublishedTrack", #"{\#(at),"identity":"anna","trackSid":"\#(sid)","muted":true}"#).member("track")
    #expect(muted?.member("sid")?.string == sid && muted?.member("muted")?.isTrue == true)
    let described = try ask("UpdateParticipant", #"{\#(at),"identity":"anna","metadata":"m","attributes":{"hand":"up"}}"#)
    #expect(described.member("metadata")?.string == "m" && described.member("attributes")?.member("hand")?.string == "up")
    #expect(try ask("UpdateRoomMetadata", #"{\#(at),"metadata":"news"}"#).member("metadata")?.string == "news")
    #expect(try ask("SendData", #"{\#(at),"data":"aGk","topic":"t","destination_identities":["bot"]}"#).compact == "{}")
    #expect(try house.run([anna]) { bot.data == [": hi t"] })
    #expect(try ask("RemoveParticipant", #"{\#(at),"identity":"anna"}"#).compact == "{}")
    #expect(try house.run([anna]) { anna.leave?.reason == .participantRemoved })
    #expect(try ask("RemoveParticipant", #"{\#(at),"identity":"anna"}"#, status: 404).member("code")?.string == "not_found")
    #expect(try ask("GetParticipant", #"{\#(at),"identity":7}"#, status: 400).member("code")?.string == "malformed")
    #expect(try ask("ListParticipants", "", status: 400).member("code")?.string == "malformed")
    #expect(try ask("CreateRoom", "{}", status: 404).member("code")?.string == "bad_route")
    anna.close()
    try house.close()
  }

  @Test func whoIsNoAdministratorIsRefused() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let wire = try house.wire(at: "10.0.0.9")
    let all: [(inout LiveKitGrants) -> Void] = [
      { _ in }, { $0.listsRooms = true }, { ($0.isAdministrator, $0.room) = (true, "other") }
    ]
    for grant in all {
      let response = try ask(house, wire, "RemoveParticipant", target(house, "bot"), grant: grant)
      #expect(response.status == 401, "\(String(decoding: response.body, as: UTF8.self))")
    }
    #expect(try ask(house, wire, "ListRooms", LiveKitRoomNames()) { $0.isAdministrator = true }.status == 401)
    let other = LiveKitServiceTarget(room: "other")
    #expect(try ask(house, wire, "ListParticipants", other) { ($0.isAdministrator, $0.room) = (true, nil) }.status == 404)
    #expect(try ask(house, wire, "CreateRoom", other).status == 404)
    let count = wire.responses.count
    try wire.get("/twirp/livekit.RoomService/ListRooms", ["Content-Type": "application/protobuf"], method: "POST")
    #expect(try house.run([]) { wire.responses.count > count } && wire.last?.status == 401)
    #expect(bot.isHere)
    try house.close()
  }

  /// Of all who ask together, so that members are not slowed.
  @Test func whoAsksTooMuchIsRefused() throws {
    let house = try ServerHouse.forLiveKit()
    let wires = try (1...20).map { try house.wire(at: "10.0.0.\($0)") }
    // Each counts as fifteen.
    let request = try request(house, "SendData", LiveKitServiceData(room: house.room, data: [UInt8](repeating: 1, count: 60_000)).encoded)
    for wire in wires { try wire.send(request) }
    #expect(try house.run([]) { wires.allSatisfy { !$0.responses.isEmpty } })
    let statuses = wires.compactMap { $0.last?.status }
    #expect(statuses.contains(200) && statuses.contains(429) && Set(statuses).count == 2, "\(statuses)")
    try house.run(for: 3 * second)
    #expect(try ask(house, wires[0], "SendData", LiveKitServiceData(room: house.room)).status == 200)
    try house.close()
  }
}
