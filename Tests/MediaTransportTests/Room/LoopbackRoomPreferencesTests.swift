import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// What the receivers of a stream want reaches its publisher.
@Suite struct LoopbackRoomPreferencesTests {
  private let small = VideoPreference(width: 320, height: 180)
  private let large = VideoPreference(width: 1280, height: 720, frameRate: FrameRate(15))

  private func wanted(_ peer: Peer) -> [String] { peer.events.entries.filter { $0.hasPrefix("wants") } }

  @Test func thoseWhoReceiveCount() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance()
    let id = try room.stream(from: anna, to: [bert])
    carl.transport.prefer(large, of: id)
    bert.transport.prefer(small, of: id)
    try room.advance(milliseconds: 1999)
    #expect(wanted(anna).isEmpty)
    try room.advance(milliseconds: 1)
    #expect(wanted(anna) == ["wants 320x180"])
    // His preference is known before he receives.
    try room.advance(milliseconds: 250)
    carl.subscribe(to: id)
    try room.advance()
    #expect(wanted(anna) == ["wants 320x180", "wants 1280x720"])
    try room.advance(milliseconds: 10_000)
    carl.transport.unsubscribe(from: id)
    try room.advance(milliseconds: 2250)
    #expect(wanted(anna).last == "wants 320x180")
    // Kept meanwhile.
    carl.subscribe(to: id)
    try room.advance()
    #expect(wanted(anna).last == "wants 1280x720")
    try room.advance(milliseconds: 10_000)
    carl.transport.disconnect()
    try room.advance(milliseconds: 2000)
    #expect(wanted(anna).last == "wants 320x180")
    bert.transport.prefer(.any, of: id)
    try room.advance(milliseconds: 250)
    #expect(wanted(anna).last == "wants anything")
    #expect(wanted(bert).isEmpty && wanted(carl).isEmpty)
    room.close(anna, bert)
  }

  /// The publisher hears nothing of priorities: neither of one that changes, nor of one that is there from the beginning.
  @Test func aPriorityIsNoNewsToThePublisher() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    let id = try room.stream(from: anna, to: [bert])
    for priority in [VideoPreference.Priority.high, .low, .veryLow] {
      bert.transport.prefer(VideoPreference(priority: priority), of: id)
      try room.advance(milliseconds: 5000)
    }
    #expect(wanted(anna).isEmpty)
    bert.transport.prefer(VideoPreference(width: 320, height: 180, priority: .high), of: id)
    try room.advance(milliseconds: 5000)
    bert.transport.prefer(VideoPreference(width: 320, height: 180, priority: .low), of: id)
    try room.advance(milliseconds: 5000)
    #expect(wanted(anna) == ["wants 320x180"])
    bert.transport.prefer(VideoPreference(width: 1280, height: 720, priority: .low), of: id)
    try room.advance(milliseconds: 300)
    #expect(wanted(anna) == ["wants 320x180", "wants 1280x720"])
    room.close(anna, bert)
  }

  @Test func whoHasNoPreferenceWantsEverything() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance()
    let id = try room.stream(from: anna, to: [bert, carl])
    bert.transport.prefer(small, of: id)
    try room.advance(milliseconds: 10_000)
    #expect(wanted(anna).isEmpty)
    carl.transport.disconnect()
    try room.advance(milliseconds: 2000)
    #expect(wanted(anna) == ["wants 320x180"])
    // Who is not in the room, or has left it, prefers nothing, and of sound nobody does.
    carl.transport.prefer(large, of: id)
    let sound = anna.transport.makeStreamID()
    try anna.transport.publish(sound, codec: 0, format: .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: 1))
    bert.subscribe(to: sound)
    bert.transport.prefer(small, of: sound)
    try room.advance(milliseconds: 5000)
    #expect(wanted(anna).count == 1)
    room.close(anna, bert)
  }

  @Test func anotherPublicationBeginsAnew() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    let first = try room.stream(from: anna, to: [bert])
    bert.transport.prefer(small, of: first)
    // It ends while the wish is held.
    anna.transport.unpublish(first)
    let second = try room.stream(from: anna, to: [bert])
    bert.transport.prefer(small, of: first)
    try room.advance(milliseconds: 5000)
    #expect(wanted(anna).isEmpty)
    bert.transport.prefer(small, of: second)
    try room.advance(milliseconds: 2000)
    #expect(wanted(anna) == ["wants 320x180"])
    room.close(anna, bert)
  }

  /// Over a scripted network too, whose messages are not lost.
  @Test func underAScript() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.script([.init(at: 0, bandwidth: 1_000_000, delay: 50_000_000, loss: 500_000)])
    try room.advance(milliseconds: 500)
    let id = try room.stream(from: anna, to: [bert])
    bert.transport.prefer(small, of: id)
    try room.advance(milliseconds: 3000)
    bert.transport.prefer(large, of: id)
    try room.advance()
    #expect(wanted(anna) == ["wants 320x180", "wants 1280x720"])
    try room.advance(milliseconds: 2000)
    #expect(wanted(anna).last == "wants 1280x720@15")
    room.close(anna, bert)
  }

  /// 200 times a second, beside somebody who wants the small size, and beside somebody who wants everything.
  @Test func whoTogglesIsHeardOnce() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance()
    let id = try room.stream(from: anna, to: [bert, carl])
    carl.transport.prefer(small, of: id)
    for step in 0..<2000 {
      bert.transport.prefer(step.isMultiple(of: 2) ? small : large, of: id)
      try room.advance(milliseconds: 5)
    }
    #expect(wanted(anna) == ["wants 1280x720"])
    carl.transport.prefer(.any, of: id)
    for step in 0..<2000 {
      bert.transport.prefer(step.isMultiple(of: 2) ? small : large, of: id)
      try room.advance(milliseconds: 5)
    }
    #expect(wanted(anna) == ["wants 1280x720", "wants anything"])
    room.close(anna, bert, carl)
  }
}
