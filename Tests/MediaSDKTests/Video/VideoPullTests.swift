import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A producer that is pulled on a virtual clock.
private final class Stage {
  let call: Call
  let plugin = FakePlugin()
  let producer: PluginInstance
  let queue = PullQueue<VideoFrame> { $0.release() }
  /// What the producer made, in order.
  let made = Journal<VideoFrame>()

  init(_ name: String, isPull: Bool = true, isEncoded: Bool = false, own: VideoFormat? = Make.format(64, 48, 30, .nv12)) throws {
    call = try Call(name, file: "video pull")
    let module = FakeModule()
    module.producer = isEncoded ? FakePlugin.encodedProducer(pull: isPull) : FakePlugin.producer(pull: isPull)
    module.producer.capture_settings = own == nil ? nil : FakePlugin.captureSettings
    plugin.capture.withLock { $0 = own }
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    if isPull { produce() }
  }

  deinit {
    for frame in made.entries { frame.release() }
  }

  /// Frames of the format agreed on; of the last one it says that it is.
  func produce(last: Int = .max) {
    let made = made
    plugin.on("produce_frame") { plugin in
      guard let native = plugin.format.withLock({ $0 }), let format = try? VideoFormat(checking: native, argument: "format"),
        let frame = try? VideoFrame.make(format)
      else { return MSDK_E_NOMEM }
      frame.retain()
      made.add(frame)
      if made.entries.count == last { frame.native.pointee.flags |= UInt32(MSDK_FRAME_END) }
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
  }

  func pull(_ format: VideoFormat? = nil, _ change: (inout VideoPullOptions) -> Void = { _ in }) throws -> VideoPull {
    var options = VideoPullOptions()
    change(&options)
    return try VideoPull(of: producer, format, options, into: queue, on: call.engine.clock)
  }

  func read() throws -> VideoFrame { try queue.read(of: "test.fake", deadline: 0) }

  /// What is queued, read and given back.
  func all() -> [(sequence: UInt64, time: Int64, format: VideoFormat)] {
    var all: [(UInt64, Int64, VideoFormat)] = []
    while let frame = try? read() {
      all.append((frame.native.pointee.sequence, frame.native.pointee.timestamp_ns, frame.format))
      frame.release()
    }
    return all
  }
}

@Suite struct VideoPullTests {
  @Test func aPullProducerIsAskedAtItsRate() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull { $0.queueCapacity = 64 }
    #expect(stage.plugin.calls == ["create", "init_capture", "capture_settings", "set_format"])
    let start = stage.call.engine.now()
    for _ in 0..<500 { try stage.call.advance(1_999_999) }
    let seen = stage.all()
    #expect(seen.map(\.sequence) == Array(1...30))
    #expect(seen.map(\.time) == (0..<30).map { FrameRate(30).dueTime(ofFrame: $0, from: start) })
    #expect(seen.allSatisfy { $0.format.width == 64 && $0.format.pixelFormat == .nv12 })
    pull.stop()
    #expect(stage.plugin.calls.suffix(2) == ["stop_capture", "release_capture"])
  }

