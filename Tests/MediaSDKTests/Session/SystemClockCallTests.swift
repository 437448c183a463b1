import CMediaSDK
import Glibc
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// Calls on the system clock, with its threads: what must hold whatever comes first.
@Suite struct SystemClockCallTests {
  private static let patience: UInt32 = 5_000

  private func connected(_ name: String) throws -> Call {
    let call = try Call(name, file: "system", isVirtual: false)
    try call.anna.connect()
    try call.bert.connect()
    try wait(call.anna) { if case .participantJoined = $0 { true } else { false } }
    try wait(call.bert) { if case .participantJoined = $0 { true } else { false } }
    return call
  }

  @discardableResult
  private func wait(_ session: Session, for isMeant: (SessionEvent) -> Bool) throws -> SessionEvent {
    let deadline = Deadline.after(milliseconds: SystemClockCallTests.patience)
    while true {
      let event = try session.nextEvent(deadline: deadline).event
      if isMeant(event) { return event }
    }
  }

  private func stream(_ call: Call, _ options: OutgoingVideoOptions) throws -> (OutgoingVideo, IncomingVideo) {
    let outgoing = try call.engine.makeOutgoingVideo(options)
    try call.anna.start(outgoing)
    let event = try wait(call.bert) { if case .incomingVideoAdded = $0 { true } else { false } }
    guard case .incomingVideoAdded(let incoming) = event else { throw MediaError(.fail, "no stream") }
    try incoming.start()
    return (outgoing, incoming)
  }

  /// Until it holds, in real time.
  private func eventually(_ isTrue: () -> Bool) -> Bool {
    let deadline = Deadline.after(milliseconds: SystemClockCallTests.patience)
    while !isTrue() {
      guard MediaTime.monotonic() < deadline else { return false }
      usleep(500)
    }
    return true
  }

