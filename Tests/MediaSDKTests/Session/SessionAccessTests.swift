import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct SessionAccessTests {
  /// The token is the permissions.
  private func call(_ name: String = #function) throws -> Call {
    let call = try Call(name)
    var options = RoomOptions()
    options.verification = .function { .success(AccessGrant(UInt32($0.token.value).map { Permissions(rawValue: $0) } ?? .ordinary)) }
    try call.engine.configureRoom(call.room, options)
    return try call.connect()
  }

  @Test func eachKindOfStreamEndsWithItsPermission() throws {
    let call = try call()
    let (camera, screen) = (try call.engine.makeOutgoingVideo(Make.raw()), try call.engine.makeOutgoingVideo(Make.screen(Make.format())))
    let voice = try call.engine.makeOutgoingAudio(OutgoingAudioOptions())
    try call.anna.start(camera)
    try call.anna.start(screen)
    try call.anna.start(voice)
    try call.advance()
    let rounds: [(Permissions, [Bool])] = [
      ([.publishVideo, .publishAudio, .receive], [true, false, true]), ([.publishVideo], [true, false, false]), ([], [false, false, false])
    ]
    for (permissions, lives) in rounds {
      try call.anna.setAccessToken(AccessToken("\(permissions.rawValue)"))
      try call.advance()
      #expect([camera.state == .started, screen.state == .started, voice.state == .started] == lives)
    }
    #expect(camera.state == .failed && screen.state == .failed && voice.state == .failed)
    #expect(call.bert.incomingVideos.isEmpty && call.bert.incomingAudios.isEmpty)
    #expect(call.bert.participants.last?.member.permissions == [])
    #expect(call.anna.participants.first?.member.permissions == [])
  }

  @Test func theOrderOfEvents() throws {
    let call = try call()
    let (camera, seen) = try call.stream(Make.raw())
    let voice = try call.engine.makeOutgoingAudio(OutgoingAudioOptions())
    try call.bert.start(voice)
    try call.advance()
    _ = (call.events(call.anna), call.events(call.bert))
    try call.bert.setAccessToken(AccessToken("2"))
    try call.advance()
    #expect(call.events(call.bert) == ["incoming stopping", "incoming stopped", "renewed 2"])
    #expect(call.events(call.anna) == ["receivers 0"])
    #expect(failure { try seen.start() }?.status == .permission)
    try call.bert.setAccessToken(AccessToken("8"))
    try call.advance()
    #expect(call.events(call.bert) == ["outgoing sound failed permission", "renewed 8"])
    #expect(failure { try seen.start() } == nil)
    #expect(camera.state == .started)
  }

  @Test func aTokenOfARoomWithoutAVerifierIsAccepted() throws {
    let call = try Call().connect()
    try call.anna.setAccessToken(AccessToken("any"))
    try call.advance()
    #expect(call.events(call.anna) == ["renewed 47"])
    #expect(failure { try call.anna.setAccessToken(AccessToken(String(repeating: "x", count: 4096))) }?.status == .invalid)
    call.anna.close()
    #expect(failure { try call.anna.setAccessToken(AccessToken("")) }?.status == .closed)
  }
}
