import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct IncomingVideoTests {
  private func shade(_ incoming: IncomingVideo) throws -> UInt8 {
    let frame = try incoming.read(deadline: 0)
    defer { frame.release() }
    return frame.shade
  }

  @Test func goesThroughItsStates() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(Make.raw())
    try call.anna.start(outgoing)
    try call.advance()
    let incoming = call.bert.incomingVideos[0]
    #expect(incoming.state == .available)
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .state)
    incoming.stop()
    #expect(incoming.state == .available)
    try incoming.start()
    #expect(incoming.state == .started)
    #expect(failure { try incoming.start() }?.status == .state)
    incoming.stop()
    #expect(incoming.state == .stopped)
    #expect(failure { _ = try incoming.read(deadline: .max) }?.status == .closed)
    try incoming.start()
    try call.anna.stop(outgoing)
    try call.advance()
    #expect(incoming.state == .notAvailable)
    #expect(failure { try incoming.start() }?.status == .closed)
    incoming.stop()
    #expect(
      call.events(call.bert) == [
        "added by anna", "incoming started", "incoming stopping", "incoming stopped", "incoming started", "incoming notAvailable",
        "removed, notAvailable"
      ])
    #expect(call.bert.incomingVideos.isEmpty)
  }

  @Test func nothingIsReceivedUnlessStarted() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    try sender.sendPicture(1)
    incoming.stop()
    try sender.sendPicture(2)
    try incoming.start()
    try sender.sendPicture(3)
    #expect(try shade(incoming) == 3)
    #expect(incoming.stats.counters.received == 2)
    #expect(incoming.stats.counters.lost == 0)
  }

  @Test func theQueueKeepsTheNewest() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    let descriptor = try incoming.descriptor()
    #expect(!isReadable(descriptor))
    for shade in 1...5 as ClosedRange<UInt8> { try sender.sendPicture(shade) }
    #expect(isReadable(descriptor))
    #expect(try [shade(incoming), shade(incoming), shade(incoming)] == [3, 4, 5])
    #expect(!isReadable(descriptor))
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .timeout)
    let counters = incoming.stats.counters
    #expect(counters.received == 5 && counters.dropped == 2 && counters.delivered == 3)
  }

  @Test func theQueueKeepsTheOldestWhenSoAskedFor() throws {
    let call = try Call().connect()
    let wanted = Make.incoming {
      $0.queuePolicy = .dropNewest
      $0.queueCapacity = 2
    }
    let (outgoing, incoming) = try call.stream(Make.raw(), wanted)
    let sender = try outgoing.currentSender()
    for shade in 1...5 as ClosedRange<UInt8> { try sender.sendPicture(shade) }
    #expect(try [shade(incoming), shade(incoming)] == [1, 2])
  }

  @Test func whatArrivedMayBeReadAfterTheEnd() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    try outgoing.currentSender().sendPicture(7)
    try call.anna.stop(outgoing)
    try call.advance()
    #expect(incoming.state == .notAvailable)
    #expect(try shade(incoming) == 7)
    #expect(failure { _ = try incoming.read(deadline: .max) }?.status == .closed)
    #expect(isReadable(try incoming.descriptor()))
  }

  @Test func picturesAreMadeAsWanted() throws {
    let call = try Call().connect()
    let wanted = Make.incoming {
      $0.pixelFormat = .rgba
      ($0.width, $0.height) = (33, 17)
    }
    let (outgoing, incoming) = try call.stream(Make.raw(), wanted)
    let sender = try outgoing.currentSender()
    try sender.sendPicture(126, timestamp: 55)
    let frame = try incoming.read(deadline: 0)
    #expect(frame.format.pixelFormat == .rgba && frame.format.width == 33 && frame.format.height == 17)
    #expect(frame.native.pointee.timestamp_ns == 55 && frame.native.pointee.sequence == 1)
    #expect(!frame.isWritable)
    // Grey stays grey, (126 - 16) * 255 / 219 = 128, but for the rounding of the scaler.
    #expect((124...130).contains(frame.shade))
    frame.release()
    #expect(incoming.stats.counters.width == 320)
  }

  @Test func whatIsRawIsNotTakenEncoded() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(Make.raw())
    try call.anna.start(outgoing)
    try call.advance()
    let incoming = call.bert.incomingVideos[0]
    #expect(failure { try incoming.start(Make.incoming { $0.output = .encoded }) }?.status == .unsupported)
    #expect(failure { try incoming.start(Make.incoming { $0.output = .both }) }?.status == .unsupported)
    #expect(failure { try incoming.start(Make.incoming { $0.queueCapacity = 99 }) }?.status == .range)
    #expect(incoming.state == .available)
    try incoming.start()
  }

  @Test func aCallbackTakesThePlaceOfTheQueue() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    let shades = Journal<UInt8>()
    incoming.setFrameCallback { frame in
      shades.add(frame.shade)
      #expect(ForeignCode.isRunning)
    }
    try sender.sendPicture(1)
    #expect(shades.entries.isEmpty)
    try call.advance()
    #expect(shades.entries == [1])
    #expect(failure { _ = try incoming.read(deadline: 0) }?.status == .timeout)
    incoming.setFrameCallback(nil)
    try sender.sendPicture(2)
    try call.advance()
    #expect(shades.entries == [1])
    #expect(try shade(incoming) == 2)
    #expect(incoming.stats.counters.delivered == 2)
  }

  @Test func directDeliveryIsOnTheSendersThread() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(), Make.incoming { $0.delivery = .direct })
    let shades = Journal<UInt8>()
    incoming.setFrameCallback { frame in shades.add(frame.shade) }
    let sender = try outgoing.currentSender()
    try sender.sendPicture(1)
    #expect(shades.entries == [1])
    try call.advance()
    #expect(shades.entries == [1])
  }

  @Test func aCallbackMayStopItsStream() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(), Make.incoming { $0.delivery = .direct })
    let shades = Journal<UInt8>()
    incoming.setFrameCallback { [unowned incoming] frame in
      shades.add(frame.shade)
      incoming.stop()
      incoming.setFrameCallback(nil)
    }
    let sender = try outgoing.currentSender()
    for shade in 1...3 as ClosedRange<UInt8> { try sender.sendPicture(shade) }
    #expect(shades.entries == [1])
    #expect(incoming.state == .stopped)
  }

  @Test func aCallbackMayCloseTheWholeEngine() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw(), Make.incoming { $0.delivery = .direct })
    let shades = Journal<UInt8>()
    let engine = call.engine
    incoming.setFrameCallback { [unowned engine] frame in
      shades.add(frame.shade)
      engine.close()
    }
    let sender = try outgoing.currentSender()
    try sender.sendPicture(1)
    #expect(failure { try sender.sendPicture(2) } != nil)
    #expect(shades.entries == [1])
    #expect(engine.stats.sessions == 0)
  }

  @Test func gapsAreCountedAsLost() throws {
    let call = try Call()
    try call.script(NetworkScript.Step(loss: 30_000))
    _ = try call.connect()
    let (outgoing, incoming) = try call.stream(Make.raw(Make.format(212, 160, 15, .gray8)))
    let sender = try outgoing.currentSender()
    for _ in 0..<100 {
      try sender.sendPicture()
      try call.advance(67 * millisecond)
    }
    let counters = incoming.stats.counters
    #expect(counters.received < 100 && counters.received > 20)
    // What was lost at the end shows with the next that arrives.
    #expect(counters.received + counters.lost <= 100)
    #expect(counters.received + counters.lost > 90)
  }
}
