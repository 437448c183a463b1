import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// What a receiver prefers, from their stream to the sender's.
@Suite struct PreferenceTests {
  private let large = Make.format(1280, 720, 30)
  private let middle = Make.format(640, 360, 30)
  private let small = Make.format(320, 180, 15)

  private func wanted(_ events: [String]) -> [String] { events.filter { $0.hasPrefix("wanted") || $0.hasPrefix("sender") } }

  private func size(of stream: OutgoingVideo) -> UInt32? { stream.stats.format?.width }

  @Test(arguments: [MSDK_CODEC_VP8, MSDK_CODEC_RAW]) func theSenderFollows(codec: Int) throws {
    let call = try Call("\(#function) \(codec)").connect()
    var options = Make.raw(large, middle, small)
    options.codec = UInt32(codec)
    let (outgoing, incoming) = try call.stream(options)
    _ = call.events(call.anna)
    try incoming.setPreference(VideoPreference(width: 500, height: 300, frameRate: FrameRate(10)))
    try call.advance(2 * second - 1)
    #expect(wanted(call.events(call.anna)).isEmpty && size(of: outgoing) == 1280)
    try call.advance(1)
    #expect(wanted(call.events(call.anna)) == ["wanted 500x300@10", "sender \(middle)"])
    let stats = outgoing.stats
    #expect(stats.wanted == VideoPreference(width: 500, height: 300, frameRate: FrameRate(10)))
    #expect(stats.pacedRate == FrameRate(10) && stats.counters.formatChanges == 1)
    try call.advance(10 * second)
    try incoming.setPreference(.any)
    try call.advance()
    #expect(wanted(call.events(call.anna)) == ["wanted 0x0", "sender \(large)"])
    #expect(outgoing.stats.pacedRate == FrameRate(30))
  }

