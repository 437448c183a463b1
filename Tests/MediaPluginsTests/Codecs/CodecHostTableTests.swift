import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaPlugins

/// The host's functions for what makes encoded frames, by a push producer of them.
@Suite struct CodecHostTableTests {
  private let plugin = FakePlugin()
  private let taken = Journal<Taken>()

  private struct Taken: Equatable, Sendable {
    var bytes: [UInt8]
    var time: Int64
    var references: UInt32
  }

  private func started(_ answer: Status? = nil) throws -> PluginInstance {
    let module = FakeModule()
    module.producer = FakePlugin.encodedProducer(pull: false)
    let instance = try module.instance(plugin, clock: { 4321 })
    try instance.initialiseProducer()
    try instance.setProducerFormat(testFormat())
    let taken = taken
    try instance.startProducer { _ in
      Issue.record("a raw frame came")
      return nil
    } encodedSink: { frame in
      taken.add(Taken(bytes: Array(frame.bytes), time: frame.native.pointee.timestamp_ns, references: frame.references))
      return answer
    }
    return instance
  }

  private func made(_ data: [UInt8] = FakePlugin.vp8(isKey: true, 1)) throws -> UnsafeMutablePointer<msdk_encoded_frame> {
    var frame: UnsafeMutablePointer<msdk_encoded_frame>?
    #expect(plugin.create(data, &frame) == MSDK_OK)
    return try #require(frame)
  }

  @Test func aFrameThatIsPushedIsTheHosts() throws {
    let instance = try started()
    defer { instance.destroy() }
    #expect(plugin.push(FakePlugin.vp8(isKey: true, 1)) == MSDK_OK)
    #expect(plugin.push(FakePlugin.vp8(isKey: false, 2), timestamp: 77) == MSDK_OK)
    let expected = [
      Taken(bytes: FakePlugin.vp8(isKey: true, 1), time: 4321, references: 1),
      Taken(bytes: FakePlugin.vp8(isKey: false, 2), time: 77, references: 1)
    ]
    #expect(taken.entries == expected)
    // And it is given back: a frame more than the pool has may be pushed.
    for _ in 0..<300 { #expect(plugin.push([1]) == MSDK_OK) }
  }

  /// What the host writes into it must not be seen by a plugin that still reads.
  @Test func oneThatThePluginKeepsIsCopied() throws {
    let instance = try started()
    defer { instance.destroy() }
    let frame = try made()
    plugin.host.encoded_frame_ref(frame)
    #expect(plugin.host.consume_encoded_frame(plugin.context, frame) == MSDK_OK)
    #expect(taken.entries.map(\.references) == [1])
    #expect(frame.pointee.timestamp_ns == 0)
    plugin.host.encoded_frame_unref(frame)
  }

  @Test(arguments: [Status.closed, .corrupt, .format]) func theAnswerIsThePlugins(answer: Status) throws {
    let instance = try started(answer)
    defer { instance.destroy() }
    #expect(plugin.push([1]) == Int(answer.rawValue))
    for _ in 0..<300 { _ = plugin.push([1]) }
    #expect(taken.entries.count == 301, "what is refused is given back, too")
  }

  @Test func whoIsNotStartedIsSentHome() throws {
    let instance = try started()
    try instance.stopProducer()
    #expect(plugin.push([1]) == MSDK_E_CLOSED)
    for _ in 0..<300 { #expect(plugin.push([1]) == MSDK_E_CLOSED) }
    let context = plugin.context
    let frame = try made()
    instance.destroy()
    #expect(plugin.host.consume_encoded_frame(context, frame) == MSDK_E_CLOSED)
    #expect(taken.entries.isEmpty)
  }

  @Test func whatIsNoFrameIsRefused() throws {
    let instance = try started()
    defer { instance.destroy() }
    #expect(plugin.host.consume_encoded_frame(plugin.context, nil) == MSDK_E_HANDLE)
    #expect(plugin.host.consume_encoded_frame(plugin.context, FakeModule.keep([msdk_encoded_frame()])) == MSDK_E_HANDLE)
    let frame = try made()
    frame.pointee.size += 1
    #expect(plugin.host.consume_encoded_frame(plugin.context, frame) == MSDK_E_INVALID)
    #expect(taken.entries.isEmpty)
  }

  @Test func onlyWhatEncodesMakesEncodedFrames() throws {
    let instance = try started()
    defer { instance.destroy() }
    var out: UnsafeMutablePointer<msdk_encoded_frame>?
    #expect(plugin.host.encoded_frame_create(plugin.context, nil, &out) == MSDK_E_INVALID)
    #expect(plugin.create([1], nil) == MSDK_E_INVALID)
    #expect(plugin.create([], &out) == MSDK_E_INVALID)
    // The producer has 256 at a time.
    let held = try (0..<256).map { _ in try made() }
    #expect(plugin.create([1], &out) == MSDK_E_NOMEM)
    for frame in held { plugin.host.encoded_frame_unref(frame) }
    let raw = FakePlugin()
    let other = try FakeModule().instance(raw)
    defer { other.destroy() }
    #expect(raw.create([1], &out) == MSDK_E_UNSUPPORTED)
  }
}
