import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct HostTableTests {
  private let plugin = FakePlugin()

  private func instance() throws -> PluginInstance {
    let module = FakeModule()
    module.producer.flags = 0
    return try module.instance(plugin, clock: { 4321 })
  }

  private func acquire(_ format: VideoFormat = testFormat()) -> (result: msdk_result, frame: UnsafeMutablePointer<msdk_video_frame>?) {
    var native = format.foreign
    var out: UnsafeMutablePointer<msdk_video_frame>?
    let result = plugin.host.video_frame_acquire(plugin.context, &native, 0, &out)
    return (result, out)
  }

  @Test func everyFunctionIsThere() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let host = plugin.host
    #expect(host.struct_size == UInt32(MemoryLayout<msdk_host>.size))
    withUnsafeBytes(of: host) { bytes in
      // From the name on, everything is a pointer.
      for offset in stride(from: 8, to: bytes.count, by: 8) { #expect(bytes.loadUnaligned(fromByteOffset: offset, as: UInt.self) != 0) }
    }
    #expect(String(cString: host.name) == "mediasdk")
    #expect(host.now_ns(plugin.context) == 4321)
    #expect(host.get_extension(plugin.context, "x") == nil)
    #expect(host.abi_minor == UInt32(MSDK_ABI_MINOR))
  }

  @Test func aContextThatIsNoneIsRefused() throws {
    let instance = try instance()
    let context = plugin.context
    instance.destroy()
    var format = testFormat().foreign
    var out: UnsafeMutablePointer<msdk_video_frame>?
    for token in [nil, context, OpaquePointer(bitPattern: 0x1234)] {
      #expect(plugin.host.video_frame_acquire(token, &format, 0, &out) == msdk_result(MSDK_E_HANDLE))
      plugin.host.log(token, 1, "x")
      plugin.host.set_error(token, 0, nil)
      plugin.host.post_event(token, 1, 0, nil)
      #expect(plugin.host.now_ns(token) > 0)
    }
    #expect(out == nil)
  }

  @Test func framesComeFromAPoolOfEight() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let frames = (0..<8).compactMap { _ in acquire().frame }
    #expect(frames.count == 8)
    #expect(acquire().result == msdk_result(MSDK_E_AGAIN))
    plugin.host.video_frame_unref(frames[0])
    let again = acquire()
    #expect(again.result == 0)
    for frame in frames.dropFirst() { plugin.host.video_frame_unref(frame) }
    plugin.host.video_frame_unref(again.frame)
    plugin.host.video_frame_unref(nil)
  }

  @Test func badArgumentsAreRefused() throws {
    let instance = try instance()
    defer { instance.destroy() }
    var out: UnsafeMutablePointer<msdk_video_frame>?
    #expect(plugin.host.video_frame_acquire(plugin.context, nil, 0, &out) == msdk_result(MSDK_E_INVALID))
    #expect(acquire(testFormat(.i420, 0, 5)).result == msdk_result(MSDK_E_RANGE))
    #expect(plugin.host.video_frame_wrap(plugin.context, nil, &out) == msdk_result(MSDK_E_INVALID))
    #expect(plugin.host.video_frame_make_writable(plugin.context, nil, &out) == msdk_result(MSDK_E_HANDLE))
    plugin.host.video_frame_ref(nil)
    plugin.host.encoded_frame_ref(nil)
    plugin.host.encoded_frame_unref(nil)
  }

  @Test func theOnlyHolderMayWriteAndAnotherGetsACopy() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let frame = try #require(acquire(testFormat(.gray8)).frame)
    var out: UnsafeMutablePointer<msdk_video_frame>?
    #expect(plugin.host.video_frame_make_writable(plugin.context, frame, &out) == 0)
    #expect(out == frame)
    frame.pointee.plane.0.data[0] = 9
    frame.pointee.timestamp_ns = 5
    plugin.host.video_frame_ref(frame)
    #expect(plugin.host.video_frame_make_writable(plugin.context, frame, &out) == 0)
    let copy = try #require(out)
    #expect(copy != frame)
    #expect(copy.pointee.plane.0.data[0] == 9)
    #expect(copy.pointee.timestamp_ns == 5)
    #expect(VideoFrame.references(foreign: frame) == 1)
    plugin.host.video_frame_unref(frame)
    plugin.host.video_frame_unref(copy)
  }

  @Test func deliveryTakesTheReferenceWhateverComesOfIt() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let taken = Monitor<[Int64]>([])
    func deliver(timestamp: Int64 = 0) throws -> msdk_result {
      let witness = try WitnessedFrame(testFormat())
      witness.frame.native.pointee.timestamp_ns = timestamp
      witness.frame.native.pointee.flags |= UInt32(MSDK_FRAME_WRITABLE)
      let result = plugin.host.consume_video_frame(plugin.context, witness.frame.native)
      #expect(witness.isReleased)
      return result
    }
    #expect(try deliver() == msdk_result(MSDK_E_CLOSED))
    try instance.initialiseProducer()
    try instance.startProducer { frame in
      taken.withLock { $0.append(frame.native.pointee.timestamp_ns) }
      return frame.isWritable ? .fail : nil
    }
    #expect(try deliver() == msdk_result(MSDK_OK))
    #expect(try deliver(timestamp: 77) == msdk_result(MSDK_OK))
    #expect(taken.withLock { $0 } == [4321, 77])
    try instance.stopProducer()
    #expect(try deliver() == msdk_result(MSDK_E_CLOSED))
    try instance.startProducer { _ in .again }
    #expect(try deliver() == msdk_result(MSDK_E_AGAIN))
    #expect(plugin.host.consume_video_frame(plugin.context, nil) == msdk_result(MSDK_E_HANDLE))
    let garbage = FakeModule.keep([msdk_video_frame()])
    #expect(plugin.host.consume_video_frame(plugin.context, garbage) == msdk_result(MSDK_E_HANDLE))
  }

  @Test func theSinkIsThereWhenTheFirstFrameComesDuringStart() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let taken = Monitor(0)
    plugin.on("start_capture") { fake in
      var format = testFormat().foreign
      var out: UnsafeMutablePointer<msdk_video_frame>?
      _ = fake.host.video_frame_acquire(fake.context, &format, 0, &out)
      return Int(fake.host.consume_video_frame(fake.context, out))
    }
    try instance.initialiseProducer()
    try instance.startProducer { _ in
      taken.withLock { $0 += 1 }
      return nil
    }
    #expect(taken.withLock { $0 } == 1)
  }
}
