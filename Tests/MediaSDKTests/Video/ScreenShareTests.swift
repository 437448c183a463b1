import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

/// Raw screen shares: all that does not depend on an encoder.
@Suite struct ScreenShareTests {
  private let reports = Journal<FrameReport>()

  private var completion: Completion {
    .closure { [reports] in reports.add($0) }
  }

  private func third(_ call: Call) throws -> Session {
    let carl = try call.engine.makeSession(SessionOptions(url: call.room, userID: "carl"))
    try carl.connect()
    try call.advance()
    return carl
  }

  private func shades(_ stream: IncomingVideo) -> [UInt8] {
    var all: [UInt8] = []
    while let frame = try? stream.read(deadline: 0) {
      all.append(frame.shade)
      frame.release()
    }
    return all
  }

  @Test func besideAVirtualStreamAndOnlyOne() throws {
    let call = try Call().connect()
    let face = try call.engine.makeOutgoingVideo(Make.raw())
    let screen = try call.engine.makeOutgoingVideo(Make.screen(Make.format(1366, 768, 15)))
    let second = try call.engine.makeOutgoingVideo(Make.screen(Make.format(800, 600, 15)))
    try call.anna.start(face)
    try call.anna.start(screen)
    let error = failure { try call.anna.start(second) }
    #expect(error?.status == .state)
    #expect(error?.text.contains("already shares a screen") == true)
    try call.advance()
    #expect(call.bert.incomingVideos.map(\.kind) == [1, 2])
    try call.anna.stop(screen)
    try call.anna.start(second)
    #expect(face.state == .started && second.state == .started)
  }

  @Test func theRoomIsTold() throws {
    let call = try Call().connect()
    let screen = try call.engine.makeOutgoingVideo(Make.screen(Make.format(800, 600, 15)))
    try call.anna.start(screen)
    try call.advance()
    #expect(call.events(call.anna) == ["outgoing started", "anna shares", "sender I420 800x600 at 15"])
    #expect(call.events(call.bert) == ["added by anna", "anna shares"])
    #expect(call.anna.participants.map(\.isSharingScreen) == [true, false])
    #expect(call.bert.participants.map(\.isSharingScreen) == [false, true])
    let carl = try third(call)
    #expect(call.events(carl).suffix(2) == ["added by anna", "anna shares"])
    _ = call.events(call.anna)
    _ = call.events(call.bert)
    try call.anna.stop(screen)
    try call.advance()
    #expect(call.events(call.anna) == ["anna shares no more", "outgoing stopped"])
    #expect(call.events(call.bert) == ["incoming notAvailable", "anna shares no more", "removed, notAvailable"])
    #expect(call.bert.participants.map(\.isSharingScreen) == [false, false, false])
    // Whoever leaves shares no more either.
    try call.anna.start(screen)
    try call.advance()
    _ = call.events(call.bert)
    call.anna.disconnect()
    try call.advance()
    #expect(call.events(call.bert).contains("anna shares no more"))
  }

  @Test func whoeverStopsOneMayStartAnotherAtOnce() throws {
    let call = try Call().connect()
    let one = try call.engine.makeOutgoingVideo(Make.screen(Make.format()))
    let other = try call.engine.makeOutgoingVideo(Make.screen(Make.format()))
    try call.anna.start(one)
    let errors = Journal<String>()
    let anna = call.anna
    anna.setEventCallback { stamped in
      guard case .outgoingVideoState(_, .stopped, _) = stamped.event else { return }
      do { try anna.start(other) } catch { errors.add("\(error)") }
    }
    try call.advance()
    try anna.stop(one)
    try call.advance()
    #expect(errors.entries.isEmpty)
    #expect(other.state == .started)
    anna.setEventCallback(nil)
  }

