import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct ProtoFieldsTests {
  /// As another implementation wrote them.
  private let join = bytes(
    "0a2b0a0712056c6f626279121c0a0450415f311204616e6e615a0610014a0201037a060a0161120162500f5805")

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private func refusal<M: ProtoMessage>(_: M.Type, _ bytes: [UInt8], longest: Int = ProtoFields.longest) -> MediaError? {
    do throws(MediaError) {
      _ = try M(reading: bytes, longest: longest)
      return nil
    } catch {
      return error
    }
  }

  @Test func messagesOfOthersAreReadAndWritten() throws {
    guard case .join(let message) = try LiveKitResponse(reading: join) else { throw MediaError(.corrupt, "it is no join") }
    #expect(message.room?.name == "lobby" && message.pingInterval == 5 && message.pingTimeout == 15)
    let participant = try #require(message.participant)
    #expect(participant.sid == "PA_1" && participant.identity == "anna" && participant.attributes == ["a": "b"])
    #expect(participant.permission?.canPublish == true && participant.permission?.sources == [.camera, .screenShare])
    #expect(LiveKitResponse.join(message).encoded == join)
    let speakers = ProtoFieldsTests.bytes("520f0a0d0a0450415f31150000003f1801")
    #expect(
      try LiveKitResponse(reading: speakers)
        == .speakers(LiveKitSpeakers(speakers: [LiveKitSpeaker(sid: "PA_1", level: 0.5, isActive: true)])))
    #expect(try LiveKitResponse(reading: speakers).encoded == speakers)
  }

  @Test func whatIsNotKnownIsSkipped() throws {
    // The last field of the track is one that this library does not have.
    let bytes = ProtoFieldsTests.bytes("22130a0163180120800a4a0508023a016692010101")
    guard case .addTrack(let track) = try LiveKitRequest(reading: bytes) else { throw MediaError(.corrupt, "it is no track") }
    #expect(track.cid == "c" && track.type == .video && track.width == 1280 && track.layers.map(\.rid) == ["f"])
    #expect(track.layers.map(\.quality) == [.high])
    // Fields of each kind, numbers and choices that came later; the one behind them is read.
    let strange = ProtoFieldsTests.bytes("f80701" + "f9070000000000000000" + "fa0701ff" + "fd0700000000" + "1863" + "0a0163")
    #expect(try LiveKitAddTrack(reading: strange).cid == "c")
    #expect(try LiveKitAddTrack(reading: strange).type == .audio)
    #expect(try LiveKitRequest(reading: ProtoFieldsTests.bytes("7005")) == .other)
    // Of a kind that the field has not.
    #expect(try LiveKitAddTrack(reading: ProtoFieldsTests.bytes("0807")).cid == "")
  }

  @Test func aMessageThatComesInPartsIsOne() throws {
    let first = LiveKitRequest.addTrack(LiveKitAddTrack(cid: "c", name: "n"))
    let second = LiveKitRequest.addTrack(LiveKitAddTrack(cid: "d", width: 7))
    #expect(try LiveKitRequest(reading: first.encoded + second.encoded) == .addTrack(LiveKitAddTrack(cid: "d", name: "n", width: 7)))
    // The last of several that exclude each other counts.
    let mute = LiveKitRequest.mute(LiveKitMute(sid: "TR", isMuted: true))
    #expect(try LiveKitRequest(reading: first.encoded + mute.encoded) == mute)
    // Numbers of a list may come together or one by one.
    #expect(
      try LiveKitPermission(reading: ProtoFieldsTests.bytes("48014a02020348634a0104")).sources == [
        .camera, .microphone, .screenShare, .screenShareAudio
      ])
  }

  @Test func numbersKeepTheirSignsAndAreCut() throws {
    let ping = LiveKitPing(timestamp: .min, roundTrip: -1)
    #expect(try LiveKitPing(reading: ping.encoded) == ping)
    #expect(ping.encoded.count == 22)
    let info = LiveKitClientInfo(sdk: -5)
    #expect(try LiveKitClientInfo(reading: info.encoded) == info && info.encoded.count == 11)
    let long = ProtoFieldsTests.bytes("20ffffffffffffffffff01")
    #expect(try LiveKitAddTrack(reading: long).width == .max)
    #expect(try LiveKitAddTrack(reading: ProtoFieldsTests.bytes("3002")).isMuted)
  }

  @Test(arguments: [
    ("0a", "ends within a number"), ("0a05", "field 1 of a message has 5 bytes, and 0 are left"),
    ("20ffffffffffffffffffff01", "more than 10 bytes"),
    ("20ff", "ends within a number"), ("0b", "unknown kind 3"), ("0c", "unknown kind 4"), ("0e", "unknown kind 6"), ("00", "the field 0"),
    ("0a02c328", "not valid UTF-8"), ("3d0000", "field 7 of a message has 4 bytes, and 2 are left"),
    ("39", "field 7 of a message has 8 bytes"),
    ("f8ffffffff0101", "the field 8589934591"), ("4a020a05", "field 1 of a message has 5 bytes, and 0 are left"),
    ("4affffffffffffffffff01", "has 18446744073709551615 bytes")
  ])
  func whatIsNoMessageIsRefused(_ digits: String, _ why: String) {
    let error = refusal(LiveKitAddTrack.self, ProtoFieldsTests.bytes(digits))
    #expect(error?.status == .corrupt && error?.text.contains(why) == true, "\(String(describing: error))")
  }

  @Test func whatIsTooMuchIsRefused() {
    let text = LiveKitTrickle(candidate: String(repeating: "c", count: 100)).encoded
    #expect(refusal(LiveKitTrickle.self, text, longest: text.count) == nil)
    #expect(refusal(LiveKitTrickle.self, text, longest: text.count - 1)?.status == .limit)
    // Empty layers, of two bytes.
    let layers = [[UInt8]](repeating: [0x4A, 0], count: ProtoFields.most + 1).flatMap(\.self)
    #expect(refusal(LiveKitAddTrack.self, Array(layers.dropLast(2))) == nil)
    #expect(refusal(LiveKitAddTrack.self, layers)?.status == .limit)
    // In one message within, and packed.
    #expect(refusal(LiveKitTrackPublished.self, [0x12, 0x82, 0x80, 0x01] + [UInt8](repeating: 0, count: 2)) != nil)
    let packed = LiveKitPermission(sources: [LiveKitSource](repeating: .camera, count: ProtoFields.most)).encoded
    #expect(refusal(LiveKitPermission.self, packed)?.status == .limit)
  }
}
