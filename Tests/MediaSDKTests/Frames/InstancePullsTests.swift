import CMediaSDK
import Glibc
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaPlugins
@testable import MediaSDK

/// A producer of both media that a program made.
private final class Stage {
  let call: Call
  let plugin = FakePlugin()
  let producer: PluginInstance

  init(_ name: String) throws {
    call = try Call(name, file: "instance pulls")
    let module = FakeModule("test.fake", kinds: MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER)
    module.producer.capture_settings = FakePlugin.captureSettings
    plugin.capture.withLock { $0 = Make.format(64, 48, 25, .nv12) }
    plugin.captureSound.withLock { $0 = AudioFormat(.s16, sampleRate: 48_000, channels: 2) }
    plugin.on("produce_frame") { plugin in
      plugin.produced.withLock { $0 = try? VideoFrame.make(Make.format(64, 48, 25, .nv12)) }
      return MSDK_OK
    }
    plugin.on("audio produce_frame") { plugin in
      plugin.producedSound.withLock { $0 = try? AudioFrame.make(AudioFormat(.s16, sampleRate: 48_000, channels: 2), sampleCount: 480) }
      return MSDK_OK
    }
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
  }

  /// The numbers of the frames, or buffers, that are queued, which are given back.
  func frames() -> [UInt64] {
    var numbers: [UInt64] = []
    while let frame = try? producer.read(deadline: 0) {
      numbers.append(frame.native.pointee.sequence)
      frame.release()
    }
    return numbers
  }

  func buffers() -> [UInt64] {
    var numbers: [UInt64] = []
    while let frame = try? producer.readAudio(deadline: 0) {
      numbers.append(frame.native.pointee.sequence)
      frame.release()
    }
    return numbers
  }
}

@Suite struct InstancePullsTests {
  private func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  @Test func beforeAPullNothingCanBeRead() throws {
    let stage = try Stage(#function)
    #expect(failure { _ = try stage.producer.read(deadline: 0) }?.status == .state)
    #expect(failure { _ = try stage.producer.readAudio(deadline: 0) }?.status == .state)
    #expect(!isReadable(try stage.producer.pullDescriptor()))
    #expect(!isReadable(try stage.producer.audioPullDescriptor()))
    // Nothing is stopped.
    try stage.producer.stopPull()
    try stage.producer.stopAudioPull()
    #expect(stage.plugin.calls == ["create"])
    #expect(!isReadable(try stage.producer.pullDescriptor()))
  }

  @Test func descriptorsAnnounceWhatIsQueuedAndTheEnd() throws {
    let stage = try Stage(#function)
    let (video, audio) = (try stage.producer.pullDescriptor(), try stage.producer.audioPullDescriptor())
    try stage.producer.startPull()
    #expect(!isReadable(video))
    try stage.call.advance()
    #expect(isReadable(video) && !isReadable(audio))
    #expect(stage.frames() == [1])
    #expect(!isReadable(video))
    try stage.producer.stopPull()
    #expect(isReadable(video) && !isReadable(audio))
    #expect(failure { _ = try stage.producer.read(deadline: 0) }?.status == .closed)
    // The same one serves the next pull.
    try stage.producer.startPull()
    #expect(!isReadable(video))
    #expect(try stage.producer.pullDescriptor() == video)
  }

  @Test func bothMediaAreIndependent() throws {
    let stage = try Stage(#function)
    var options = VideoPullOptions()
    options.queueCapacity = 64
    try stage.producer.startPull(nil, options)
    try stage.producer.startAudioPull()
    try stage.call.advance(400 * millisecond)
    #expect(stage.frames() == Array(1...11))
    #expect(stage.buffers() == Array(1...41))
    try stage.producer.stopPull()
    try stage.call.advance(100 * millisecond)
    #expect(stage.frames().isEmpty)
    #expect(stage.buffers() == Array(42...51))
    #expect(stage.producer.producerPhase == .created && stage.producer.audioProducerPhase == .started)
    try stage.producer.stopAudioPull()
    #expect(stage.producer.audioProducerPhase == .created)
  }

  @Test func oneIsPulledOnceAtATime() throws {
    let stage = try Stage(#function)
    try stage.producer.startPull()
    try stage.producer.startAudioPull()
    #expect(failure { try stage.producer.startPull() }?.status == .state)
    #expect(failure { try stage.producer.startAudioPull() }?.status == .state)
    // The refused ones stopped nothing.
    try stage.call.advance()
    #expect(stage.frames() == [1] && stage.buffers() == [1])
    try stage.producer.stopPull()
    try stage.producer.startPull()
    try stage.call.advance()
    // A pull counts from 1.
    #expect(stage.frames() == [1])
  }

  @Test func aRefusedStartLeavesNothingToStop() throws {
    let stage = try Stage(#function)
    stage.plugin.on("init_capture") { _ in MSDK_E_IO }
    #expect(failure { try stage.producer.startPull() }?.status == .io)
    #expect(failure { _ = try stage.producer.read(deadline: 0) }?.status == .state)
    stage.plugin.on("init_capture") { _ in MSDK_OK }
    try stage.producer.startPull()
    try stage.call.advance()
    #expect(stage.frames() == [1])
  }

  @Test func releasingEndsBothAndTheyMayBeginAgain() throws {
    let stage = try Stage(#function)
    try stage.producer.startPull()
    try stage.producer.startAudioPull()
    try stage.call.advance()
    try stage.producer.release()
    #expect(stage.producer.producerPhase == .created && stage.producer.audioProducerPhase == .created)
    #expect(failure { _ = try stage.producer.read(deadline: 0) }?.status == .closed)
    #expect(failure { _ = try stage.producer.readAudio(deadline: 0) }?.status == .closed)
    try stage.producer.stopPull()
    try stage.producer.startPull()
    try stage.producer.startAudioPull()
    try stage.call.advance()
    #expect(stage.frames() == [1] && stage.buffers() == [1])
  }

  @Test func theEngineEndsThem() throws {
    let stage = try Stage(#function)
    try stage.producer.startPull()
    try stage.call.advance()
    stage.call.engine.close()
    #expect(failure { _ = try stage.producer.read(deadline: 0) }?.status == .closed)
    #expect(stage.plugin.calls.suffix(3) == ["stop_capture", "release_capture", "destroy"])
  }

  /// A codec, say, which no program drives.
  @Test func whatNoProgramMadeIsNotPulled() throws {
    let instance = try FakeModule("test.other").instance(FakePlugin())
    defer { instance.destroy() }
    let failures = [
      failure { try instance.startPull() }, failure { try instance.stopPull() }, failure { _ = try instance.read(deadline: 0) },
      failure { _ = try instance.pullDescriptor() }, failure { try instance.startAudioPull() }, failure { try instance.stopAudioPull() },
      failure { _ = try instance.readAudio(deadline: 0) }, failure { _ = try instance.audioPullDescriptor() }
    ]
    #expect(failures.allSatisfy { $0?.status == .unsupported && $0?.text.contains("test.other") == true })
  }
}
