import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaPlugins

@Suite struct InstanceAudioProducerTests {
  private let plugin = FakePlugin()

  private func instance(_ change: (FakeModule) -> Void = { _ in }) throws -> PluginInstance {
    let module = FakeModule(kinds: MSDK_KIND_AUDIO_PRODUCER)
    change(module)
    return try module.instance(plugin)
  }

  private func started() throws -> PluginInstance {
    let instance = try instance()
    try instance.initialiseAudioProducer()
    _ = try instance.setAudioFormat(testSound())
    try instance.startAudioProducer { _ in nil }
    return instance
  }

  /// Two references: the plugin's, and the test's to see the other one go.
  private func produce(_ format: AudioFormat = testSound(), _ change: (AudioFrame) -> Void = { _ in }) throws -> AudioFrame {
    let frame = try AudioFrame.make(format, sampleCount: 480)
    change(frame)
    frame.retain()
    plugin.producedSound.withLock { $0 = frame }
    return frame
  }

  @Test func goesThroughItsStatesInOrder() throws {
    let instance = try instance()
    defer { instance.destroy() }
    #expect(failure { try instance.startAudioProducer { _ in nil } }?.status == .state)
    #expect(failure { _ = try instance.setAudioFormat(testSound()) }?.status == .state)
    try instance.stopAudioProducer()
    try instance.releaseAudioProducer()
    #expect(plugin.calls == ["create"])
    try instance.initialiseAudioProducer()
    try instance.initialiseAudioProducer()
    #expect(instance.audioProducerPhase == .ready)
    #expect(try instance.setAudioFormat(testSound(.s16, rate: 44_100, channels: 1)) == testSound(.s16, rate: 44_100, channels: 1))
    try instance.startAudioProducer { _ in nil }
    #expect(instance.audioProducerPhase == .started && instance.isAudioPull)
    #expect(failure { try instance.startAudioProducer { _ in nil } }?.status == .state)
    #expect(failure { _ = try instance.setAudioFormat(testSound()) }?.status == .state)
    try instance.releaseAudioProducer()
    #expect(instance.audioProducerPhase == .started)
    try instance.stopAudioProducer()
    try instance.stopAudioProducer()
    try instance.releaseAudioProducer()
    try instance.releaseAudioProducer()
    #expect(
      plugin.calls == [
        "create", "audio init_capture", "audio set_format 44100/1", "audio start_capture", "audio stop_capture", "audio release_capture"
      ])
    #expect(instance.audioProducerPhase == .created)
  }

  @Test func whatItCannotMakeIsReplacedByItsSettings() throws {
    let instance = try instance()
    defer { instance.destroy() }
    try instance.initialiseAudioProducer()
    plugin.captureSound.withLock { $0 = testSound(.s16, rate: 22_050, channels: 1, samples: 100) }
    plugin.on("audio set_format 48000/2") { _ in MSDK_E_FORMAT }
    #expect(try instance.setAudioFormat(testSound()) == testSound(.s16, rate: 22_050, channels: 1, samples: 100))
    #expect(plugin.calls.suffix(3) == ["audio set_format 48000/2", "audio capture_settings", "audio set_format 22050/1"])
    // Another failure is none of the format.
    plugin.on("audio set_format 48000/2") { _ in MSDK_E_IO }
    #expect(failure { _ = try instance.setAudioFormat(testSound()) }?.status == .io)
    plugin.on("audio set_format 48000/2") { _ in MSDK_E_FORMAT }
    plugin.on("audio set_format 22050/1") { _ in MSDK_E_FORMAT }
    #expect(failure { _ = try instance.setAudioFormat(testSound()) }?.status == .format)
    plugin.captureSound.withLock { $0 = testSound(rate: 1) }
    let error = failure { _ = try instance.setAudioFormat(testSound()) }
    #expect(error?.status == .range)
    #expect(error?.text.contains("capture_settings of test.fake") == true)
  }

  @Test func withoutSettingsTheRefusalStands() throws {
    let instance = try instance { $0.audioProducer.capture_settings = nil }
    defer { instance.destroy() }
    #expect(try instance.audioCaptureSettings() == nil)
    try instance.initialiseAudioProducer()
    plugin.on("audio set_format 48000/2") { _ in MSDK_E_FORMAT }
    #expect(failure { _ = try instance.setAudioFormat(testSound()) }?.status == .format)
  }

  @Test func theSettingsInitialiseIt() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.captureSound.withLock { $0 = testSound(rate: 96_000) }
    #expect(try instance.audioCaptureSettings() == testSound(rate: 96_000))
    #expect(instance.audioProducerPhase == .ready)
  }

  @Test func aFailureLeavesItWhereItWas() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.on("audio init_capture") { _ in MSDK_E_IO }
    #expect(failure { try instance.initialiseAudioProducer() }?.status == .io)
    #expect(instance.audioProducerPhase == .created)
    plugin.on("audio init_capture") { _ in 0 }
    try instance.initialiseAudioProducer()
    plugin.on("audio start_capture") { _ in MSDK_E_DEVICE_LOST }
    #expect(failure { try instance.startAudioProducer { _ in nil } }?.status == .deviceLost)
    #expect(instance.audioProducerPhase == .ready)
    #expect(instance.state.withLock { $0.audioSink == nil })
  }

  @Test func aProducerOfPicturesIsNone() throws {
    let instance = try FakeModule().instance(plugin)
    defer { instance.destroy() }
    #expect(failure { try instance.initialiseAudioProducer() }?.status == .unsupported)
    #expect(failure { _ = try instance.pullAudio(due: 0) }?.status == .unsupported)
    #expect(failure { _ = try instance.audioCaptureSettings() }?.status == .unsupported)
    #expect(!instance.isAudioPull)
    try instance.stopAudioProducer()
    try instance.releaseAudioProducer()
  }

  @Test func aPulledBufferIsOurs() throws {
    let instance = try started()
    defer { instance.destroy() }
    for (own, expected) in [(Int64(0), Int64(777)), (5, 5)] {
      let witness = try produce { $0.native.pointee.timestamp_ns = own }
      guard case .frame(let frame) = try instance.pullAudio(due: 777) else {
        Issue.record("no buffer")
        return
      }
      #expect(plugin.due.withLock { $0 } == 777)
      #expect(frame == witness && frame.references == 2)
      #expect(frame.timestamp == expected)
      #expect(frame.native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) == 0)
      frame.release()
      witness.release()
    }
  }

  @Test func nothingYetAndNoMoreAreNoErrors() throws {
    let instance = try started()
    defer { instance.destroy() }
    func pulled(_ result: Int) throws -> String {
      plugin.on("audio produce_frame") { _ in result }
      return "\(try instance.pullAudio(due: 1))"
    }
    #expect(try pulled(MSDK_E_AGAIN) == "nothingYet")
    #expect(try pulled(MSDK_E_CLOSED) == "ended")
    #expect(try pulled(MSDK_OK) == "nothingYet")
    #expect(failure { _ = try pulled(MSDK_E_IO) }?.status == .io)
    try instance.stopAudioProducer()
    #expect(try pulled(MSDK_OK) == "ended")
  }

  @Test func whatCannotBeTakenIsGivenBack() throws {
    let instance = try started()
    defer { instance.destroy() }
    let bad: [(Status, AudioFrame)] = [
      (.format, try AudioFrame.make(testSound(.s16), sampleCount: 10)),
      (.format, try AudioFrame.make(testSound(rate: 44_100), sampleCount: 10)),
      (.invalid, try AudioFrame.make(testSound(), sampleCount: 10))
    ]
    bad[2].1.f32[19] = .infinity
    for (status, frame) in bad {
      frame.retain()
      plugin.producedSound.withLock { $0 = frame }
      #expect(failure { _ = try instance.pullAudio(due: 1) }?.status == status)
      #expect(frame.references == 1)
      frame.release()
    }
    let garbage = FakeModule.keep([msdk_audio_frame()])
    plugin.producedSound.withLock { $0 = AudioFrame(native: garbage) }
    #expect(failure { _ = try instance.pullAudio(due: 1) }?.status == .handle)
  }
}
