import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct SessionModerationTests {
  /// anna may moderate, bert may not.
  private func call(_ name: String = #function) throws -> Call {
    let call = try Call(name)
    var options = RoomOptions()
    options.verification = .function { .success(AccessGrant($0.member.userID == "anna" ? .all : .ordinary)) }
    try call.engine.configureRoom(call.room, options)
    return try call.connect()
  }

  @Test func aRemovedSessionEndsItsStreamsAndMayComeBack() throws {
    let call = try call()
    let stream = try call.engine.makeOutgoingVideo(Make.raw())
    try call.bert.start(stream)
    try call.advance()
    _ = call.events(call.bert)
    try call.anna.remove("bert", reason: "enough")
    try call.advance()
    #expect(call.events(call.bert) == ["removed by anna: enough", "outgoing stopped", "disconnected removed"])
    #expect(call.bert.participants.isEmpty)
    #expect(stream.state == .stopped)
    #expect(failure { try call.anna.remove("bert") }?.status == .notFound)
    try call.bert.connect()
    try call.advance()
    #expect(call.bert.state == .connected)
    #expect(failure { try call.bert.remove("anna") }?.status == .permission)
  }

  @Test func mutingReachesWhatIsStartedAndWhatIsAttached() throws {
    let call = try call()
    let started = try call.engine.makeOutgoingAudio(OutgoingAudioOptions())
    let later = try call.engine.makeOutgoingAudio(OutgoingAudioOptions())
    try call.bert.start(started)
    try call.advance()
    _ = call.events(call.anna)
    try call.anna.mute("bert", true)
    try call.advance()
    #expect(call.events(call.anna) == ["bert muted"])
    #expect(started.guarded.withLock { $0.isMuted })
    // Not what comes later.
    try call.bert.start(later)
    #expect(!later.guarded.withLock { $0.isMuted })
    try call.anna.mute("bert", false)
    try call.advance()
    #expect(!started.guarded.withLock { $0.isMuted })
  }

  @Test func nobodyButOneselfUnmutesWhatOneMutedOneself() throws {
    let call = try call()
    let stream = try call.engine.makeOutgoingAudio(OutgoingAudioOptions())
    try call.bert.start(stream)
    stream.setMuted(true)
    for isMuted in [false, true, false] {
      try call.anna.mute("bert", isMuted)
      try call.advance()
      #expect(stream.guarded.withLock { $0.isMuted })
    }
    stream.setMuted(false)
    try call.anna.mute("bert", true)
    try call.advance()
    // Made one's own.
    stream.setMuted(true)
    try call.anna.mute("bert", false)
    try call.advance()
    #expect(stream.guarded.withLock { $0.isMuted })
  }

  @Test func aTokenIsNotPartOfAnyText() throws {
    let call = try Call()
    var options = SessionOptions(url: call.room, userID: "carl")
    options.accessToken = AccessToken(String(repeating: "secret", count: 1000))
    let error = failure { _ = try call.engine.makeSession(options) }
    #expect(error?.status == .invalid)
    #expect(error?.text.contains("secret") == false)
    #expect(!"\(options)".contains("secret"))
  }
}
