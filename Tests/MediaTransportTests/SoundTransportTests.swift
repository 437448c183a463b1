import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// What the room knows of sound, beside its units.
@Suite struct SoundTransportTests {
  private static let format = AudioFormat(.s16, sampleRate: 44_100, channels: 2, samplesPerBuffer: 882)

  private func publish(_ peer: Peer, kind: Int = MSDK_AUDIO_MICROPHONE) throws -> StreamID {
    let id = peer.transport.makeStreamID()
    try peer.transport.publish(id, codec: FourCC.raw, format: .audio(Self.format, kind: UInt32(kind)))
    return id
  }

  /// What the peer was told since it last was asked, beside who came and what was added.
  private func told(_ peer: Peer) -> [String] {
    peer.events.entries.filter { !["connected", "joined", "added"].contains(String($0.split(separator: " ")[0])) }
  }

  @Test func aStreamOfSoundIsAnnouncedWithItsFormatAndKind() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try publish(anna, kind: MSDK_AUDIO_SCREEN_SHARE)
    try room.advance()
    let description = try #require(bert.streams.entries.first)
    guard case .audio(let format, let kind) = description.format else { throw MediaError(.format, "no stream of sound") }
    #expect(description.id == id)
    #expect(format == Self.format)
    #expect(kind == UInt32(MSDK_AUDIO_SCREEN_SHARE))
    #expect(!description.isMuted)
    room.close(anna, bert)
  }

  @Test func soundPassesByReferenceAndCountsItsBytes() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try publish(anna)
    try room.advance()
    bert.subscribe(to: id)
    try room.advance()
    let frame = try AudioFrame.make(Self.format, sampleCount: 882)
    #expect(frame.byteCount == 882 * 4)
    #expect(anna.transport.send(frame, 1, on: id) == .sent)
    #expect(bert.arrivals.entries.map(\.sequence) == [1])
    #expect(anna.transport.stats.bytesSent == 882 * 4)
    #expect(bert.transport.stats.bytesReceived == 882 * 4)
    #expect(frame.references == 1)
    frame.release()
    room.close(anna, bert)
  }

  @Test func aUnitOnItsWayIsHeldOnceAndLetGoWherever() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(delay: 50 * millisecond)])
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance(milliseconds: 500)
    let id = try publish(anna)
    try room.advance(milliseconds: 500)
    bert.subscribe(to: id)
    try room.advance(milliseconds: 500)
    let frame = try AudioFrame.make(Self.format, sampleCount: 882)
    #expect(anna.transport.send(frame, 1, on: id) == .sent)
    #expect(frame.references == 2)
    try room.advance(milliseconds: 100)
    #expect(bert.arrivals.entries.count == 1)
    #expect(frame.references == 1)
    #expect(anna.transport.send(frame, 2, on: id) == .sent)
    bert.transport.disconnect()
    try room.advance(milliseconds: 100)
    #expect(bert.arrivals.entries.count == 1)
    #expect(frame.references == 1)
    frame.release()
    room.close(anna)
  }

  @Test func mutingIsToldToTheOthersOnce() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl"))
    let id = try publish(anna)
    anna.transport.setMuted(id, true)
    anna.transport.setMuted(id, true)
    try room.advance()
    #expect(told(bert) == ["muted"])
    #expect(told(anna) == [])
    carl.connect()
    try room.advance()
    // Who comes later finds it so.
    #expect(carl.streams.entries.map(\.isMuted) == [true])
    #expect(told(carl) == [])
    anna.transport.setMuted(id, false)
    try room.advance()
    #expect(told(bert) == ["muted", "unmuted"])
    #expect(told(carl) == ["unmuted"])
    room.close(anna, bert, carl)
  }

  @Test func onlyThePublisherMutesAndSpeaks() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    let id = try publish(anna)
    try room.advance()
    bert.transport.setMuted(id, true)
    bert.transport.setSpeaking(id, true, level: 20)
    anna.transport.unpublish(id)
    anna.transport.setMuted(id, true)
    anna.transport.setSpeaking(id, true, level: 20)
    try room.advance()
    #expect(told(carl) == ["removed"])
    #expect(told(anna) == [])
    room.close(anna, bert, carl)
  }

  @Test func whoSpeaksIsToldToThoseHereAndThoseToCome() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let (carl, dora) = (room.peer("carl"), room.peer("dora"))
    let id = try publish(anna)
    anna.transport.setSpeaking(id, true, level: 23)
    try room.advance()
    carl.connect()
    try room.advance()
    #expect(told(bert) == ["anna speaks at 23"])
    #expect(told(carl) == ["anna speaks at 23"])
    anna.transport.setSpeaking(id, false, level: 127)
    try room.advance()
    dora.connect()
    try room.advance()
    #expect(told(bert).last == "anna is silent at 127")
    #expect(told(dora) == [])
    #expect(told(anna) == [])
    room.close(anna, bert, carl, dora)
  }
}
