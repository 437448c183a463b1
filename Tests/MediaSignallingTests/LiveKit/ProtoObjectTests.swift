import MediaCore
import Testing

@testable import MediaSignalling

/// Messages as JSON.
@Suite struct ProtoObjectTests {
  private func read<M: ProtoMessage>(_: M.Type, _ text: String) throws -> M {
    try M(json: JSONReader.read(Array(text.utf8), name: "message"), name: "message")
  }

  private func refusal<M: ProtoMessage>(_: M.Type, _ text: String) -> MediaError? {
    do {
      _ = try read(M.self, text)
      return nil
    } catch {
      return error as? MediaError
    }
  }

  @Test func whatIsEmptyIsWrittenToo() {
    #expect(LiveKitParticipants().json.compact == #"{"participants":[]}"#)
    #expect(LiveKitMutedTrack().json.compact == #"{"track":null}"#)
    #expect(
      LiveKitRoom(name: "a", createdAt: 7).json.compact
        == #"{"sid":"","name":"a","empty_timeout":0,"max_participants":0,"creation_time":"7","metadata":"","num_participants":0,"#
        + #""active_recording":false,"num_publishers":0,"departure_timeout":0}"#)
    let participant = LiveKitParticipant(
      state: .active, joinedAt: .max, permission: LiveKitPermission(sources: [.camera, .screenShare]), attributes: ["b": "", "a": "\"1\""],
      reason: .mediaFailure)
    let text = participant.json.compact
    for part in [
      #""state":"ACTIVE","tracks":[],"#, #""joined_at":"9223372036854775807""#, #""can_publish_sources":["CAMERA","SCREEN_SHARE"]"#,
      #""kind":"STANDARD","attributes":{"a":"\"1\"","b":""}"#, #""disconnect_reason":"MEDIA_FAILURE""#
    ] {
      #expect(text.contains(part), "\(text)")
    }
    // What is beside the protocol has no name.
    let track = LiveKitTrackInfo(sid: "TR", type: .video, layers: [LiveKitLayer(spatialLayer: -1)], format: LiveKitStreamFormat())
    #expect(track.json.member("layers")?.list.first?.member("spatial_layer")?.whole(Int.self) == -1)
    #expect(track.json.member("type")?.string == "VIDEO" && track.json.member("format") == nil)
    #expect(LiveKitServiceData(data: [0xFB, 0xFF, 0xFE]).json.member("data")?.string == "+//+")
    #expect(LiveKitNothing().json.compact == "{}")
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let track = LiveKitTrackInfo(
      sid: "TR_1", type: .video, name: "grüße 🎥", isMuted: true, width: .max, isSimulcast: true, source: .screenShare,
      layers: [LiveKitLayer(quality: .high, width: 1280, spatialLayer: .min, rid: "f")], mimeType: "video/VP8",
      codecs: [LiveKitCodecInfo(mimeType: "video/VP8", layers: [LiveKitLayer()])], encryption: .gcm)
    let participant = LiveKitParticipant(
      sid: "PA_1", state: .disconnected, tracks: [track, LiveKitTrackInfo()], joinedAt: .min, version: .max,
      permission: LiveKitPermission(),
      kind: .agent, attributes: ["": "", "k": "v"], reason: .roomClosed)
    let all = LiveKitParticipants(participants: [LiveKitParticipant(), participant])
    #expect(try LiveKitParticipants(json: all.json, name: "message") == all)
  }