  /// The room lets the session in on one thread while another leaves: whichever is first, it has left afterwards, and its events say so.
  @Test func whoeverLeavesWhileEnteringHasLeft() throws {
    let call = try Call(#function, file: "system", isVirtual: false)
    for round in 0..<20_000 {
      try call.anna.connect()
      for _ in 0..<(round % 40) { sched() }
      call.anna.disconnect()
      try #require(call.anna.state == .disconnected)
      let states = call.events(call.anna).filter { $0 != "connected" }
      try #require(states == ["connecting", "disconnecting", "disconnected"])
    }
    call.engine.close()
  }

  /// The thread that is left when its callback returns must not take what is for the next one, whose decoder is another.
  @Test func aCallbackMayStartItsStreamAnew() throws {
    let call = try connected(#function)
    let (outgoing, incoming) = try stream(call, Make.vp8(Make.format(212, 160, 15)))
    let shown = Monitor(0)
    incoming.setFrameCallback { _ in
      shown.withLock { $0 += 1 }
      incoming.stop()
      try? incoming.start()
    }
    let sender = try outgoing.currentSender()
    let isShown = eventually {
      _ = try? sender.sendPicture()
      return shown.withLock { $0 >= 30 }
    }
    #expect(isShown)
    #expect(incoming.stats.counters.corrupt == 0)
    call.engine.close()
  }

  @Test func aCompletionMayStartItsStreamAnew() throws {
    let call = try connected(#function)
    let (outgoing, _) = try stream(call, Make.vp8(Make.format(212, 160, 15)))
    let (anna, encoded, failed) = (call.anna, Monitor(0), Monitor(0))
    outgoing.setEncodedCallback { _ in encoded.withLock { $0 += 1 } }
    let isEncoded = eventually {
      _ = try? outgoing.currentSender().sendPicture(
        completion: .closure { report in
          if report.outcome == .failed { failed.withLock { $0 += 1 } }
          guard report.outcome == .encoded else { return }
          try? anna.stop(outgoing)
          try? anna.start(outgoing)
        })
      return encoded.withLock { $0 >= 30 }
    }
    #expect(isEncoded)
    #expect(failed.withLock { $0 } == 0)
    call.engine.close()
  }

  /// Also while the stream's thread opens it, for which a callback waits.
  @Test(arguments: [false, true])
  func whatIsDetachedInACallbackIsReleased(isAudio: Bool) throws {
    let call = try connected("\(#function) \(isAudio)")
    let (plugin, visit) = (FakePlugin(), Visit())
    plugin.on(isAudio ? "audio init_capture" : "init_capture") { _ in
      visit.stay()
      return MSDK_OK
    }
    let module = isAudio ? FakeModule("test.fake", kinds: MSDK_KIND_AUDIO_PRODUCER) : FakeModule()
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    let producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    let detach: @Sendable () -> Void
    if isAudio {
      let outgoing = try engine.makeOutgoingAudio(Make.sound())
      try call.anna.start(outgoing)
      try outgoing.attachProducer(producer)
      detach = { outgoing.detachProducer() }
    } else {
      let outgoing = try engine.makeOutgoingVideo(Make.raw(Make.format(212, 160, 15)))
      try call.anna.start(outgoing)
      try outgoing.attachProducer(producer)
      detach = { outgoing.detachProducer() }
    }
    visit.waitUntilInside()
    expectToWait(for: visit) { ForeignCode.run(detach) }
    #expect((isAudio ? producer.audioProducerPhase : producer.producerPhase) == .created)
    call.engine.close()
    #expect(!plugin.calls.suffix(2).contains { $0.contains("start_capture") })
  }

  @Test(arguments: [false, true])
  func stoppingWhileOthersSend(isEncoded: Bool) throws {
    let call = try connected("\(#function) \(isEncoded)")
    let counts = Monitor((sent: 0, reported: 0))
    for _ in 0..<15 {
      let (outgoing, _) = try stream(call, isEncoded ? Make.vp8(Make.format(212, 160, 15)) : Make.raw(Make.format(212, 160, 15)))
      let sender = try outgoing.currentSender()
      let threads = (0..<3).map { _ in
        OSThread {
          for _ in 0..<200 {
            let completion = Completion.closure { _ in counts.withLock { $0.reported += 1 } }
            let error = failure {
              let frame = try VideoFrame.make(sender.format)
              defer { frame.release() }
              try sender.send(frame, completion: completion)
              counts.withLock { $0.sent += 1 }
            }
            guard let error else { continue }
            #expect(error.status == .state || error.status == .stale || error.status == .closed)
            return
          }
        }
      }
      usleep(500)
      try call.anna.stop(outgoing)
      let stats = outgoing.stats
      #expect(stats.state == .stopped)
      for thread in threads { thread.join() }
      #expect(eventually { counts.withLock { $0.sent == $0.reported } })
      let counters = outgoing.stats.counters
      #expect(counters.sent + counters.encoded + counters.replaced + counters.dropped + counters.failed == counters.offered)
      outgoing.close()
    }
    call.engine.close()
    #expect(call.engine.stats.threads == 0)
  }

  @Test func closingEverythingWhileOthersSend() throws {
    for round in 0..<10 {
      let call = try connected("\(#function) \(round)")
      let (outgoing, incoming) = try stream(call, Make.vp8(Make.format(212, 160, 15)))
      incoming.setFrameCallback { _ in }
      let isClosed = Monitor(false)
      let threads = (0..<2).map { _ in
        OSThread {
          while true {
            let error = failure {
              try outgoing.currentSender().sendPicture(
                completion: .closure { _ in
                  let isClosed = isClosed.withLock { $0 }
                  #expect(!isClosed)
                })
            }
            if let error, error.status != .timeout { return }
          }
        }
      }
      usleep(2000)
      call.engine.close()
      isClosed.withLock { $0 = true }
      for thread in threads { thread.join() }
      #expect(call.engine.stats.threads == 0)
    }
  }

  @Test func startingAndStoppingALotLosesNoReceiver() throws {
    let call = try connected(#function)
    call.bert.setEventCallback { event in
      if case .incomingVideoAdded(let incoming) = event.event { try? incoming.start() }
    }
    for _ in 0..<150 {
      let outgoing = try call.engine.makeOutgoingVideo(Make.vp8(Make.format(212, 160, 15)))
      try call.anna.start(outgoing)
      // Whoever subscribes the moment he is told is known to the stream.
      try #require(eventually { outgoing.stats.receivers == 1 })
      outgoing.close()
    }
  }

  @Test func readersAreWokenByTheEnd() throws {
    let call = try connected(#function)
    let (outgoing, incoming) = try stream(call, Make.raw())
    let statuses = Journal<Status?>()
    let threads = [
      OSThread { statuses.add(failure { _ = try incoming.read(deadline: .max) }?.status) },
      OSThread { statuses.add(failure { _ = try outgoing.readReport(deadline: .max) }?.status) }
    ]
    call.engine.close()
    for thread in threads { thread.join() }
    #expect(statuses.entries == [.closed, .closed])
  }

  @Test func aPullProducerKeepsTheRate() throws {
    let call = try connected(#function)
    try call.engine.plugins.register(FakeModule("test.camera").pointer())
    let plugin = FakePlugin()
    plugin.on("produce_frame") { plugin in
      guard let frame = try? VideoFrame.make(Make.format(640, 360, 30)) else { return MSDK_E_NOMEM }
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    let engine = call.engine
    let camera = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.camera") }
    let (outgoing, _) = try stream(call, Make.raw(Make.format(640, 360, 30)))
    try outgoing.attachProducer(camera)
    let deadline = Deadline.after(milliseconds: SystemClockCallTests.patience)
    var stamps: [Int64] = []
    while stamps.count < 10 { stamps.append(try outgoing.readReport(deadline: deadline).timestamp) }
    // Stamped with the times they were due, to the nanosecond, however late the machine was.
    for (index, stamp) in stamps.enumerated() {
      #expect(stamp == FrameRate(30).dueTime(ofFrame: UInt64(index), from: stamps[0]) || stamp - stamps[0] > second)
    }
    try call.anna.stop(outgoing)
    // Down when stop returns.
    #expect(camera.producerPhase == .created)
    call.engine.close()
    #expect(call.engine.stats.threads == 0)
  }

  @Test func nothingIsLeft() throws {
    weak var weakEngine: Engine?
    weak var weakSession: Session?
    weak var weakOutgoing: OutgoingVideo?
    weak var weakIncoming: IncomingVideo?
    do {
      let call = try connected(#function)
      let (outgoing, incoming) = try stream(call, Make.vp8(Make.format(212, 160, 15)))
      (weakEngine, weakSession, weakOutgoing, weakIncoming) = (call.engine, call.anna, outgoing, incoming)
      call.anna.setEventCallback { _ in }
      incoming.setFrameCallback { _ in }
      for _ in 0..<5 { try outgoing.currentSender().sendPicture() }
      call.engine.close()
      #expect(call.engine.stats.threads == 0)
    }
    #expect(eventually { weakEngine == nil && weakSession == nil && weakOutgoing == nil && weakIncoming == nil })
  }
}
