import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaPlugins

@Suite struct AudioHostTableTests {
  private let plugin = FakePlugin()

  private func instance() throws -> PluginInstance {
    let module = FakeModule(kinds: MSDK_KIND_AUDIO_PRODUCER)
    module.audioProducer.flags = 0
    return try module.instance(plugin, clock: { 4321 })
  }

  private func acquire(
    _ format: AudioFormat = testSound(), count: UInt32 = 480
  ) -> (result: msdk_result, frame: UnsafeMutablePointer<msdk_audio_frame>?) {
    var native = format.foreign
    var out: UnsafeMutablePointer<msdk_audio_frame>?
    let result = plugin.host.audio_frame_acquire(plugin.context, &native, count, &out)
    return (result, out)
  }

  @Test func buffersComeSilentFromAPoolOfSixteen() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let frames = (0..<16).compactMap { _ in acquire().frame }
    #expect(frames.count == 16)
    #expect(acquire().result == msdk_result(MSDK_E_AGAIN))
    AudioFrame(native: frames[0]).f32[3] = 1
    plugin.host.audio_frame_ref(frames[0])
    plugin.host.audio_frame_unref(frames[0])
    #expect(acquire().result == msdk_result(MSDK_E_AGAIN))
    plugin.host.audio_frame_unref(frames[0])
    let again = try #require(acquire().frame)
    #expect(AudioFrame(native: again).f32.allSatisfy { $0 == 0 })
    #expect(again.pointee.sample_count == 480 && again.pointee.level == 127)
    for frame in frames.dropFirst() { plugin.host.audio_frame_unref(frame) }
    plugin.host.audio_frame_unref(again)
    plugin.host.audio_frame_unref(nil)
    plugin.host.audio_frame_ref(nil)
  }

  @Test func badArgumentsAreRefused() throws {
    let instance = try instance()
    var out: UnsafeMutablePointer<msdk_audio_frame>?
    var native = testSound().foreign
    #expect(plugin.host.audio_frame_acquire(plugin.context, nil, 1, &out) == msdk_result(MSDK_E_INVALID))
    #expect(plugin.host.audio_frame_acquire(plugin.context, &native, 1, nil) == msdk_result(MSDK_E_INVALID))
    for count in [0, 192_001, UInt32.max] { #expect(acquire(count: count).result == msdk_result(MSDK_E_RANGE)) }
    #expect(acquire(testSound(rate: 7999)).result == msdk_result(MSDK_E_RANGE))
    #expect(acquire(testSound(channels: 3)).result == msdk_result(MSDK_E_UNSUPPORTED))
    native.planar = 1
    #expect(plugin.host.audio_frame_acquire(plugin.context, &native, 1, &out) == msdk_result(MSDK_E_UNSUPPORTED))
    var byte: UInt8 = 0
    #expect(plugin.host.read_render_data(plugin.context, nil, 1) == msdk_result(MSDK_E_INVALID))
    #expect(plugin.host.read_render_data(plugin.context, &byte, .max) == msdk_result(MSDK_E_INVALID))
    #expect(plugin.host.read_render_data(plugin.context, &byte, 1) == msdk_result(MSDK_E_CLOSED))
    let context = plugin.context
    instance.destroy()
    for token in [nil, context, OpaquePointer(bitPattern: 0x1234)] {
      #expect(plugin.host.audio_frame_acquire(token, &native, 1, &out) == msdk_result(MSDK_E_HANDLE))
      #expect(plugin.host.read_render_data(token, &byte, 1) == msdk_result(MSDK_E_HANDLE))
    }
    #expect(out == nil && byte == 0)
  }

  @Test func deliveryTakesTheReferenceWhateverComesOfIt() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let taken = Monitor<[Int64]>([])
    func deliver(_ format: AudioFormat = testSound(), timestamp: Int64 = 0, sample: Float = 0) throws -> msdk_result {
      let frame = try AudioFrame.make(format, sampleCount: 3)
      frame.native.pointee.timestamp_ns = timestamp
      if format.sampleFormat == .f32 { frame.f32[5] = sample }
      frame.retain()
      let result = plugin.host.consume_audio_frame(plugin.context, frame.native)
      #expect(frame.references == 1)
      frame.release()
      return result
    }
    #expect(try deliver() == msdk_result(MSDK_E_CLOSED))
    try instance.initialiseAudioProducer()
    _ = try instance.setAudioFormat(testSound())
    try instance.startAudioProducer { frame in
      taken.withLock { $0.append(frame.timestamp) }
      return frame.native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) == 0 ? nil : .fail
    }
    #expect(try deliver() == msdk_result(MSDK_OK))
    #expect(try deliver(timestamp: 77, sample: 3) == msdk_result(MSDK_OK))
    #expect(try deliver(sample: .nan) == msdk_result(MSDK_E_INVALID))
    #expect(try deliver(sample: -.infinity) == msdk_result(MSDK_E_INVALID))
    #expect(try deliver(testSound(.s16)) == msdk_result(MSDK_E_FORMAT))
    #expect(taken.withLock { $0 } == [0, 77])
    try instance.stopAudioProducer()
    #expect(try deliver() == msdk_result(MSDK_E_CLOSED))
    try instance.startAudioProducer { _ in .again }
    #expect(try deliver() == msdk_result(MSDK_E_AGAIN))
    #expect(plugin.host.consume_audio_frame(plugin.context, nil) == msdk_result(MSDK_E_HANDLE))
    let garbage = FakeModule.keep([msdk_audio_frame()])
    #expect(plugin.host.consume_audio_frame(plugin.context, garbage) == msdk_result(MSDK_E_HANDLE))
  }

  @Test func theSinkIsThereWhenTheFirstBufferComesDuringStart() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let taken = Monitor(0)
    plugin.on("audio start_capture") { fake in
      var format = testSound().foreign
      var out: UnsafeMutablePointer<msdk_audio_frame>?
      _ = fake.host.audio_frame_acquire(fake.context, &format, 10, &out)
      return Int(fake.host.consume_audio_frame(fake.context, out))
    }
    try instance.initialiseAudioProducer()
    try instance.startAudioProducer { _ in
      taken.withLock { $0 += 1 }
      return nil
    }
    #expect(taken.withLock { $0 } == 1)
  }
}
