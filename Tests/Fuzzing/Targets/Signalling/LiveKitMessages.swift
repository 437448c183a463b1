import MediaCore

@testable import MediaSignalling

/// Messages of LiveKit as either side gets them, access tokens, what clients come with, and conversations with the server's side.
enum LiveKitMessages: FuzzTarget {
  static let name = "livekit"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    switch input.number(below: 10) {
    case 0: try again(LiveKitRequest.self, input.rest)
    case 1: try again(LiveKitResponse.self, input.rest)
    case 2: try again(LiveKitJoinRequest.self, input.rest)
    case 3: try again(LiveKitWrappedJoin.self, input.rest)
    case 4:
      let grants = try LiveKitToken.verify(input.text, now: 1_800_000_000) { $0 == "key" ? "a secret of thirty-two characters" : nil }
      expect(grants.attributes.count <= LiveKitToken.longest, "attributes from nowhere")
    case 5: try enter(input.text)
    case 6: try hand(Array(input.rest))
    case 7: try join(&input)
    case 9: try administer(&input)
    default: try converse(&input)
    }
  }

  private static func enter(_ query: String) throws {
    let request = HTTPRequest("GET", "/rtc/v1?join_request=\(query)", [:])
    guard let joining = try LiveKitEntrance(request)?.joining() else { return }
    expect(joining.request.encoded.count <= 2 * LiveKitEntrance.longest, "more than was unpacked")
    let sections = LiveKitOffer(joining.request.offer?.sdp ?? "").sections
    expect(sections.allSatisfy { $0.mid.utf8.count <= LiveKitEntrance.longest }, "a section from nowhere")
  }

  private static func hand(_ bytes: [UInt8]) throws {
    if let data = try? LiveKitPrivateData(bytes).data {
      let again = try LiveKitPrivateData(data.content, data.bytes, topic: data.topic).map { try LiveKitPrivateData($0.bytes) }?.data
      expect(
        again?.content == data.content && again?.bytes == data.bytes && again?.topic == data.topic, "encrypted data that is other data")
    }
    let packet = try LiveKitDataPacket(bytes)
    let sent = packet.from("anna", sid: "PA_1")
    // The sender is there once more within data of a program.
    expect(sent.count <= bytes.count + 32, "\(sent.count) bytes of \(bytes.count)")
    let read = try LiveKitDataPacket(sent)
    expect(read.destinations.isEmpty && read.from("anna", sid: "PA_1") == sent, "a packet that is another on its way")
    guard let data = try packet.userData() else { return }
    let again = try LiveKitDataPacket(data.packet(sid: "PA_1")).userData()
    expect(again?.bytes == data.bytes && again?.topic == data.topic && again?.isLossy == data.isLossy, "data that is other data")
    expect(again?.content == data.content, "a part of a call or of a stream that is another one")
  }

  /// A program that administers a room, by JSON where the message begins as that does; as no other does.
  private static func administer(_ input: inout Input) throws {
    let methods = ["ListRooms", "GetParticipant", "MutePublishedTrack", "UpdateParticipant", "UpdateRoomMetadata", "SendData", input.text]
    let method = methods[input.number(below: methods.count)]
    let body = Array(input.rest)
    let isJSON = body.first == UInt8(ascii: "{")
    if isJSON { try again(json: body) }
    let fields: HTTPFields = ["Content-Type": isJSON ? "application/json" : "application/protobuf"]
    let request = HTTPRequest("POST", "/twirp/livekit.RoomService/\(method)", fields, body: body)
    guard let (_, call) = try LiveKitServiceRequest(request)?.read() else { return }
    if case .describe(_, let name, _, _) = call { expect(name.utf8.count <= 256, "a name beyond its bounds") }
    if case .send(let data) = call { expect(data.topic.utf8.count <= 255 && data.destinations.count <= 100, "data beyond its bounds") }
  }

  /// What is read as JSON is the same when it is written and read again.
  private static func again(json body: [UInt8]) throws {
    guard let json = try? JSONReader.read(body, name: "input"), let message = try? LiveKitParticipants(json: json, name: "input") else {
      return
    }
    let written = try JSONReader.read(Array(message.json.compact.utf8), name: "output")
    expect(try LiveKitParticipants(json: written, name: "output") == message, "a message that is another as JSON")
  }

  /// A client that says anything, while others come and go.
  private static func converse(_ input: inout Input) throws {
    var number = 0
    let own = LiveKitServerSession.Participant(sid: "PA_0", identity: "anna", name: "Anna")
    let session = LiveKitServerSession(
      LiveKitJoining(LiveKitJoinRequest()), as: own, grants: LiveKitGrants(identity: "anna", room: nil),
      room: LiveKitRoomDescription(sid: "RM_1", name: "a", created: 0, mostParticipants: 64)
    ) {
      number += 1
      return "TR_\(number)"
    }
    for _ in 0..<32 where !input.isAtEnd {
      switch input.number(below: 8) {
      case 0: session.welcome()
      case 1: session.meet(.init(sid: "PA_1", identity: "bob", name: "Bob"))
      case 2: session.add(LiveKitTrack(sid: "TR_x", isVideo: true, isScreen: false), of: "bob")
      case 3: session.part("bob")
      case 4: session.unpublish("TR_1")
      default: try? session.receive(Array(input.piece()), wallTime: 0)
      }
      while session.takeEvent() != nil {}
      while let said = session.takeOutput() { _ = try LiveKitResponse(reading: said) }
    }
  }

  /// A server that says anything to a session.
  private static func join(_ input: inout Input) throws {
    let client = LiveKitClient(now: 0)
    var (time, known): (Int64, Set<String>) = (0, [])
    for number in 0..<64 where !input.isAtEnd {
      switch input.number(below: 8) {
      case 0: client.announce("c\(number)", isScreen: false, layers: [(0, 0), (0, 0), (0, 0)].dropLast(Int(number % 4)), now: time)
      case 1: client.setMuted("c\(number / 2)", number % 2 == 0)
      case 2: client.want("TR_1", true)
      case 3: time += Int64(input.number(below: 256)) * 1_000_000_000
      default: client.receive(Array(input.piece()), now: time)
      }
      expect((client.poll(now: time) ?? .max) >= time, "a time that has passed")
      while let event = client.takeEvent() {
        switch event {
        case .participant(let other): known.insert(other.identity)
        case .left(let identity): expect(known.remove(identity) != nil, "somebody left who was not there")
        default: break
        }
      }
      while let said = client.takeOutput() { _ = try LiveKitRequest(reading: said) }
    }
    expect(known.count <= LiveKitClient.mostParticipants, "too many are known")
  }

  /// What was read and is written is read as the same, and is not longer than what its texts need.
  private static func again<M: ProtoMessage>(_: M.Type, _ bytes: UnsafeRawBufferPointer) throws {
    let message = try M(reading: Array(bytes))
    let written = message.encoded
    guard written.count <= ProtoFields.longest else { return }
    // Not compared as a value: a number may be none.
    expect(try M(reading: written).encoded == written, "a message that is another when it is read again")
  }
}
