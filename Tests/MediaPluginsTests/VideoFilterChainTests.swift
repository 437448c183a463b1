import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct VideoFilterChainTests {
  private let plugin = FakePlugin()
  private let chain = VideoFilterChain(keepsFormat: true)
  private let events = Monitor<[PluginEvent]>([])

  private func add() throws -> PluginInstance {
    let instance = try FakeModule(kinds: MSDK_KIND_VIDEO_FILTER).instance(plugin)
    let events = self.events
    try chain.add(instance, to: "a test") { event in events.withLock { $0.append(event) } }
    return instance
  }

  /// Runs a frame that nobody else holds, or that somebody does; nil for one that was left out.
  private func run(_ format: VideoFormat = testFormat(), isOwned: Bool = true, _ check: (VideoFrame, VideoFrame?) -> Void) throws {
    let frame = try VideoFrame.make(format)
    frame.native.pointee.sequence = 7
    frame.setWritable(false)
    let outcome = chain.run(frame, isOwned: isOwned)
    check(frame, outcome.frame)
    #expect(outcome.frame?.isWritable != true)
    if let result = outcome.frame {
      #expect(result.references == (result == frame ? 2 : 1))
      result.release()
    }
    #expect(frame.references == 1)
    frame.release()
  }

  @Test func statesFollow() throws {
    #expect(chain.isEmpty)
    let instance = try add()
    #expect(!chain.isEmpty)
    #expect(instance.filterPhase == .ready)
    try run { $1.map { #expect($0.fits(testFormat())) } }
    #expect(instance.filterPhase == .started)
    #expect(try instance.phase(of: UInt32(MSDK_KIND_VIDEO_FILTER)) == .started)
    try chain.remove(instance)
    #expect(chain.isEmpty)
    #expect(instance.filterPhase == .started)
    #expect(failure { try chain.remove(instance) }?.status == .notFound)
    instance.destroy()
    #expect(plugin.calls == ["create", "init_filter", "set_format I420", "filter writable", "flush", "release_filter", "destroy"])
  }

  @Test func onlyWhatIsTheStreamsAloneIsWritable() throws {
    let instance = try add()
    defer { instance.destroy() }
    try run(isOwned: false) { #expect($1 == $0) }
    let frame = try VideoFrame.make(testFormat())
    frame.setWritable(false)
    frame.retain()
    chain.run(frame, isOwned: true).frame?.release()
    frame.release()
    let view = try frame.view()
    chain.run(view, isOwned: true).frame?.release()
    view.release()
    frame.release()
    #expect(plugin.calls.filter { $0.hasPrefix("filter") } == ["filter", "filter", "filter"])
  }

  @Test func anotherPixelFormatIsConvertedThereAndBack() throws {
    let instance = try add()
    defer { instance.destroy() }
    plugin.state.withLock { $0.accepted = [PixelFormat.bgra.rawValue] }
    try run { frame, result in
      #expect(result.map { $0 != frame && $0.fits(testFormat()) && $0.native.pointee.sequence == 7 } == true)
    }
    #expect(plugin.calls.filter { $0.hasPrefix("set") } == ["set_format I420", "set_format NV12", "set_format BGRA"])
    #expect(plugin.calls.last == "filter writable")
  }

  @Test func failuresTakeItOutAndTheFramePasses() throws {
    let failures: [(FakePlugin.Hook, Status)] = [
      ({ _ in MSDK_E_DEVICE_LOST }, .deviceLost),
      (
        { plugin in
          plugin.produced.withLock { $0 = nil }
          return 0
        }, .invalid
      ),
      (
        { plugin in
          plugin.produced.withLock { $0 = try? VideoFrame.make(VideoFormat(.i420, width: 2, height: 2)) }
          return 0
        }, .format
      ),
    ]
    for (hook, status) in failures {
      plugin.on("filter writable", hook)
      let instance = try add()
      try run { #expect($1 == $0) }
      #expect(chain.isEmpty)
      #expect(events.withLock { $0.last?.status } == status)
      #expect(events.withLock { $0.last?.event } == UInt32(MSDK_PLUGIN_EVENT_ERROR))
      instance.destroy()
    }
    #expect(events.withLock { $0.count } == failures.count)
  }

  @Test func whatIsLeftOutIsNoFailure() throws {
    let instance = try add()
    defer { instance.destroy() }
    plugin.on("filter writable") { _ in MSDK_E_AGAIN }
    try run { #expect($1 == nil) }
    #expect(!chain.isEmpty)
    #expect(events.withLock { $0.isEmpty })
  }

  @Test func gapsAreTold() throws {
    let instance = try add()
    defer { instance.destroy() }
    chain.noteGap()
    try run { _, _ in }
    #expect(plugin.count("flush") == 0)
    chain.noteGap()
    try run { _, _ in }
    try run { _, _ in }
    #expect(plugin.count("flush") == 1)
  }
}