  @Test func aNewcomerSeesWhatStandsAtOnce() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format()))
    let sender = try outgoing.currentSender()
    try sender.sendPicture(7, timestamp: 1000, completion: completion)
    try call.advance(10 * second)
    #expect(shades(incoming) == [7])
    let carl = try third(call)
    let his = carl.incomingVideos[0]
    try his.start()
    try call.advance()
    let frame = try his.read(deadline: 0)
    #expect(frame.shade == 7)
    // The same picture, as it is now.
    #expect(frame.native.pointee.sequence == 1)
    #expect(frame.native.pointee.timestamp_ns == 1000 + 10 * second)
    frame.release()
    // Its one report was told; nothing more comes of it.
    try call.advance(60 * second)
    #expect(reports.entries.count == 1)
    #expect(outgoing.stats.counters.repeated == 1)
    #expect(outgoing.stats.counters.sent == 1 && outgoing.stats.counters.offered == 1)
    #expect(shades(his).isEmpty)
  }

  @Test func whatNobodySawIsShownToTheFirstWhoComes() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(Make.screen(Make.format()))
    try call.anna.start(outgoing)
    try call.advance()
    try outgoing.currentSender().sendPicture(9, completion: completion)
    #expect(reports.entries.map(\.reason) == [.noReceiver])
    try call.advance(10 * second)
    #expect(outgoing.stats.counters.repeated == 0)
    let incoming = call.bert.incomingVideos[0]
    try incoming.start()
    try call.advance()
    #expect(shades(incoming) == [9])
  }

  @Test func manyWhoAskAreAnsweredTogether() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format()))
    try outgoing.currentSender().sendPicture(7)
    for _ in 0..<1000 {
      incoming.requestKeyFrame()
      try call.advance(millisecond)
    }
    #expect((10...11).contains(outgoing.stats.counters.repeated))
  }

  @Test func aVirtualStreamRepeatsNothing() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    try outgoing.currentSender().sendPicture(7)
    #expect(shades(incoming) == [7])
    incoming.requestKeyFrame()
    try call.advance(second)
    #expect(shades(incoming).isEmpty)
  }

  @Test func whatTheNetworkRefusedIsMadeGood() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format()))
    try call.script(NetworkScript.Step(isDisconnected: true))
    try outgoing.currentSender().sendPicture(5, completion: completion)
    #expect(reports.entries.map(\.reason) == [.notConnected])
    try call.advance(3 * second)
    try call.script()
    try call.advance(second)
    #expect(shades(incoming) == [5])
    let repeated = outgoing.stats.counters.repeated
    try call.advance(10 * second)
    #expect(outgoing.stats.counters.repeated == repeated)
  }

  @Test func whatComesAheadOfItsTimeWaits() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format()), Make.incoming { $0.queueCapacity = 64 })
    try outgoing.setFrameRate(FrameRate(1))
    let sender = try outgoing.currentSender()
    for shade in 1...5 as ClosedRange<UInt8> {
      try sender.sendPicture(shade, completion: completion)
      try call.advance(100 * millisecond)
    }
    #expect(shades(incoming) == [1])
    #expect(reports.entries.map(\.sequence) == [1, 2, 3, 4])
    #expect(reports.entries.map(\.reason) == [.none, .paced, .paced, .paced])
    try call.advance(399 * millisecond)
    #expect(shades(incoming).isEmpty)
    // A tenth of an interval early is on time.
    try call.advance(millisecond)
    #expect(shades(incoming) == [5])
    #expect(reports.entries.last?.sequence == 5 && reports.entries.last?.outcome == .sent)
    try call.advance(10 * second)
    #expect(shades(incoming).isEmpty)
    #expect(reports.entries.count == 5)
  }

  @Test func whatWaitedIsDroppedWhenTheStreamStops() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.screen(Make.format()))
    try outgoing.setFrameRate(FrameRate(1))
    let sender = try outgoing.currentSender()
    try sender.sendPicture(1, completion: completion)
    try sender.sendPicture(2, completion: completion)
    try call.anna.stop(outgoing)
    #expect(reports.entries.map(\.reason) == [.none, .stopped])
    try call.advance(second)
    #expect(reports.entries.count == 2)
  }

  @Test func theEstimatePacesAndTheSizeStays() throws {
    let call = try Call().connect()
    let format = Make.format(320, 180, 30)
    let (outgoing, incoming) = try call.stream(Make.screen(format), Make.incoming { $0.queueCapacity = 64 })
    #expect(outgoing.stats.pacedRate == FrameRate(30))
    _ = call.events(call.anna)
    // Four pictures a second; the script's queue takes what comes at once.
    try call.script(NetworkScript.Step(bandwidth: 320 * 180 * 12 * 4, queue: 2 * second))
    try call.advance()
    #expect(outgoing.stats.pacedRate == FrameRate(40, 10))
    let sender = try outgoing.currentSender()
    for shade in 0..<60 as Range<UInt8> {
      // Not of the sender's eight, which the network holds on to.
      let frame = try VideoFrame.make(format)
      frame.fill(shade)
      try sender.send(frame, completion: completion)
      frame.release()
      try call.advance(33_333_333)
    }
    try call.advance(5 * second)
    let seen = shades(incoming)
    #expect((8...10).contains(seen.count), "\(seen)")
    // The last change arrives, however much was left out before it.
    #expect(seen.last == 59)
    #expect(reports.entries.count == 60)
    #expect(call.events(call.anna).allSatisfy { !$0.hasPrefix("sender") })
    try call.script()
    try call.advance()
    #expect(outgoing.stats.pacedRate == FrameRate(30))
  }

  @Test func whatIsKeptIsLetGo() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format()))
    let first = try WitnessedFrame(Make.format())
    let second = try WitnessedFrame(Make.format())
    for witness in [first, second] {
      try outgoing.currentSender().send(witness.frame)
      witness.frame.release()
    }
    incoming.stop()
    #expect(first.isReleased && !second.isReleased)
    try call.anna.stop(outgoing)
    #expect(second.isReleased)
  }

  @Test func oddAndLargeOnesAreRefused() throws {
    let call = try Call()
    for (width, height) in [(1367, 768), (1922, 1080), (1080, 1922), (8, 8)] as [(UInt32, UInt32)] {
      #expect(failure { _ = try call.engine.makeOutgoingVideo(Make.screen(Make.format(width, height))) }?.status == .limit)
    }
    #expect(failure { _ = try call.engine.makeOutgoingVideo(Make.screen()) } == nil)
    #expect(failure { _ = try call.engine.makeOutgoingVideo(OutgoingVideoOptions(formats: [])) }?.status == .range)
  }
}
