import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct LiveKitServiceRequestTests {
  private let fields: HTTPFields = ["Authorization": "Bearer a.b.c", "Content-Type": "application/protobuf"]

  private func request(
    _ method: String, _ body: [UInt8] = [], _ kind: String = "application/protobuf"
  ) throws -> LiveKitServiceRequest? {
    let fields: HTTPFields = ["Authorization": "Bearer a.b.c", "Content-Type": kind]
    return try LiveKitServiceRequest(HTTPRequest("POST", "/twirp/livekit.RoomService/\(method)", fields, body: body))
  }

  private func read(
    _ method: String, json: String, _ kind: String = "application/json"
  ) throws -> (room: String, LiveKitServiceRequest.Call) {
    try #require(try request(method, Array(json.utf8), kind)).read()
  }

  private func read(_ method: String, _ body: some ProtoMessage) throws -> (room: String, LiveKitServiceRequest.Call) {
    let asked = try #require(try request(method, body.encoded))
    #expect(asked.token == "a.b.c")
    return try asked.read()
  }

  private func status(_ body: () throws -> Void) -> Status? {
    do {
      try body()
      return nil
    } catch {
      return (error as? MediaError)?.status
    }
  }

  @Test func methodsSayWhatIsAskedFor() throws {
    #expect(try read("ListRooms", LiveKitRoomNames(names: ["a", "b"])) == ("", .listRooms(["a", "b"])))
    let target = LiveKitServiceTarget(room: "a", identity: "anna", track: "TR_1", isMuted: true)
    #expect(try read("ListParticipants", target) == ("a", .listParticipants))
    #expect(try read("GetParticipant", target) == ("a", .participant("anna")))
    #expect(try read("RemoveParticipant", target) == ("a", .remove("anna", reason: "")))
    #expect(try read("MutePublishedTrack", target) == ("a", .mute("anna", track: "TR_1", true)))
    #expect(try read("UpdateRoomMetadata", LiveKitRoomChange(room: "a", metadata: "news")) == ("a", .describeRoom("news")))
    var change = LiveKitParticipantChange(room: "a", identity: "anna", metadata: "m", name: "Anna", attributes: ["k": "v", "old": ""])
    let described = LiveKitServiceRequest.Call.describe("anna", name: "Anna", metadata: "m", attributes: ["k": "v", "old": ""])
    #expect(try read("UpdateParticipant", change) == ("a", described))
    var data = LiveKitServiceData(room: "a", data: [1, 2], kind: .lossy, topic: "t", identities: ["anna"])
    let user = LiveKitUserData(identity: "", bytes: [1, 2], topic: "t", isLossy: true, destinations: ["anna"])
    #expect(try read("SendData", data) == ("a", .send(user)))
    var explained = LiveKitServiceTarget(room: "a", identity: "anna", reason: String(repeating: "a", count: 1_023))
    #expect(try read("RemoveParticipant", explained) == ("a", .remove("anna", reason: explained.reason)))
    explained.reason += "a"
    #expect(status { _ = try read("RemoveParticipant", explained) } == .range)
    // What is not done is refused, not ignored.
    change.permission = LiveKitPermission()
    #expect(status { _ = try read("UpdateParticipant", change) } == .state)
    data.sids = ["PA_1"]
    #expect(status { _ = try read("SendData", data) } == .invalid)
    for method in ["", "CreateRoom", "listrooms", "ListRooms/"] {
      #expect(status { _ = try read(method, target) } == .unsupported, "\(method)")
    }
  }

  @Test func methodsAreAskedByJSON() throws {
    let target = #"{"room":"a","identity":"anna","trackSid":"TR_1","muted":true,"revokeTokenTs":"7"}"#
    #expect(try read("ListRooms", json: #"{"names":["a","b"]}"#) == ("", .listRooms(["a", "b"])))
    #expect(try read("ListRooms", json: "{}") == ("", .listRooms([])))
    #expect(try read("ListParticipants", json: target) == ("a", .listParticipants))
    #expect(try read("GetParticipant", json: target) == ("a", .participant("anna")))
    #expect(try read("RemoveParticipant", json: target) == ("a", .remove("anna", reason: "")))
    for kind in ["application/json", "Application/JSON;charset=UTF-8", "application/json ; charset=utf-8"] {
      #expect(try read("MutePublishedTrack", json: target, kind) == ("a", .mute("anna", track: "TR_1", true)), "\(kind)")
    }
    #expect(try read("UpdateRoomMetadata", json: #"{"room":"a","metadata":"news"}"#) == ("a", .describeRoom("news")))
    let change = #"{"room":"a","identity":"anna","name":"Anna","metadata":"m","attributes":{"k":"v","old":""}}"#
    let described = LiveKitServiceRequest.Call.describe("anna", name: "Anna", metadata: "m", attributes: ["k": "v", "old": ""])
    #expect(try read("UpdateParticipant", json: change) == ("a", described))
    let data = #"{"room":"a","data":"AQI=","kind":"LOSSY","topic":"t","destination_identities":["anna"],"nonce":"AAAA"}"#
    let user = LiveKitUserData(identity: "", bytes: [1, 2], topic: "t", isLossy: true, destinations: ["anna"])
    #expect(try read("SendData", json: data) == ("a", .send(user)))
    #expect(status { _ = try read("UpdateParticipant", json: #"{"permission":{}}"#) } == .state)
    #expect(status { _ = try read("SendData", json: #"{"destinationSids":["PA_1"]}"#) } == .invalid)
    #expect(status { _ = try read("CreateRoom", json: "{}") } == .unsupported)
  }

  @Test func whatIsNoSuchJSONIsRefused() {
    for body in ["", " ", "null", "[]", "{", #"{"room":"a"}x"#, #"{"room":1}"#, #"{"room":"a","room":"b"}"#, #"{"room":"\#u{0}"}"#] {
      #expect(status { _ = try read("ListParticipants", json: body) } == .corrupt, "\(body)")
    }
    let deep = #"{"a":"# + String(repeating: "[", count: 65) + String(repeating: "]", count: 65) + "}"
    #expect(status { _ = try read("ListParticipants", json: deep) } == .corrupt)
    // The object, the list, and what is in it.
    let names = { (count: Int) in #"{"names":["# + [String](repeating: #""""#, count: count).joined(separator: ",") + "]}" }
    #expect(status { _ = try read("ListRooms", json: names(ProtoFields.most - 2)) } == nil)
    #expect(status { _ = try read("ListRooms", json: names(ProtoFields.most - 1)) } == .limit)
    let long = #"{"room":""# + String(repeating: "a", count: LiveKitServiceRequest.longest - 11) + #""}"#
    #expect(status { _ = try read("ListParticipants", json: long) } == nil)
    #expect(status { _ = try read("ListParticipants", json: long + " ") } == .limit)
  }

  /// Whatever becomes of it, it is taken or refused.
  @Test func whatIsSpoiltIsTakenOrRefused() throws {
    let bodies = [
      (
        "UpdateParticipant",
        #"{"room":"a","identity":"anna","name":"Ann\u00e4","attributes":{"k":"v"},"permission":{"canPublishSources":[1]}}"#
      ),
      ("SendData", #"{"room":"a","data":"AQI=","kind":"LOSSY","topic":"t","destinationIdentities":["anna"]}"#),
      ("MutePublishedTrack", #"{"room":"a","identity":"anna","trackSid":"TR_1","muted":true}"#)
    ]
    for (method, text) in bodies {
      let body = Array(text.utf8)
      for place in body.indices {
        var spoilt = [Array(body[..<place])]
        for bit in 0..<8 {
          var flipped = body
          flipped[place] ^= 1 << bit
          spoilt.append(flipped)
        }
        for body in spoilt {
          let status = status { _ = try request(method, body, "application/json")?.read() }
          #expect([nil, .corrupt, .state, .invalid].contains(status), "\(String(decoding: body, as: UTF8.self))")
        }
      }
    }
  }

  @Test func answersAreOfTheKindThatWasAsked() throws {
    let room = LiveKitRoomDescription(sid: "RM_1", name: "a", created: 7, mostParticipants: 64)
    for kind in ["application/protobuf", "application/json"] {
      let asked = try #require(try request("ListRooms", [], kind))
      let isJSON = kind == "application/json"
      let answers: [(HTTPResponse, any ProtoMessage)] = [
        (asked.rooms([room]), LiveKitRooms(rooms: [room.info])), (asked.room(room), room.info), (asked.done, LiveKitNothing()),
        (asked.participants([]), LiveKitParticipants())
      ]
      for (answer, message) in answers {
        #expect(answer.status == 200 && answer.fields.values("Content-Type") == [kind])
        #expect(answer.body == (isJSON ? Array(message.json.compact.utf8) : message.encoded))
      }
    }
  }

  @Test func whatIsNoRequestIsRefused() throws {
    #expect(try LiveKitServiceRequest(HTTPRequest("POST", "/twirp/livekit.Egress/ListEgress", fields)) == nil)
    #expect(try LiveKitServiceRequest(HTTPRequest("GET", "/rtc", fields)) == nil)
    let path = "/twirp/livekit.RoomService/ListRooms"
    #expect(status { _ = try LiveKitServiceRequest(HTTPRequest("GET", path, fields)) } == .unsupported)
    for kind in ["", "text/json", "application/jsonp", "application/protobuf2", "json"] {
      #expect(
        throws: MediaError(.corrupt, "the request's Content-Type is \"\(kind)\"; accepted: application/protobuf, application/json")
      ) { _ = try LiveKitServiceRequest(HTTPRequest("POST", path, ["Content-Type": kind])) }
    }
    #expect(status { _ = try LiveKitServiceRequest(HTTPRequest("POST", path, [:])) } == .corrupt)
    let both: HTTPFields = ["Content-Type": "application/json", "content-type": "application/protobuf"]
    #expect(status { _ = try LiveKitServiceRequest(HTTPRequest("POST", path, both)) } == .corrupt)
    let basic: HTTPFields = ["Authorization": "Basic abc", "Content-Type": "application/protobuf"]
    #expect(status { _ = try LiveKitServiceRequest(HTTPRequest("POST", path, basic)) } == .invalid)
    #expect(status { _ = try request("ListParticipants", [0xFF])?.read() } == .corrupt)
    #expect(status { _ = try request("ListParticipants", [UInt8](repeating: 0, count: 65_537))?.read() } == .limit)
    let name = LiveKitParticipantChange(room: "a", identity: "anna", name: String(repeating: "n", count: 257))
    #expect(status { _ = try read("UpdateParticipant", name) } == .range)
    let topic = LiveKitServiceData(room: "a", topic: String(repeating: "t", count: 256))
    #expect(status { _ = try read("SendData", topic) } == .range)
    let recipients = LiveKitServiceData(room: "a", identities: (0...100).map { "\($0)" })
    #expect(status { _ = try read("SendData", recipients) } == .range)
  }

  @Test func refusalsAreWrittenAsTwirpDoesAndReadAgain() throws {
    let cases: [(Status, Int, String, Status)] = [
      (.permission, 401, "unauthenticated", .permission), (.notFound, 404, "not_found", .notFound),
      (.unsupported, 404, "bad_route", .notFound),
      (.range, 400, "invalid_argument", .invalid), (.corrupt, 400, "malformed", .invalid), (.state, 412, "failed_precondition", .invalid),
      (.limit, 429, "resource_exhausted", .again), (.closed, 503, "unavailable", .io), (.fail, 500, "internal", .io)
    ]
    for (status, code, name, read) in cases {
      let response = LiveKitServiceRequest.refusal(MediaError(status, "because \"of\" it"))
      let json = try JSONReader.read(response.body, name: "answer")
      #expect(response.status == code && json.member("code")?.string == name && json.member("msg")?.string == "because \"of\" it")
      let failure = try #require(LiveKitServiceRequest.failure(response))
      #expect(failure.status == read && failure.text.hasSuffix(": because \"of\" it"), "\(failure.text)")
    }
    #expect(LiveKitServiceRequest.failure(try #require(try request("RemoveParticipant")).done) == nil)
    #expect(LiveKitServiceRequest.failure(HTTPResponse(502, text: "no JSON"))?.status == .io)
  }

  @Test func whatAModeratorAsksForIsReadAsThat() throws {
    let url = try HTTPURL("http://127.0.0.1:80/base", argument: "url")
    for (moderation, call) in [
      (LiveKitServiceRequest.Moderation.remove(reason: "late"), LiveKitServiceRequest.Call.remove("anna", reason: "late")),
      (.mute(track: "TR_1", true), .mute("anna", track: "TR_1", true))
    ] {
      var made = LiveKitServiceRequest.make(moderation, of: "anna", in: "lobby", token: "a.b.c", at: url)
      #expect(made.target.hasPrefix("/base/twirp/") && made.fields.values("Host") == ["127.0.0.1"])
      made.target = String(made.target.dropFirst(5))
      let asked = try #require(try LiveKitServiceRequest(made))
      #expect(try asked.token == "a.b.c" && asked.read() == ("lobby", call))
    }
  }
}
