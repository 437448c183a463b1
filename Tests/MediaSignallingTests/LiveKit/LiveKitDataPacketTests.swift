import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct LiveKitDataPacketTests {
  /// kind, user (a message), who they say to be, for whom, a sequence number, and a field that nobody knows.
  private let bytes: [UInt8] =
    [0x08, 1, 0x12, 3, 0x12, 1, 0x41, 0x22, 1, 0x78, 0x2A, 1, 0x62, 0x2A, 1, 0x63, 0x80, 1, 7, 0x8A, 1, 1, 0x79, 0xA2, 6, 1, 9]

  @Test func theServerSaysWhoSendsIt() throws {
    let packet = try LiveKitDataPacket(bytes)
    #expect(packet.destinations == ["b", "c"] && packet.identity == "x" && packet.sid == "y")
    let sent = try LiveKitDataPacket(packet.from("anna", sid: "PA_1"))
    #expect(sent.identity == "anna" && sent.sid == "PA_1" && sent.destinations.isEmpty)
  }

  @Test func theRestIsAsItWas() throws {
    let sent = try LiveKitDataPacket(bytes).from("", sid: "")
    #expect(sent == [0x12, 3, 0x12, 1, 0x41, 0x08, 1, 0x80, 1, 7, 0xA2, 6, 1, 9])
  }

  /// LiveKit's SDK for browsers writes recipients there alone, and older SDKs read the sender there. A field is one that nobody knows.
  @Test func dataOfAProgramSaysWhoSendsItAndForWhomItIs() throws {
    func field(_ number: UInt8, _ text: String) -> [UInt8] { [number << 3 | 2, UInt8(text.utf8.count)] + text.utf8 }
    let rest: [UInt8] = [0x48, 5, 0x12, 1, 0x41]
    let user = [field(1, "PA_c"), field(5, "cleo"), field(3, "PA_d"), field(6, "bob"), rest].flatMap { $0 }
    let packet = try LiveKitDataPacket([0x12, UInt8(user.count)] + user)
    #expect(packet.recipients?.identities == ["bob"] && packet.recipients?.sids == ["PA_d"])
    let read = try packet.userData()
    #expect(read?.destinations == ["bob"] && read?.bytes == [0x41])
    let said = [field(1, "PA_a"), field(3, "PA_d"), field(5, "anna"), field(6, "bob"), rest].flatMap { $0 }
    let outer = [field(4, "anna"), [0x8A, 1, 4], Array("PA_a".utf8), [0x12, UInt8(said.count)], said].flatMap { $0 }
    #expect(packet.from("anna", sid: "PA_a") == outer)
  }

  @Test func dataOfAProgramIsReadAndWritten() throws {
    let read = try #require(try LiveKitDataPacket(bytes).userData())
    let expected = LiveKitUserData(identity: "x", bytes: [0x41], topic: "", isLossy: true, destinations: ["b", "c"])
    #expect(read == expected)
    let data = LiveKitUserData(identity: "anna", bytes: [1, 2], topic: "chat", isLossy: false, destinations: ["bert"])
    let packet = try LiveKitDataPacket(data.packet(sid: "PA_1"))
    var twice = data
    // In the packet, and in what it carries.
    twice.destinations = ["bert", "bert"]
    #expect(packet.sid == "PA_1" && packet.identity == "anna" && packet.destinations == ["bert"])
    #expect(try packet.userData() == twice)
    // Of another kind, and none.
    #expect(try LiveKitDataPacket([0x4A, 2, 0x12, 0]).userData() == nil)
    #expect(throws: MediaError.self) { try LiveKitDataPacket([0x12, 2, 0x12, 9]).userData() }
    #expect(try LiveKitDataPacket([0x12, 2, 0x12, 9]).recipients == nil)
  }

  @Test(arguments: [
    RemoteCallPart.request(id: "x", method: "add", timeout: 1_000, version: 1), .acknowledgement(id: "x"), .response(id: "x"),
    .failure(id: "x", code: 1_400, text: "no")
  ])
  func partsOfCallsAreReadAndWritten(part: RemoteCallPart) throws {
    var payload: [UInt8] = [65]
    if case .acknowledgement = part { payload = [] }
    var data = LiveKitUserData(identity: "anna", bytes: payload, topic: "", isLossy: false, destinations: ["bert"])
    data.content = .call(part)
    #expect(try LiveKitDataPacket(data.packet(sid: "PA_1")).userData() == data)
  }

  /// LiveKit's SDKs take a response without a payload for a failure.
  @Test func anEmptyResponseHasAPayload() throws {
    var data = LiveKitUserData(identity: "anna", bytes: [], topic: "", isLossy: false, destinations: ["bert"])
    data.content = .call(.response(id: "x"))
    let bytes = data.packet(sid: "PA_1")
    let response: [UInt8] = [0x0A, 1, 0x78, 0x12, 0]
    #expect(bytes.indices.contains { bytes[$0...].starts(with: response) }, "\(bytes)")
    #expect(try LiveKitDataPacket(bytes).userData() == data)
    data.content = .call(.failure(id: "x", code: 1_400, text: "no"))
    let failure = data.packet(sid: "PA_1")
    #expect(!failure.indices.contains { failure[$0...].starts(with: response) })
  }

  /// As LiveKit's SDKs write them.
  @Test func aRequestOfAnSDKIsRead() throws {
    let request: [UInt8] = [0x0A, 1, 0x78, 0x12, 3, 0x61, 0x64, 0x64, 0x1A, 1, 0x41, 0x20, 0xE8, 7, 0x28, 1]
    let read = try #require(try LiveKitDataPacket([0x22, 1, 0x61, 0x52, UInt8(request.count)] + request).userData())
    #expect(read.content == .call(.request(id: "x", method: "add", timeout: 1_000, version: 1)))
    #expect(read.bytes == [0x41] && read.identity == "a")
    let failure: [UInt8] = [0x0A, 1, 0x78, 0x1A, 8, 0x08, 0xF8, 0x0A, 0x12, 0, 0x1A, 1, 0x42]
    let failed = try #require(try LiveKitDataPacket([0x62, UInt8(failure.count)] + failure).userData())
    #expect(failed.content == .call(.failure(id: "x", code: 1_400, text: "")) && failed.bytes == [0x42])
  }

  @Test func encryptedDataIsReadAndWritten() throws {
    var data = LiveKitUserData(identity: "anna", bytes: [7, 8], topic: "", isLossy: true, destinations: ["bert"])
    data.content = .sealed(nonce: Array(1...12), index: 3)
    let bytes = data.packet(sid: "PA_1")
    #expect(try LiveKitDataPacket(bytes).userData() == data)
    // The type says AES-GCM.
    let field: [UInt8] = [0x92, 1, 2 + 14 + 2 + 4, 0x08, 1, 0x12, 12] + Array(1...12) + [0x18, 3, 0x22, 2, 7, 8]
    #expect(bytes.starts(with: [0x08, 1] + field), "\(bytes)")
  }

  /// In fields of other numbers than where nothing is encrypted.
  @Test func whatIsEncryptedIsReadAndWritten() throws {
    let parts: [(content: DataContent, bytes: [UInt8], topic: String, field: UInt8)] = [
      (.user, [65], "chat", 0x0A), (.call(.request(id: "x", method: "add", timeout: 1_000, version: 1)), [65], "", 0x22),
      (.call(.acknowledgement(id: "x")), [], "", 0x2A), (.call(.response(id: "x")), [66], "", 0x32),
      (.stream(.begin(id: "x", DataStreamInfo(isText: true))), [], "", 0x3A), (.stream(.chunk(id: "x", index: 1)), [67], "", 0x42),
      (.stream(.end(id: "x", reason: "", attributes: [:])), [], "", 0x4A)
    ]
    for part in parts {
      let written = try #require(LiveKitPrivateData(part.content, part.bytes, topic: part.topic)).bytes
      let read = try #require(try LiveKitPrivateData(written).data)
      #expect(written.first == part.field && read.content == part.content && read.bytes == part.bytes && read.topic == part.topic)
    }
    #expect(LiveKitPrivateData(.sealed(nonce: [], index: 0), [], topic: "") == nil)
    #expect(try LiveKitPrivateData([0x1A, 0]).data == nil && LiveKitPrivateData([]).data == nil)
    #expect(throws: MediaError.self) { try LiveKitPrivateData([0x0A, 2, 0x12, 9]) }
  }

  @Test(arguments: [true, false])
  func partsOfStreamsAreReadAndWritten(isText: Bool) throws {
    var info = DataStreamInfo(isText: isText)
    (info.topic, info.mimeType, info.name) = ("lk.chat", "text/plain", isText ? "" : "clip.ivf")
    (info.size, info.attributes, info.time) = (isText ? nil : 7, ["a": "1", "b": ""], 1_700_000_000_123_000_000)
    if isText { (info.replyTo, info.attachments) = ("w", ["y", "z"]) }
    let parts: [(DataStreamPart, [UInt8])] = [
      (.begin(id: "x", info), []), (.chunk(id: "x", index: 0), []), (.chunk(id: "x", index: 300), [65]),
      (.end(id: "x", reason: "", attributes: [:]), []), (.end(id: "x", reason: "no", attributes: ["a": "2"]), [])
    ]
    for (part, bytes) in parts {
      var data = LiveKitUserData(identity: "anna", bytes: bytes, topic: "", isLossy: false, destinations: ["bert"])
      data.content = .stream(part)
      #expect(try LiveKitDataPacket(data.packet(sid: "PA_1")).userData() == data)
    }
  }

  /// As LiveKit's SDKs write them.
  @Test func aStreamOfAnSDKIsRead() throws {
    let topic: [UInt8] = [0x1A, 4, 0x63, 0x68, 0x61, 0x74]
    let header: [UInt8] = [0x0A, 1, 0x78, 0x10, 0xE8, 7] + topic + [0x28, 3, 0x42, 6, 0x0A, 1, 0x61, 0x12, 1, 0x31]
    let text: [UInt8] = [0x4A, 11, 0x1A, 1, 0x77, 0x22, 1, 0x79, 0x22, 1, 0x7A, 0x28, 1]
    let begun = try #require(try LiveKitDataPacket([0x6A, UInt8(header.count + text.count)] + header + text).userData())
    var info = DataStreamInfo(isText: true)
    (info.topic, info.size, info.attributes, info.time) = ("chat", 3, ["a": "1"], 1_000_000_000)
    (info.replyTo, info.attachments) = ("w", ["y", "z"])
    #expect(begun.content == .stream(.begin(id: "x", info)))
    // Whose chunks are encrypted.
    let encrypted = header + text + [0x38, 1]
    #expect(try LiveKitDataPacket([0x6A, UInt8(encrypted.count)] + encrypted).userData() == nil)
    let chunk: [UInt8] = [0x0A, 1, 0x78, 0x10, 2, 0x1A, 1, 0x41]
    let read = try #require(try LiveKitDataPacket([0x72, UInt8(chunk.count)] + chunk).userData())
    #expect(read.content == .stream(.chunk(id: "x", index: 2)) && read.bytes == [0x41])
    let end = try #require(try LiveKitDataPacket([0x7A, 3, 0x0A, 1, 0x78]).userData())
    #expect(end.content == .stream(.end(id: "x", reason: "", attributes: [:])))
  }

  @Test func whatIsNoneIsRefused() {
    for length in 0..<bytes.count {
      // It may be one, but not with what was cut off.
      if let packet = try? LiveKitDataPacket(Array(bytes.prefix(length))) { #expect(packet.from("", sid: "").count <= length) }
    }
    #expect(throws: Error.self) { try LiveKitDataPacket([0x22, 0xFF, 0xFF]) }
  }
}