  /// Frames beyond the wanted rate are dropped, of a raw stream too; a rate alone changes no sender where no slower format is declared.
  @Test func framesLeaveAtTheWantedRate() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(middle), Make.incoming { $0.queueCapacity = 64 })
    let sender = try outgoing.currentSender()
    try incoming.setPreference(VideoPreference(frameRate: FrameRate(5)))
    try call.advance(2 * second)
    for _ in 0..<60 {
      try sender.sendPicture()
      try call.advance(second / 30)
    }
    #expect((9...11).contains(outgoing.stats.counters.sent), "\(outgoing.stats.counters.sent)")
    let before = outgoing.stats.counters.sent
    try incoming.setPreference(VideoPreference(frameRate: FrameRate(1, 10)))
    try call.advance(2 * second)
    try sender.sendPicture()
    try call.advance(second)
    // More is wanted: the next frame does not wait for what was wanted before.
    #expect(outgoing.stats.counters.sent == before + 1)
    try incoming.setPreference(VideoPreference(frameRate: FrameRate(10)))
    try call.advance()
    for _ in 0..<30 {
      try sender.sendPicture()
      try call.advance(second / 30)
    }
    #expect((9...12).contains(outgoing.stats.counters.sent - before))
  }

  @Test func theMostDemandingReceiverIsServed() throws {
    let call = try Call().connect()
    let (outgoing, his) = try call.stream(Make.vp8(large, middle, small))
    let carl = try call.engine.makeSession(SessionOptions(url: call.room, userID: "carl"))
    try carl.connect()
    try call.advance()
    let hers = carl.incomingVideos[0]
    try his.setPreference(VideoPreference(width: 320, height: 180))
    try call.advance(3 * second)
    #expect(size(of: outgoing) == 320)
    // Said before the start, which brings it at once.
    try hers.setPreference(VideoPreference(width: 640, height: 360))
    try hers.start()
    try call.advance()
    #expect(size(of: outgoing) == 640)
    try call.advance(10 * second)
    hers.stop()
    try call.advance(2 * second)
    #expect(size(of: outgoing) == 320)
    try call.advance(second)
    try hers.start()
    try call.advance()
    #expect(size(of: outgoing) == 640)
    try call.advance(10 * second)
    carl.disconnect()
    try call.advance(2 * second)
    #expect(size(of: outgoing) == 320)
  }

  /// More again, under a limit: as far as that carries, and without the five seconds.
  @Test func moreIsMadeAtOnceWithinTheEstimate() throws {
    let call = try Call()
    try call.script(.init(at: 0, bandwidth: 400_000))
    _ = try call.connect(taking: millisecond)
    let (outgoing, incoming) = try call.stream(Make.vp8(large, middle, small))
    #expect(size(of: outgoing) == 640)
    try incoming.setPreference(VideoPreference(width: 320, height: 180))
    try call.advance(3 * second)
    #expect(size(of: outgoing) == 320)
    try incoming.setPreference(VideoPreference(width: 1280, height: 720))
    try call.advance()
    #expect(size(of: outgoing) == 640)
  }

  /// Where two streams share an estimate, one that is shown small leaves its part to the other.
  @Test func whatIsNotWantedIsForTheOthers() throws {
    let call = try Call()
    try call.script(.init(at: 0, bandwidth: 1_000_000))
    _ = try call.connect(taking: millisecond)
    let (first, shown) = try call.stream(Make.vp8(large, middle, small))
    let (other, _) = try call.stream(Make.vp8(large, middle, small))
    #expect(size(of: first) == 640 && size(of: other) == 640)
    try shown.setPreference(VideoPreference(width: 320, height: 180))
    // Two seconds until it is small, five until the other may be large.
    try call.advance(8 * second)
    #expect(size(of: first) == 320)
    #expect(size(of: other) == 640)
    try call.script(.init(at: 0, bandwidth: 1_150_000))
    try call.advance(6 * second)
    #expect(size(of: other) == 1280)
  }

  @Test func aScreenIsPacedAndGetsSmallerOnlyIfASizeCoversIt() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format(1920, 1080, 30), Make.format(960, 540, 30), codec: MSDK_CODEC_VP8))
    try incoming.setPreference(VideoPreference(width: 1000, height: 540, frameRate: FrameRate(5)))
    try call.advance(2 * second)
    #expect(size(of: outgoing) == 1920 && outgoing.stats.pacedRate == FrameRate(5))
    try incoming.setPreference(VideoPreference(width: 900, height: 500, frameRate: FrameRate(5)))
    try call.advance(2 * second)
    #expect(size(of: outgoing) == 960 && outgoing.stats.pacedRate == FrameRate(5))
  }

  @Test func whoSendsEncodedFramesIsNotifiedOnly() throws {
    let call = try Call().connect()
    var options = Make.vp8(large, small)
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options)
    _ = call.events(call.anna)
    try incoming.setPreference(VideoPreference(width: 320, height: 180, frameRate: FrameRate(5)))
    try call.advance(5 * second)
    #expect(wanted(call.events(call.anna)) == ["wanted 320x180@5"])
    #expect(size(of: outgoing) == 1280 && outgoing.stats.wanted.width == 320 && outgoing.stats.pacedRate == nil)
  }

  @Test func anotherStartWantsEverything() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(large, small))
    try incoming.setPreference(VideoPreference(width: 320, height: 180))
    try call.advance(2 * second)
    #expect(size(of: outgoing) == 320)
    try call.anna.stop(outgoing)
    #expect(outgoing.stats.wanted == .any)
    try call.anna.start(outgoing)
    try call.advance(10 * second)
    #expect(size(of: outgoing) == 1280 && outgoing.stats.wanted == .any)
    let error = #expect(throws: MediaError.self) { try incoming.setPreference(.any) }
    #expect(error?.status == .closed)
  }

  private final class Nobody: TransportDelegate {
    func transport(_ transport: any Transport, _ event: TransportEvent) {}
  }

  /// A stream that is published again, as somebody comes from another process, has no receivers at first, and so no wishes.
  @Test func anotherCodecWantsEverything() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(large, small))
    try incoming.setPreference(VideoPreference(width: 320, height: 180, frameRate: FrameRate(5)))
    try call.advance(2 * second)
    #expect(size(of: outgoing) == 320 && outgoing.stats.codec == FourCC.raw)
    _ = call.events(call.anna)
    var member = Member(userID: "elsewhere", displayName: "elsewhere")
    member.takesRaw = false
    let elsewhere = LoopbackTransport(room: String(call.room.dropFirst("loopback:".count)), member: member, loop: call.engine.loop)
    elsewhere.connect(Nobody())
    try call.advance()
    #expect(outgoing.stats.codec == UInt32(MSDK_CODEC_VP8))
    #expect(wanted(call.events(call.anna)) == ["wanted 0x0", "sender \(large)"])
    #expect(outgoing.stats.wanted == .any && outgoing.stats.pacedRate == FrameRate(30))
    // What was held for the former one is nothing to this one.
    try call.advance(10 * second)
    #expect(size(of: outgoing) == 1280)
    let now = try #require(call.bert.incomingVideos.last)
    try now.setPreference(VideoPreference(width: 320, height: 180))
    try now.start()
    try call.advance(2 * second)
    #expect(size(of: outgoing) == 320)
    elsewhere.disconnect()
  }

  @Test func whatIsNotAcceptedHasNoEffect() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(large, small))
    let error = #expect(throws: MediaError.self) { try incoming.setPreference(VideoPreference(width: 320, height: 0)) }
    #expect(error?.status == .range)
    try call.advance(5 * second)
    #expect(size(of: outgoing) == 1280)
  }

  /// 200 times a second, by one of two: the sender changes once.
  @Test func whoTogglesChangesNothing() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(large, middle, small))
    for step in 0..<4000 {
      try incoming.setPreference(
        step.isMultiple(of: 2) ? VideoPreference(width: 320, height: 180) : VideoPreference(width: 640, height: 360))
      try call.advance(5 * millisecond)
    }
    #expect(outgoing.stats.counters.formatChanges == 1 && size(of: outgoing) == 640)
    #expect(wanted(call.events(call.anna)).filter { $0.hasPrefix("wanted") } == ["wanted 640x360"])
  }
}
