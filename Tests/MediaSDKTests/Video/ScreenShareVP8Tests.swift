import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct ScreenShareVP8Tests {
  private let reports = Journal<FrameReport>()

  private var completion: Completion {
    .closure { [reports] in reports.add($0) }
  }

  private func options() -> OutgoingVideoOptions { Make.screen(Make.format(640, 480, 15), codec: MSDK_CODEC_VP8) }

  private func send(_ page: UInt64, on stream: OutgoingVideo) throws {
    let sender = try stream.currentSender()
    let frame = try sender.acquire(deadline: 0)
    defer { frame.release() }
    TextPage.draw(on: frame, page: page)
    try sender.send(frame, completion: completion)
  }

  private func latest(_ stream: IncomingVideo) -> VideoFrame? {
    var latest: VideoFrame?
    while let frame = try? stream.read(deadline: 0) {
      latest?.release()
      latest = frame
    }
    return latest
  }

  @Test func textBecomesSharpAndThenCostsNothing() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(options())
    try send(1, on: outgoing)
    try call.advance(6 * second)
    #expect(reports.entries.map(\.outcome) == [.encoded])
    let repeated = outgoing.stats.counters.repeated
    #expect((1...UInt64(ScreenRepetition.mostRepeats)).contains(repeated))
    let original = try VideoFrame.make(Make.format(640, 480, 15))
    defer { original.release() }
    TextPage.draw(on: original)
    let shown = try #require(latest(incoming))
    defer { shown.release() }
    let psnr = TextPage.psnr(original, shown)
    #expect(psnr > 39, "\(psnr) dB")
    let before = outgoing.stats.counters
    try call.advance(600 * second)
    let after = outgoing.stats.counters
    #expect(after.bytesSent == before.bytesSent && after.repeated == before.repeated && after.totalEncodeTime == before.totalEncodeTime)
  }

  @Test func aNewcomerIsSentAKeyFrameAtOnce() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(options())
    try send(1, on: outgoing)
    try call.advance(60 * second)
    latest(incoming)?.release()
    let keys = outgoing.stats.counters.keyFrames
    let carl = try call.engine.makeSession(SessionOptions(url: call.room, userID: "carl"))
    try carl.connect()
    try call.advance()
    let his = carl.incomingVideos[0]
    try his.start()
    try call.advance()
    #expect(outgoing.stats.counters.keyFrames == keys + 1)
    #expect(his.stats.counters.keyDecoded == 1)
    try call.advance(6 * second)
    let original = try VideoFrame.make(Make.format(640, 480, 15))
    defer { original.release() }
    TextPage.draw(on: original)
    let shown = try #require(latest(his))
    defer { shown.release() }
    #expect(TextPage.psnr(original, shown) > 39)
    #expect(reports.entries.count == 1)
  }

  @Test func withoutReceiversNothingIsEncoded() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(options())
    try call.anna.start(outgoing)
    try call.advance()
    try send(1, on: outgoing)
    outgoing.requestKeyFrame()
    try call.advance(10 * second)
    #expect(outgoing.stats.counters.totalEncodeTime == 0)
    // A recorder that comes later is given the picture, too.
    let keys = Journal<Bool>()
    outgoing.setEncodedCallback { keys.add($0.isKeyFrame) }
    try call.advance()
    #expect(keys.entries == [true])
    outgoing.setEncodedCallback(nil)
  }

  @Test func noKeyFrameIsSentForNothing() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(options())
    for page in 1...5 as ClosedRange<UInt64> {
      try send(page, on: outgoing)
      try call.advance(15 * second)
    }
    #expect(outgoing.stats.counters.keyFrames == 1)
    var asked = options()
    asked.keyFrameInterval = 10 * second
    let (other, _) = try Call("asked").connect().stream(asked)
    #expect(other.options.longestKeyFrameInterval == 10 * second)
  }

  @Test func aRunWithAVirtualClockIsTheSameEachTime() throws {
    let runs = try (0..<2).map { index in
      let call = try Call("run \(index)").connect()
      let (outgoing, _) = try call.stream(options())
      try call.script(NetworkScript.Step(bandwidth: 300_000))
      for page in 1...3 as ClosedRange<UInt64> {
        try send(page, on: outgoing)
        try call.advance(2 * second)
      }
      let counters = outgoing.stats.counters
      return [counters.encoded, counters.dropped, counters.repeated, counters.bytesSent, counters.keyFrames]
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0][2] > 0)
  }

  @Test func encodedInputIsTheProgramsOwn() throws {
    let call = try Call().connect()
    var options = options()
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options)
    _ = call.events(call.anna)
    incoming.requestKeyFrame()
    try call.advance(second)
    #expect(call.events(call.anna) == ["key frame"])
    #expect(outgoing.stats.counters.repeated == 0)
  }
}
