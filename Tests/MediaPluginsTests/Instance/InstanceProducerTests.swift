import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaPlugins

@Suite struct InstanceProducerTests {
  private let plugin = FakePlugin()

  private func started(_ change: (FakeModule) -> Void = { _ in }, sink: @escaping PluginInstance.Sink = { _ in nil }) throws
    -> PluginInstance
  {
    let module = FakeModule()
    change(module)
    let instance = try module.instance(plugin)
    try instance.initialiseProducer()
    try instance.setProducerFormat(testFormat())
    try instance.startProducer(sink: sink)
    return instance
  }

  @Test func goesThroughItsStatesInOrder() throws {
    let instance = try FakeModule().instance(plugin)
    defer { instance.destroy() }
    #expect(failure { try instance.startProducer { _ in nil } }?.status == .state)
    #expect(failure { try instance.setProducerFormat(testFormat()) }?.status == .state)
    try instance.stopProducer()
    try instance.releaseProducer()
    #expect(plugin.calls == ["create"])
    try instance.initialiseProducer()
    try instance.initialiseProducer()
    #expect(instance.producerPhase == .ready)
    try instance.setProducerFormat(testFormat(.nv12, 33, 17))
    #expect(plugin.format.withLock { $0 }?.width == 33)
    try instance.startProducer { _ in nil }
    #expect(instance.producerPhase == .started)
    #expect(failure { try instance.startProducer { _ in nil } }?.status == .state)
    #expect(failure { try instance.setProducerFormat(testFormat()) }?.status == .state)
    try instance.releaseProducer()
    #expect(instance.producerPhase == .started)
    try instance.stopProducer()
    try instance.stopProducer()
    try instance.releaseProducer()
    try instance.releaseProducer()
    #expect(plugin.calls == ["create", "init_capture", "set_format", "start_capture", "stop_capture", "release_capture"])
    #expect(instance.producerPhase == .created)
  }

  @Test func aFailureLeavesItWhereItWas() throws {
    let instance = try FakeModule().instance(plugin)
    defer { instance.destroy() }
    plugin.on("init_capture") { _ in MSDK_E_IO }
    #expect(failure { try instance.initialiseProducer() }?.status == .io)
    #expect(instance.producerPhase == .created)
    plugin.on("init_capture") { _ in 0 }
    try instance.initialiseProducer()
    plugin.on("start_capture") { _ in MSDK_E_DEVICE_LOST }
    #expect(failure { try instance.startProducer { _ in nil } }?.status == .deviceLost)
    #expect(instance.producerPhase == .ready)
    #expect(instance.state.withLock { $0.sink == nil })
  }

  @Test func aRendererIsNoProducer() throws {
    let instance = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(plugin)
    defer { instance.destroy() }
    #expect(failure { try instance.initialiseProducer() }?.status == .unsupported)
    #expect(failure { _ = try instance.pull(due: 0) }?.status == .unsupported)
    #expect(!instance.isPull)
    try instance.stopProducer()
    try instance.releaseProducer()
  }

  @Test func aPulledFrameIsOurs() throws {
    let instance = try started()
    defer { instance.destroy() }
    let witness = try WitnessedFrame(testFormat())
    plugin.produced.withLock { $0 = witness.frame }
    guard case .frame(let frame) = try instance.pull(due: 777) else {
      Issue.record("no frame")
      return
    }
    #expect(plugin.due.withLock { $0 } == 777)
    #expect(frame == witness.frame && frame.references == 1)
    #expect(frame.native.pointee.timestamp_ns == 777)
    frame.release()
    #expect(witness.isReleased)
  }

  @Test func aTimestampOfThePluginsStays() throws {
    let instance = try started()
    defer { instance.destroy() }
    let produced = try VideoFrame.make(testFormat())
    produced.native.pointee.timestamp_ns = 5
    plugin.produced.withLock { $0 = produced }
    guard case .frame(let frame) = try instance.pull(due: 777) else {
      Issue.record("no frame")
      return
    }
    #expect(frame.native.pointee.timestamp_ns == 5)
    frame.release()
  }

  private func expectNoFrameIsNoError(of instance: PluginInstance, _ function: String) throws {
    func pulled(_ result: Int) throws -> String {
      plugin.on(function) { _ in result }
      return "\(try instance.pull(due: 1))"
    }
    #expect(try pulled(MSDK_E_AGAIN) == "nothingYet")
    #expect(try pulled(MSDK_E_CLOSED) == "ended")
    #expect(try pulled(MSDK_OK) == "nothingYet")
    #expect(failure { _ = try pulled(MSDK_E_IO) }?.status == .io)
    try instance.stopProducer()
    #expect(try pulled(MSDK_OK) == "ended")
  }

