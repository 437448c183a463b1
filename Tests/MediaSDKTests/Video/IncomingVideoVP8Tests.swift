import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct IncomingVideoVP8Tests {
  /// Pictures in, what arrives of them out.
  private func read(_ incoming: IncomingVideo) -> [(sequence: UInt64, shade: UInt8, flags: UInt32)] {
    var all: [(sequence: UInt64, shade: UInt8, flags: UInt32)] = []
    while let frame = try? incoming.read(deadline: 0) {
      all.append((frame.native.pointee.sequence, frame.shade, frame.native.pointee.flags))
      frame.release()
    }
    return all
  }

  @Test func picturesSurviveTheCodec() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.queueCapacity = 8 })
    let sender = try outgoing.currentSender()
    for shade in [50, 120, 200] as [UInt8] {
      try sender.sendPicture(shade, timestamp: Int64(shade))
      try call.advance(66_666_667)
    }
    let pictures = read(incoming)
    #expect(pictures.map(\.sequence) == [1, 2, 3])
    for (picture, shade) in zip(pictures, [50, 120, 200] as [Int]) { #expect(abs(Int(picture.shade) - shade) < 10) }
    #expect(pictures.allSatisfy { $0.flags == 0 })
    let counters = incoming.stats.counters
    #expect(counters.received == 3 && counters.decoded == 3 && counters.keyDecoded == 1 && counters.delivered == 3)
    #expect(counters.totalDecodeTime > 0)
  }

  @Test func afterALossNothingIsShownUntilAKeyFrame() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.queueCapacity = 64 })
    let sender = try outgoing.currentSender()
    func send(_ count: Int) throws {
      for _ in 0..<count {
        try sender.sendPicture()
        try call.advance(66_666_667)
      }
    }
    try send(3)
    try call.script(NetworkScript.Step(loss: 1_000_000))
    try send(1)
    try call.script(NetworkScript.Step(delay: 100 * millisecond))
    // The gap shows with number 5; the request takes 100 ms, and so does the key frame.
    try send(8)
    try call.advance(second)
    let pictures = read(incoming)
    let resumed = try #require(pictures.map(\.sequence).first { $0 > 3 })
    #expect(pictures.map(\.sequence) == [1, 2, 3] + Array(resumed...12))
    #expect((7...9).contains(resumed))
    #expect(pictures.filter { $0.flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0 }.map(\.sequence) == [resumed])
    let counters = incoming.stats.counters
    #expect(counters.lost == 1)
    #expect(counters.skipped == resumed - 5)
    #expect(counters.freezes == 1)
    #expect(counters.keyFramesRequested == 1)
    #expect(counters.keyDecoded == 2)
    #expect(counters.decoded + counters.skipped == counters.received)
  }

  @Test func aRequestThatWasLostIsRepeated() throws {
    let call = try Call().connect()
    var options = Make.vp8()
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options)
    let sender = try outgoing.currentSender()
    // Frames that build on what never came.
    for index in 0..<11 {
      let frame = try Make.encoded([0x01, 0, 0, 0])
      try sender.send(frame)
      frame.release()
      try call.advance(100 * millisecond)
      _ = index
    }
    #expect(incoming.stats.counters.skipped == 11)
    #expect(incoming.stats.counters.keyFramesRequested == 3)
    #expect(read(incoming).isEmpty)
  }

  @Test func whatTheWayLeftOutHasArrived() throws {
    let call = try Call().connect()
    var options = Make.vp8()
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options, Make.incoming { $0.output = .encoded })
    let frame = try Make.encoded([0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00], isKey: true)
    (frame.native.pointee.width, frame.native.pointee.height) = (320, 180)
    frame.seal()
    try outgoing.currentSender().send(frame)
    // A request before there was a picture is no freeze.
    incoming.waited(leavingOut: 0, requests: 1)
    #expect(incoming.stats.counters.freezes == 0)
    // Of the six between them four came whole, to the end of a way that waited for this one.
    incoming.receive(frame, 8)
    incoming.waited(leavingOut: 4, requests: 2)
    frame.release()
    let counters = incoming.stats.counters
    #expect(counters.received == 6 && counters.lost == 2 && counters.skipped == 4 && counters.keyFramesRequested == 3)
    #expect(counters.freezes == 1)
  }

  @Test func damageIsNeverShown() throws {
    let call = try Call().connect()
    let lines = Journal<String>()
    call.engine.logger.set(level: 0) { record in lines.add(record.text) }
    var options = Make.vp8()
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(options)
    let sender = try outgoing.currentSender()
    // A key frame's header of the right size, and nothing after it.
    let damaged = try Make.encoded([0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00], isKey: true)
    (damaged.native.pointee.width, damaged.native.pointee.height) = (320, 180)
    damaged.seal()
    try sender.send(damaged)
    damaged.release()
    try call.advance()
    #expect(read(incoming).isEmpty)
    #expect(incoming.stats.counters.corrupt == 1)
    #expect(incoming.stats.counters.keyFramesRequested == 1)
    #expect(call.events(call.anna).contains("key frame"))
    #expect(lines.entries.contains { $0.contains("frame 1 of anna") })
  }

  @Test func bothQueuesAreFilledWhenAskedFor() throws {
    let call = try Call().connect()
    let wanted = Make.incoming {
      $0.output = .both
      ($0.queueCapacity, $0.encodedQueueCapacity) = (10, 10)
    }
    let (outgoing, incoming) = try call.stream(Make.vp8(), wanted)
    let sender = try outgoing.currentSender()
    for _ in 0..<4 {
      try sender.sendPicture()
      try call.advance(66_666_667)
    }
    var sequences: [UInt64] = []
    while let frame = try? incoming.readEncoded(deadline: 0) {
      sequences.append(frame.native.pointee.sequence)
      frame.release()
    }
    #expect(sequences == [1, 2, 3, 4])
    #expect(read(incoming).map(\.sequence) == [1, 2, 3, 4])
  }

  @Test func onlyEncodedIsNotDecoded() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.output = .encoded })
    try outgoing.currentSender().sendPicture()
    try call.advance()
    #expect(incoming.stats.counters.received == 1 && incoming.stats.counters.decoded == 0)
    #expect(read(incoming).isEmpty)
  }

  @Test func theProgramMayKeepAllPicturesAndLosesOnlyTheNext() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(Make.format(212, 160, 15)), Make.incoming { $0.queueCapacity = 64 })
    let sender = try outgoing.currentSender()
    var kept: [VideoFrame] = []
    for _ in 0..<104 {
      try sender.sendPicture()
      try call.advance(66_666_667)
      if let frame = try? incoming.read(deadline: 0) { kept.append(frame) }
    }
    #expect(kept.count == 96)
    #expect(incoming.stats.counters.dropped == 8)
    for frame in kept { frame.release() }
    try sender.sendPicture()
    try call.advance(66_666_667)
    // No key frame was needed: the decoder went on.
    #expect(read(incoming).map(\.sequence) == [105])
    #expect(incoming.stats.counters.keyDecoded == 1)
  }

  @Test func theDecoderFollowsAChangeOfSize() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(Make.format(640, 360, 30), Make.format()), Make.incoming { $0.queueCapacity = 8 })
    try outgoing.currentSender().sendPicture()
    try call.advance(second)
    try call.script(NetworkScript.Step(bandwidth: 150_000))
    try call.advance()
    try outgoing.currentSender().sendPicture()
    try call.advance(second)
    var widths: [UInt32] = []
    while let frame = try? incoming.read(deadline: 0) {
      widths.append(frame.format.width)
      frame.release()
    }
    #expect(widths == [640, 320])
  }
}