  /// Nobody may write to what a producer may still read.
  @Test func whatIsReadIsReadOnlyAndOneOfFewLoans() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull()
    var held: [VideoFrame] = []
    while held.count < 8 {
      // One at a time, so that none waits in the queue.
      try stage.call.advance(held.isEmpty ? 0 : second / 30 + 1)
      if let frame = try? stage.read() { held.append(frame) }
    }
    #expect(held.allSatisfy { $0.native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) == 0 })
    let own = stage.made.entries.map { $0.plane(0).data }
    let areLoans = zip(held, own).map { $0.plane(0).data == $1 }
    #expect(areLoans == [true, true, true, true, false, false, false, false])
    // One that comes back makes room for another loan.
    held.removeFirst().release()
    try stage.call.advance(second / 30 + 1)
    let next = try stage.read()
    #expect(next.plane(0).data == stage.made.entries[8].plane(0).data)
    for frame in held + [next] { frame.release() }
    pull.stop()
  }

  @Test func whatTheProgramHoldsIsBounded() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull { $0.queueCapacity = 2 }
    var held: [VideoFrame] = []
    for _ in 0..<60 {
      try stage.call.advance(second / 30 + 1)
      if let frame = try? stage.read() { held.append(frame) }
    }
    // 32 and those that may be queued. The producer is asked all the same.
    #expect(held.count == 34)
    #expect(stage.made.entries.count >= 60)
    held.removeLast().release()
    try stage.call.advance(second / 30 + 1)
    let next = try stage.read()
    #expect(next.native.pointee.sequence == UInt64(stage.made.entries.count))
    for frame in held + [next] { frame.release() }
    pull.stop()
  }

  @Test(arguments: [QueuePolicy.dropOldest, .dropNewest]) func aFullQueueDrops(policy: QueuePolicy) throws {
    let stage = try Stage("\(#function) \(policy)")
    let pull = try stage.pull {
      $0.queueCapacity = 4
      $0.queuePolicy = policy
    }
    try stage.call.advance(second - 1)
    #expect(stage.all().map(\.sequence) == (policy == .dropOldest ? Array(27...30) : Array(1...4)))
    pull.stop()
  }

  @Test func anotherPixelFormatIsConverted() throws {
    let stage = try Stage(#function)
    let wanted = Make.format(64, 48, 10, .bgra)
    stage.plugin.on("set_format") { plugin in
      plugin.format.withLock { $0?.pixel_format } == PixelFormat.nv12.rawValue ? MSDK_OK : MSDK_E_FORMAT
    }
    let pull = try stage.pull(wanted) { $0.queueCapacity = 64 }
    try stage.call.advance(second - 1)
    let seen = stage.all()
    #expect(seen.count == 10)
    #expect(seen.allSatisfy { $0.format.pixelFormat == .bgra && $0.format.width == 64 })
    #expect(stage.made.entries.allSatisfy { $0.format.pixelFormat == .nv12 })
    pull.stop()
  }

  @Test func whoDoesNotSayHowManyASecondIsAskedForFifteen() throws {
    var own = Make.format(64, 48, 30, .nv12)
    own.frameRate = FrameRate(0)
    let stage = try Stage(#function, own: own)
    let pull = try stage.pull { $0.queueCapacity = 64 }
    try stage.call.advance(second - 1)
    #expect(stage.all().count == 15)
    pull.stop()
  }

  @Test(arguments: [true, false]) func theSizeIsFollowedIfNoneWasWanted(isOpen: Bool) throws {
    let stage = try Stage("\(#function) \(isOpen)")
    let pull = try stage.pull(isOpen ? nil : Make.format(64, 48, 30, .nv12)) { $0.queueCapacity = 64 }
    try stage.call.advance(second / 2)
    let before = stage.all()
    stage.plugin.capture.withLock { $0 = Make.format(32, 24, 30, .nv12) }
    stage.plugin.host.post_event(stage.plugin.context, UInt32(MSDK_PLUGIN_EVENT_FORMAT_CHANGED), 0, nil)
    try stage.call.advance(second)
    let after = stage.all()
    #expect(before.allSatisfy { $0.format.width == 64 })
    #expect(after.count > 25 && after.last?.format.width == (isOpen ? 32 : 64))
    #expect(after.first?.sequence == UInt64(before.count + 1))
    pull.stop()
  }

  @Test func whatIsQueuedAtTheEndIsStillRead() throws {
    let stage = try Stage(#function)
    stage.produce(last: 3)
    let pull = try stage.pull()
    try stage.call.advance(second)
    #expect(stage.all().map(\.sequence) == [1, 2, 3])
    #expect(failure { _ = try stage.read() }?.status == .closed)
    pull.stop()
  }

  @Test func anErrorEndsIt() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull()
    try stage.call.advance()
    stage.plugin.on("produce_frame") { _ in MSDK_E_IO }
    try stage.call.advance(second)
    #expect(stage.all().count == 1)
    #expect(failure { _ = try stage.read() }?.status == .closed)
    pull.stop()
  }

  @Test func stoppingLeavesNothing() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull()
    try stage.call.advance(second)
    pull.stop()
    #expect(stage.producer.producerPhase == .created)
    #expect(failure { _ = try stage.read() }?.status == .closed)
    #expect(stage.made.entries.allSatisfy { $0.references == 1 })
    let calls = stage.plugin.calls
    pull.stop()
    try stage.call.advance(second)
    #expect(stage.plugin.calls == calls)
    // A later pull of the queue is another's: the first one closes it no more.
    let next = try stage.pull()
    try stage.call.advance()
    pull.stop()
    #expect(stage.all().map(\.sequence) == [1])
    next.stop()
  }

  @Test func destroyingTheProducerStopsIt() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull()
    try stage.call.advance()
    stage.producer.destroy()
    #expect(stage.plugin.calls.suffix(3) == ["stop_capture", "release_capture", "destroy"])
    #expect(failure { _ = try stage.read() }?.status == .closed)
    pull.stop()
  }

  @Test func encodedFramesAreRefused() throws {
    let stage = try Stage(#function, isEncoded: true)
    let error = failure { _ = try stage.pull() }
    #expect(error?.status == .unsupported)
    #expect(error?.text.contains("test.fake makes encoded frames of codec VP80; accepted: a producer of raw frames") == true)
    #expect(stage.plugin.calls == ["create"])
  }

  @Test func whatIsRefusedIsAttachedToNothing() throws {
    let stage = try Stage(#function)
    #expect(failure { _ = try stage.pull { $0.queueCapacity = 65 } }?.status == .range)
    stage.plugin.on("set_format") { _ in MSDK_E_FORMAT }
    #expect(failure { _ = try stage.pull(Make.format(8, 8, 30, .nv12)) }?.status == .format)
    stage.plugin.on("set_format") { _ in MSDK_OK }
    #expect(stage.producer.producerPhase == .created)
    #expect(failure { _ = try stage.read() }?.status == .state)
    let outgoing = try stage.call.engine.makeOutgoingVideo(Make.raw())
    try outgoing.attachProducer(stage.producer)
    #expect(failure { _ = try stage.pull() }?.status == .state)
  }

  @Test func whoHasNoFormatIsAskedForOne() throws {
    let stage = try Stage(#function, own: nil)
    #expect(failure { _ = try stage.pull() }?.status == .unsupported)
    let pull = try stage.pull(Make.format(64, 48, 30, .nv12))
    try stage.call.advance()
    #expect(stage.all().count == 1)
    pull.stop()
  }

  @Test func aPushProducerIsHeldToTheRate() throws {
    let stage = try Stage(#function, isPull: false)
    let format = Make.format(64, 48, 30, .nv12)
    func push(_ format: VideoFormat) throws -> Int {
      let witness = try WitnessedFrame(format)
      return Int(stage.plugin.host.consume_video_frame(stage.plugin.context, witness.frame.native))
    }
    #expect(try push(format) == MSDK_E_CLOSED)
    let pull = try stage.pull(format)
    try stage.call.advance()
    #expect(try push(Make.format(32, 24, 30, .nv12)) == MSDK_E_FORMAT)
    try stage.call.advance(second)
    #expect(try push(format) == MSDK_OK)
    #expect(try push(format) == MSDK_E_AGAIN)
    try stage.call.advance(second / 30)
    #expect(try push(format) == MSDK_OK)
    #expect(stage.all().map(\.sequence) == [1, 2])
    pull.stop()
    #expect(try push(format) == MSDK_E_CLOSED)
  }
}