  @Test func valuesAreReadInEachOfTheirForms() throws {
    for text in [#"{"max_participants":64,"num_publishers":2}"#, #"{"maxParticipants":"64","numPublishers":2.0}"#] {
      let room = try read(LiveKitRoom.self, text)
      #expect(room.mostParticipants == 64 && room.publishers == 2, "\(text)")
    }
    for number in ["1000000000000", #""1000000000000""#, "1e12", #""1e12""#] {
      #expect(try read(LiveKitRoom.self, #"{"creationTime":\#(number)}"#).createdAt == 1_000_000_000_000)
    }
    for source in [#""SCREEN_SHARE_AUDIO""#, "4"] {
      #expect(try read(LiveKitTrackInfo.self, #"{"source":\#(source)}"#).source == .screenShareAudio)
      #expect(try read(LiveKitPermission.self, #"{"can_publish_sources":[\#(source)]}"#).sources == [.screenShareAudio])
    }
    for data in ["+/8A", "-_8A", "+/8B", "-_8B"] {
      #expect(try read(LiveKitServiceData.self, #"{"data":"\#(data)"}"#).data.prefix(2) == [0xFB, 0xFF])
    }
    for data in ["+w==", "+w", "-w==", "-w"] { #expect(try read(LiveKitServiceData.self, #"{"data":"\#(data)"}"#).data == [0xFB]) }
    // null is what a field is without a value.
    let null = #"{"room":null,"data":null,"kind":null,"destination_sids":null,"topic":null,"destinationIdentities":null}"#
    #expect(try read(LiveKitServiceData.self, null) == LiveKitServiceData())
    #expect(try read(LiveKitParticipantChange.self, #"{"permission":null,"attributes":null}"#) == LiveKitParticipantChange())
    #expect(try read(LiveKitServiceTarget.self, #"{"muted":null}"#) == LiveKitServiceTarget())
  }

  @Test func whatIsNotKnownIsSkipped() throws {
    #expect(try read(LiveKitServiceTarget.self, #"{"other":{"a":[1,null]},"room":"a","Room":7}"#) == LiveKitServiceTarget(room: "a"))
    #expect(try read(LiveKitTrackInfo.self, #"{"source":"HOLOGRAM","type":9,"format":{}}"#) == LiveKitTrackInfo())
    #expect(try read(LiveKitPermission.self, #"{"can_publish_sources":["HOLOGRAM",9,"CAMERA"]}"#).sources == [.camera])
    // There is a name for it, and no value.
    #expect(try read(LiveKitParticipant.self, #"{"disconnect_reason":"SIP_TRUNK_FAILURE"}"#).reason == .unknown)
  }

  @Test(arguments: [
    ("[]", "an object"), ("null", "an object"), (#"{"identity":7}"#, "a text"), (#"{"state":true}"#, "a name or a number"),
    (#"{"state":4294967296}"#, "a name or a number"), (#"{"tracks":{}}"#, "a list"), (#"{"tracks":[null]}"#, "an object"),
    (#"{"joined_at":9223372036854775808}"#, "of 64 bits"), (#"{"joined_at":"x"}"#, "expected: a value"), (#"{"joined_at":""}"#, "a value"),
    (#"{"joined_at":"\"1\""}"#, "of 64 bits"), (#"{"joined_at":1e19}"#, "of 64 bits"), (#"{"version":-1}"#, "of 32 bits"),
    (#"{"version":4294967296}"#, "of 32 bits"), (#"{"version":0.5}"#, "of 32 bits"), (#"{"version":[]}"#, "of 32 bits"),
    (#"{"is_publisher":1}"#, "true, false"), (#"{"isPublisher":"true"}"#, "true, false"), (#"{"attributes":[]}"#, "an object"),
    (#"{"attributes":{"a":1}}"#, "a text"), (#"{"permission":[]}"#, "an object"), (#"{"permission":{"can_publish_sources":1}}"#, "a list"),
    (#"{"permission":{"can_publish_sources":[null]}}"#, "a name or a number"), (#"{"joined_at":1,"joinedAt":1}"#, "one value")
  ])
  func whatIsOfAnotherKindIsRefused(_ text: String, _ accepted: String) {
    let error = refusal(LiveKitParticipant.self, text)
    #expect(error?.status == .corrupt && error?.text.contains(accepted) == true, "\(String(describing: error))")
  }

  @Test(arguments: [#""+w=x""#, #""a""#, #""a b""#, "[1]"])
  func whatIsNoBase64IsRefused(_ data: String) {
    #expect(refusal(LiveKitServiceData.self, #"{"data":\#(data)}"#)?.status == .corrupt)
  }
}
