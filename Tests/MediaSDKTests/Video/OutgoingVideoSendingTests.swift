import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct OutgoingVideoSendingTests {
  private let reports = Journal<FrameReport>()

  private var completion: Completion {
    .closure { [reports] in reports.add($0) }
  }

  @Test func everyFrameGetsOneReportThatIsTrue() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(Make.raw())
    try call.anna.start(outgoing)
    try call.advance()
    let sender = try outgoing.currentSender()
    try sender.sendPicture(completion: completion)
    let incoming = call.bert.incomingVideos[0]
    try incoming.start()
    try sender.sendPicture(completion: completion)
    try call.script(NetworkScript.Step(isDisconnected: true))
    try sender.sendPicture(completion: completion)
    try call.script()
    try call.advance()
    incoming.stop()
    try sender.sendPicture(completion: completion)
    #expect(reports.entries.map(\.outcome) == [.dropped, .sent, .dropped, .dropped])
    #expect(reports.entries.map(\.reason) == [.noReceiver, .none, .notConnected, .noReceiver])
    #expect(reports.entries.map(\.sequence) == [1, 2, 3, 4])
    let picture: UInt64 = 320 * 180 * 3 / 2
    #expect(reports.entries.map(\.bytes) == [0, picture, 0, 0])
    let counters = outgoing.stats.counters
    #expect(counters.offered == 4 && counters.sent == 1 && counters.dropped == 3)
  }

  @Test func aReportCanBeReadInstead() throws {
    let call = try Call().connect()
    var options = Make.raw()
    options.reportCapacity = 2
    let (outgoing, _) = try call.stream(options)
    let sender = try outgoing.currentSender()
    for _ in 0..<3 { try sender.sendPicture() }
    try sender.sendPicture(completion: completion)
    #expect(outgoing.stats.reportsDropped == 1)
    #expect(try outgoing.readReport(deadline: 0).sequence == 2)
    #expect(try outgoing.readReport(deadline: 0).sequence == 3)
    #expect(failure { _ = try outgoing.readReport(deadline: 0) }?.status == .timeout)
    #expect(reports.entries.map(\.sequence) == [4])
  }

  @Test func theNetworksQueueIsToldApartFromOurs() throws {
    let call = try Call()
    try call.script(NetworkScript.Step(bandwidth: 8_000_000, queue: 100 * millisecond))
    _ = try call.connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    // 86,400 bytes take 86.4 ms.
    for _ in 0..<4 { try sender.sendPicture(completion: completion) }
    #expect(reports.entries.map(\.reason) == [.none, .none, .network, .network])
    try call.advance(second)
    #expect(incoming.stats.counters.received == 2)
    #expect(incoming.stats.counters.lost == 0)
  }

  @Test func timestampsAreTheCallersOrTheFramesOrNow() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(), Make.incoming { $0.queueCapacity = 8 })
    let sender = try outgoing.currentSender()
    try call.advance(5)
    try sender.sendPicture(timestamp: 777)
    try sender.sendPicture()
    let frame = try sender.acquire(deadline: 0)
    frame.native.pointee.timestamp_ns = call.engine.now() + 42
    try sender.send(frame)
    frame.release()
    let stamps = try (0..<3).map { _ in
      let frame = try incoming.read(deadline: 0)
      defer { frame.release() }
      return frame.native.pointee.timestamp_ns
    }
    #expect(stamps == [777, call.engine.now(), call.engine.now() + 42])
  }

  @Test func theSameFrameMayBeSentAgain() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(), Make.incoming { $0.queueCapacity = 8 })
    let sender = try outgoing.currentSender()
    let witness = try WitnessedFrame(Make.format())
    let frame = witness.frame
    frame.fill(9)
    for _ in 0..<3 { try sender.send(frame, completion: completion) }
    #expect(reports.entries.map(\.sequence) == [1, 2, 3])
    for sequence in 1...3 as ClosedRange<UInt64> {
      let received = try incoming.read(deadline: 0)
      #expect(received.native.pointee.sequence == sequence)
      #expect(received.shade == 9)
      received.release()
    }
    #expect(frame.references == 1)
    frame.release()
    #expect(witness.isReleased)
  }

  @Test func aSentFrameIsReadOnly() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    let frame = try sender.acquire(deadline: 0)
    #expect(frame.isWritable)
    try sender.send(frame)
    #expect(!frame.isWritable)
    frame.release()
  }

  @Test func theSendersPoolIsEight() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    let frames = try (0..<8).map { _ in try sender.acquire(deadline: 0) }
    #expect(failure { _ = try sender.acquire(deadline: 0) }?.status == .timeout)
    for frame in frames { frame.release() }
    try sender.acquire(deadline: 0).release()
  }

  @Test func aCompletionMaySendStopAndClose() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    let reports = self.reports
    try sender.sendPicture(
      completion: .closure { report in
        reports.add(report)
        let error = failure { try sender.sendPicture(completion: .closure { reports.add($0) }) }
        #expect(error == nil)
        // The one inside waits its turn.
        #expect(reports.entries.count == 1)
      })
    #expect(reports.entries.map(\.sequence) == [1, 2])
    try sender.sendPicture(
      completion: .closure { report in
        reports.add(report)
        outgoing.close()
      })
    #expect(reports.entries.map(\.sequence) == [1, 2, 3])
    #expect(outgoing.state == .stopped)
    #expect(call.engine.stats.outgoingVideos == 0)
  }

  @Test func sixteenWaitForWhoeverIsSending() throws {
    let call = try Call().connect()
    var options = Make.raw()
    options.queuePolicy = .wait  // Not paced.
    let (outgoing, incoming) = try call.stream(options)
    let sender = try outgoing.currentSender()
    let reports = self.reports
    let frame = try VideoFrame.make(Make.format())
    try sender.send(
      frame,
      completion: .closure { _ in
        for _ in 0..<20 { _ = failure { try sender.send(frame, completion: .closure { reports.add($0) }) } }
      })
    // The four that found no room are told at once, before the others.
    #expect(reports.entries.map(\.reason) == Array(repeating: .queue, count: 4) + Array(repeating: .none, count: 16))
    #expect(outgoing.stats.counters.offered == 21)
    incoming.stop()
    #expect(frame.references == 1)
    frame.release()
  }

  @Test func memoryThatIsWrappedIsPassedWithoutACopy() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let witness = try WitnessedFrame(Make.format())
    try outgoing.currentSender().send(witness.frame)
    let memory = witness.frame.plane(0).data
    witness.frame.release()
    let received = try incoming.read(deadline: 0)
    #expect(received.plane(0).data == memory)
    #expect(!witness.isReleased)
    received.release()
    #expect(witness.isReleased)
  }
}