  @Test func nothingYetAndNoMoreAreNoErrors() throws {
    let instance = try started()
    defer { instance.destroy() }
    try expectNoFrameIsNoError(of: instance, "produce_frame")
  }

  @Test func garbageForAFrameIsAnError() throws {
    let instance = try started()
    defer { instance.destroy() }
    let garbage = FakeModule.keep([msdk_video_frame()])
    plugin.produced.withLock { $0 = VideoFrame(native: garbage) }
    #expect(failure { _ = try instance.pull(due: 1) }?.status == .handle)
  }

  @Test func formatsAreListedToTheEnd() throws {
    let module = FakeModule()
    module.producer.enum_formats = { plugin, index, out in
      guard index < 2 else { return msdk_result(MSDK_E_NOT_FOUND) }
      out?.pointee = testFormat(.nv12, 100 * (index + 1), 50).foreign
      return FakePlugin.of(plugin)?.call("enum_formats") ?? -1
    }
    let instance = try module.instance(plugin)
    defer { instance.destroy() }
    #expect(try instance.producerFormat(at: 0)?.width == 100)
    #expect(try instance.producerFormat(at: 1)?.width == 200)
    #expect(try instance.producerFormat(at: 2) == nil)
    #expect(instance.producerPhase == .ready)
    plugin.on("enum_formats") { _ in MSDK_E_IO }
    #expect(failure { _ = try instance.producerFormat(at: 0) }?.status == .io)
  }

  @Test func withoutAListTheSettingsAreTheOnlyFormat() throws {
    let module = FakeModule()
    module.producer.capture_settings = { _, out in
      out?.pointee = testFormat(.nv12, 99, 50).foreign
      return 0
    }
    let instance = try module.instance(plugin)
    defer { instance.destroy() }
    #expect(try instance.producerFormat(at: 0)?.width == 99)
    #expect(try instance.producerFormat(at: 1) == nil)
    let bare = try FakeModule().instance(FakePlugin())
    defer { bare.destroy() }
    #expect(try bare.producerFormat(at: 0) == nil)
  }

  @Test func aFormatThatCannotBeIsRefused() throws {
    let module = FakeModule()
    module.producer.capture_settings = { _, out in
      out?.pointee.width = 0
      return 0
    }
    let instance = try module.instance(plugin)
    defer { instance.destroy() }
    let error = failure { _ = try instance.captureSettings() }
    #expect(error?.text.contains("capture_settings of test.fake") == true)
  }

  // MARK: Of encoded frames

  private func startedEncoded(pull: Bool = true) throws -> PluginInstance {
    try started { $0.producer = FakePlugin.encodedProducer(pull: pull) }
  }

  @Test func aPulledPacketIsOurs() throws {
    let instance = try startedEncoded()
    defer { instance.destroy() }
    #expect(instance.isEncodedProducer && instance.producedCodec == UInt32(MSDK_CODEC_VP8))
    #expect(try !FakeModule().descriptor().isEncodedProducer)
    for number in UInt8(0)..<255 {
      plugin.packets.withLock { $0 = [FakePlugin.vp8(isKey: false, number)] }
      guard case .packet(let frame) = try instance.pull(due: 777) else {
        Issue.record("no packet")
        return
      }
      #expect(Array(frame.bytes) == FakePlugin.vp8(isKey: false, number) && frame.references == 1)
      #expect(frame.native.pointee.timestamp_ns == 777)
      frame.release()
    }
    #expect(plugin.due.withLock { $0 } == 777)
    #expect(!plugin.calls.contains("produce_frame"))
  }

  @Test func noPacketYetAndNoMoreAreNoErrors() throws {
    let instance = try startedEncoded()
    defer { instance.destroy() }
    try expectNoFrameIsNoError(of: instance, "produce_encoded_frame")
  }

  @Test func aKeyFrameIsRequestedOfWhoIsStarted() throws {
    let instance = try startedEncoded()
    defer { instance.destroy() }
    try instance.requestKeyFrame()
    #expect(plugin.calls.last == "request_key_frame")
    plugin.on("request_key_frame") { _ in MSDK_E_UNSUPPORTED }
    try instance.requestKeyFrame()
    plugin.on("request_key_frame") { _ in MSDK_E_IO }
    #expect(failure { try instance.requestKeyFrame() }?.status == .io)
    try instance.stopProducer()
    plugin.forget()
    try instance.requestKeyFrame()
    #expect(plugin.calls.isEmpty)
  }

  @Test func whoCannotMakeKeyFramesIsNotAsked() throws {
    for isEncoded in [true, false] {
      let instance = try started { module in if isEncoded { module.producer = FakePlugin.encodedProducer(pull: false) } }
      defer { instance.destroy() }
      plugin.forget()
      try instance.requestKeyFrame()
      #expect(plugin.calls.isEmpty)
    }
  }
}
