import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct OutgoingVideoVP8Tests {
  private let reports = Journal<FrameReport>()

  private var completion: Completion {
    .closure { [reports] in reports.add($0) }
  }

  private func isKey(_ frame: EncodedFrame) -> Bool { frame.isKeyFrame }

  @Test func whatWaitsIsReplacedByTheNewest() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.vp8())
    let sender = try outgoing.currentSender()
    for _ in 0..<3 { try sender.sendPicture(completion: completion) }
    #expect(reports.entries.map(\.outcome) == [.replaced, .replaced])
    try call.advance()
    #expect(reports.entries.map(\.outcome) == [.replaced, .replaced, .encoded])
    #expect(reports.entries.last?.isKeyFrame == true)
    #expect(reports.entries.last?.bytes ?? 0 > 0)
    let counters = outgoing.stats.counters
    #expect(counters.offered == 3 && counters.replaced == 2 && counters.encoded == 1 && counters.keyFrames == 1)
  }

  @Test func theNewestIsDroppedWhenSoAskedFor() throws {
    let call = try Call().connect()
    var options = Make.vp8()
    options.queuePolicy = .dropNewest
    options.queueCapacity = 2
    let (outgoing, _) = try call.stream(options)
    let sender = try outgoing.currentSender()
    for _ in 0..<4 { try sender.sendPicture(completion: completion) }
    #expect(reports.entries.map(\.reason) == [.queue, .queue])
    #expect(reports.entries.map(\.sequence) == [3, 4])
    try call.advance()
    #expect(reports.entries.map(\.sequence) == [3, 4, 1, 2])
  }

  @Test func nothingIsEncodedWhileTooMuchWaitsToLeave() throws {
    let call = try Call().connect()
    let way = call.standIn()
    let outgoing = try call.engine.makeOutgoingVideo(Make.vp8())
    try call.anna.start(outgoing)
    let stream = try #require(way.published.withLock { $0 })
    call.anna.transport(way, .receivers(stream, 1))
    try call.advance()
    let sender = try outgoing.currentSender()
    for wait in [0, 300, 301, 2000, 300] {
      way.backlog.withLock { $0 = Int64(wait) * millisecond }
      try sender.sendPicture(UInt8(wait / 10), completion: completion)
      try call.advance(66_666_667)
    }
    #expect(reports.entries.map(\.outcome) == [.encoded, .encoded, .dropped, .dropped, .encoded])
    #expect(reports.entries.map(\.reason) == [.none, .none, .network, .network, .none])
    // Nothing is predicted from what was not encoded, so that no key frame is needed after it.
    #expect(reports.entries.map(\.isKeyFrame) == [true, false, false, false, false])
    #expect(way.sent.entries.count == 3)
    #expect(outgoing.stats.counters.encoded == 3)
  }

  @Test func reportsAddUp() throws {
    let call = try Call()
    try call.script(
      NetworkScript.Step(bandwidth: 200_000, loss: 20_000), NetworkScript.Step(at: 2 * second, isDisconnected: true),
      NetworkScript.Step(at: 3 * second))
    _ = try call.connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.queueCapacity = 64 })
    let sender = try outgoing.currentSender()
    var random = SeededRandom(seed: 3)
    for index in 0..<60 {
      try sender.sendPicture(UInt8(index * 4), completion: completion)
      // Sometimes two before the encoder comes to them.
      if Bool.random(using: &random) { try call.advance(66_666_667) }
    }
    try call.advance(second)
    let counters = outgoing.stats.counters
    #expect(counters.offered == 60)
    #expect(counters.sent + counters.encoded + counters.replaced + counters.dropped + counters.failed == 60)
    #expect(counters.encoded > 0 && counters.replaced > 0 && counters.dropped > 0)
    #expect(reports.entries.map(\.sequence).sorted() == Array(1...60))
    #expect(UInt64(reports.entries.filter { $0.outcome == .encoded }.count) == counters.encoded)
    #expect(reports.entries.reduce(0) { $0 + $1.bytes } == counters.bytesSent)
    #expect(incoming.stats.counters.received <= counters.encoded)
  }

  @Test func anIdleStreamEncodesNothing() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(Make.vp8())
    try call.anna.start(outgoing)
    try call.advance()
    let sender = try outgoing.currentSender()
    try sender.sendPicture(completion: completion)
    try call.advance()
    #expect(reports.entries.map(\.reason) == [.noReceiver])
    #expect(outgoing.stats.counters.totalEncodeTime == 0)
    let taken = Journal<Bool>()
    outgoing.setEncodedCallback { frame in taken.add(frame.isKeyFrame) }
    try sender.sendPicture(completion: completion)
    try call.advance()
    try sender.sendPicture(completion: completion)
    try call.advance()
    #expect(taken.entries == [true, false])
    #expect(reports.entries.suffix(2).map(\.outcome) == [.encoded, .encoded])
    outgoing.setEncodedCallback(nil)
    try sender.sendPicture(completion: completion)
    try call.advance()
    #expect(taken.entries.count == 2)
    #expect(reports.entries.last?.reason == .noReceiver)
  }

  @Test func whoeverComesGetsAKeyFrame() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.output = .encoded })
    let sender = try outgoing.currentSender()
    func key() throws -> Bool {
      try sender.sendPicture()
      try call.advance(67 * millisecond)
      let frame = try incoming.readEncoded(deadline: 0)
      defer { frame.release() }
      return frame.isKeyFrame
    }
    #expect(try [key(), key(), key()] == [true, false, false])
    outgoing.requestKeyFrame()
    #expect(try [key(), key()] == [true, false])
    incoming.requestKeyFrame()
    try call.advance()
    #expect(try [key(), key()] == [true, false])
    #expect(outgoing.stats.counters.keyFrameRequests == 2)
    #expect(incoming.stats.counters.keyFramesRequested == 1)
    let carl = try call.engine.makeSession(SessionOptions(url: call.room, userID: "carl"))
    try carl.connect()
    try call.advance()
    try carl.incomingVideos[0].start()
    try call.advance()
    #expect(try key())
    #expect(outgoing.stats.receivers == 2)
  }

  @Test func keyFramesComeAtTheLatestWhenSaid() throws {
    let call = try Call().connect()
    var options = Make.vp8()
    options.keyFrameInterval = second
    let (outgoing, _) = try call.stream(options)
    let sender = try outgoing.currentSender()
    for _ in 0..<25 {
      try sender.sendPicture(completion: completion)
      try call.advance(100 * millisecond)
    }
    #expect(reports.entries.enumerated().filter { $0.element.isKeyFrame }.map(\.offset) == [0, 10, 20])
  }

  @Test func framesThatWaitWhenItStopsAreDropped() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.vp8())
    try outgoing.currentSender().sendPicture(completion: completion)
    try call.anna.stop(outgoing)
    #expect(reports.entries.map(\.reason) == [.stopped])
    try call.advance()
    #expect(reports.entries.count == 1)
    outgoing.close()
    #expect(outgoing.stats.counters.dropped == 1)
  }

  @Test func framesThatWaitWhenTheFormatChangesAreDropped() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(Make.format(640, 360, 30), Make.format()))
    try outgoing.currentSender().sendPicture(completion: completion)
    try call.advance()
    try outgoing.currentSender().sendPicture(completion: completion)
    try call.script(NetworkScript.Step(bandwidth: 150_000))
    try call.advance()
    // The frame was sent before the change was known; whichever came first, the report is true and the new format begins with a key frame.
    #expect(reports.entries.count == 2)
    try outgoing.currentSender().sendPicture(completion: completion)
    try call.advance()
    #expect(reports.entries.last?.outcome == .encoded && reports.entries.last?.isKeyFrame == true)
    try call.advance(second)
    #expect(incoming.stats.counters.width == 320)
  }

  @Test func encodedInputPassesAsItIs() throws {
    let call = try Call().connect()
    var options = Make.vp8()
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options, Make.incoming { $0.output = .encoded })
    let sender = try outgoing.currentSender()
    let frame = try VideoFrame.make(sender.format)
    #expect(failure { try sender.send(frame) }?.status == .state)
    frame.release()
    let encoded = try Make.encoded([1, 2, 3], isKey: true)
    (encoded.native.pointee.width, encoded.native.pointee.height) = (320, 180)
    encoded.seal()
    try sender.send(encoded, timestamp: 99, completion: completion)
    #expect(reports.entries.map(\.outcome) == [.sent])
    #expect(reports.entries.first?.bytes == 3)
    let received = try incoming.readEncoded(deadline: 0)
    #expect(Array(received.bytes) == [1, 2, 3])
    #expect(received.native.pointee.timestamp_ns == 99)
    #expect(received.native.pointee.sequence == 1)
    #expect(encoded.native.pointee.sequence == 0)
    received.release()
    encoded.release()
    let other = try Make.encoded([1, 2, 3], codec: 1)
    #expect(failure { try sender.send(other) }?.status == .format)
    other.release()
  }

  @Test func encodedInputHasTheColorThatWasDeclared() throws {
    let call = try Call().connect()
    var format = Make.format()
    format.color = ColorSpace(primaries: 1, transfer: 1, matrix: UInt32(MSDK_MATRIX_BT709), fullRange: true)
    var options = Make.vp8(format)
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options, Make.incoming { $0.output = .encoded })
    let encoded = try Make.encoded([1, 2, 3], isKey: true)
    (encoded.native.pointee.width, encoded.native.pointee.height) = (320, 180)
    encoded.seal()
    defer { encoded.release() }
    // Its own where it has one.
    for (own, expected) in [(0, (1, 1)), (2, (1, 1)), (9, (9, 0))] as [(UInt32, (UInt32, UInt32))] {
      encoded.native.pointee.color_matrix = own
      try outgoing.currentSender().send(encoded, timestamp: 0, completion: completion)
      let received = try incoming.readEncoded(deadline: 0)
      #expect((received.native.pointee.color_matrix, received.native.pointee.color_full_range) == expected)
      received.release()
    }
  }

  @Test func aDiscontinuityArrives() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.output = .both })
    var flags: [[UInt32]] = []
    for isAfterGap in [false, true, false] {
      let frame = try outgoing.currentSender().acquire(deadline: 0)
      frame.fill(90)
      if isAfterGap { frame.native.pointee.flags |= UInt32(MSDK_FRAME_DISCONTINUITY) }
      try outgoing.currentSender().send(frame, timestamp: 0, completion: completion)
      frame.release()
      try call.advance(100 * millisecond)
      let (encoded, decoded) = (try incoming.readEncoded(deadline: 0), try incoming.read(deadline: 0))
      flags.append([
        encoded.native.pointee.flags & UInt32(MSDK_ENCODED_DISCONTINUITY), decoded.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY)
      ])
      encoded.release()
      decoded.release()
    }
    #expect(flags == [[0, 0], [2, 2], [0, 0]])
  }

  @Test func steeringIsCheckedAndTakesEffect() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.vp8())
    #expect(failure { try outgoing.setBitrate(target: 100, least: 0, most: 0) }?.status == .range)
    try outgoing.setBitrate(target: 250_000, least: 0, most: 300_000)
    #expect(failure { try outgoing.setBitrate(target: 300_001, least: 0, most: 0) }?.status == .range)
    try outgoing.currentSender().sendPicture()
    try call.advance()
    #expect(outgoing.stats.counters.targetBitrate == 250_000)
    try call.script(NetworkScript.Step(bandwidth: 200_000))
    try call.advance()
    try outgoing.currentSender().sendPicture()
    try call.advance()
    #expect(outgoing.stats.counters.targetBitrate == 180_000)
  }
}
