import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct OutgoingVideoTests {
  @Test func startingAndStoppingIsTold() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(Make.raw())
    #expect(outgoing.state == .none)
    #expect(failure { _ = try outgoing.currentSender() }?.status == .state)
    try call.anna.start(outgoing)
    try call.advance()
    #expect(outgoing.state == .started)
    #expect(call.events(call.anna) == ["outgoing started", "sender I420 320x180 at 15"])
    #expect(call.events(call.bert) == ["added by anna"])
    #expect(failure { try call.anna.start(outgoing) }?.status == .state)
    #expect(failure { try call.bert.start(outgoing) }?.status == .state)
    #expect(failure { try call.bert.stop(outgoing) }?.status == .state)
    try call.anna.stop(outgoing)
    try call.advance()
    #expect(outgoing.state == .stopped)
    #expect(failure { _ = try outgoing.currentSender() }?.status == .state)
    #expect(call.events(call.anna) == ["outgoing stopped"])
    #expect(call.events(call.bert) == ["incoming notAvailable", "removed, notAvailable"])
    #expect(failure { try call.anna.stop(outgoing) }?.status == .state)
    try call.anna.start(outgoing)
    #expect(outgoing.state == .started)
  }

  @Test func itIsStartedWhereSomebodyIs() throws {
    let call = try Call()
    let outgoing = try call.engine.makeOutgoingVideo(Make.raw())
    try call.anna.start(outgoing)
    #expect(outgoing.state == .none)
    _ = try call.connect()
    #expect(outgoing.state == .started)
    call.anna.disconnect()
    #expect(outgoing.state == .stopped)
  }

  @Test func whatDoesNotFitTheSenderIsRefused() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    for format in [Make.format(320, 180, 15, .nv12), Make.format(320, 182), Make.format(318, 180)] {
      let frame = try VideoFrame.make(format)
      let error = failure { try sender.send(frame) }
      #expect(error?.status == .format)
      #expect(error?.text.contains("I420 320x180") == true)
      #expect(frame.references == 1)
      frame.release()
    }
    let encoded = try Make.encoded([1])
    #expect(failure { try sender.send(encoded) }?.status == .state)
    encoded.release()
    #expect(outgoing.stats.counters.offered == 0)
  }

  @Test func aSenderThatWasReplacedIsStale() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.vp8(Make.format(1280, 720, 30), Make.format()))
    let first = try outgoing.currentSender()
    #expect(first.format.width == 1280)
    let frame = try first.acquire(deadline: 0)
    try call.script(NetworkScript.Step(bandwidth: 300_000))
    try call.advance()
    #expect(call.events(call.anna).contains("sender I420 320x180 at 15"))
    let error = failure { try first.send(frame) }
    #expect(error?.status == .stale)
    #expect(error?.text.contains("320x180") == true)
    #expect(frame.references == 1)
    frame.release()
    try outgoing.currentSender().sendPicture()
    try call.anna.stop(outgoing)
    #expect(failure { try first.sendPicture() }?.status == .state)
    #expect(outgoing.stats.counters.formatChanges == 1)
    outgoing.close()
    #expect(failure { try first.sendPicture() } != nil)
  }

  @Test func negotiationGoesDownAtOnceAndUpAfterFiveSeconds() throws {
    let call = try Call().connect()
    let formats = [Make.format(), Make.format(1280, 720, 30), Make.format(640, 360, 30)]
    let (outgoing, _) = try call.stream(Make.vp8(formats[0], formats[1], formats[2]))
    func width() throws -> UInt32 { try outgoing.currentSender().format.width }
    #expect(try width() == 1280)
    try call.script(
      NetworkScript.Step(bandwidth: 500_000), NetworkScript.Step(at: second, bandwidth: 100_000), NetworkScript.Step(at: 2 * second))
    try call.advance()
    #expect(try width() == 640)
    try call.advance(second)
    #expect(try width() == 320)
    try call.advance(second)
    #expect(try width() == 320)
    try call.advance(5 * second - 1)
    #expect(try width() == 320)
    try call.advance(1)
    #expect(try width() == 1280)
    #expect(outgoing.stats.counters.formatChanges == 3)
    #expect(outgoing.stats.format?.width == 1280)
  }

  @Test func aStreamThatIsStartedUnderAnEstimateBeginsThere() throws {
    let call = try Call()
    try call.script(NetworkScript.Step(bandwidth: 300_000))
    _ = try call.connect()
    let (outgoing, _) = try call.stream(Make.vp8(Make.format(1280, 720, 30), Make.format()))
    #expect(try outgoing.currentSender().format.width == 320)
  }

  @Test func formerSendersAreForgottenInTheEnd() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw())
    weak var first: FrameSender?
    first = try outgoing.currentSender()
    for _ in 0..<10 {
      try call.anna.stop(outgoing)
      try call.anna.start(outgoing)
      try call.advance()
      _ = call.events(call.anna)
    }
    #expect(first == nil)
  }

  @Test func aLowerRateDropsWhatComesFaster() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw(Make.format(640, 360, 30)))
    let sender = try outgoing.currentSender()
    #expect(failure { try outgoing.setFrameRate(FrameRate(31)) }?.status == .range)
    #expect(failure { try outgoing.setFrameRate(FrameRate(0)) }?.status == .range)
    try outgoing.setFrameRate(FrameRate(10))
    for _ in 0..<30 {
      try sender.sendPicture()
      try call.advance(33_333_334)
    }
    let counters = outgoing.stats.counters
    #expect(counters.sent == 10 && counters.dropped == 20)
    var reasons: [FrameReport.DropReason] = []
    while let report = try? outgoing.readReport(deadline: 0) { reasons.append(report.reason) }
    #expect(reasons.filter { $0 == .paced }.count == 20)
    try outgoing.setFrameRate(nil)
    for _ in 0..<5 { try sender.sendPicture() }
    #expect(outgoing.stats.counters.sent == 15)
  }

  @Test func theRateInTheStatsIsThatOfTheLastSecond() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(Make.format(640, 360, 30)))
    let sender = try outgoing.currentSender()
    for _ in 0..<20 {
      try sender.sendPicture()
      try call.advance(50 * millisecond)
    }
    #expect((18...20).contains(outgoing.stats.framesPerSecond))
    #expect((18...20).contains(incoming.stats.framesPerSecond))
    try call.advance(2 * second)
    #expect(outgoing.stats.framesPerSecond == 0)
  }
}
