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
      )
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

  /// A filter that draws in the corner: what it drew is in the corner of what is seen, and the frame lies as it did.
  @Test(arguments: [PixelFormat.i420, .nv12], UInt32(1)..<8) func filtersSeeItUpright(_ format: PixelFormat, _ orientation: UInt32) throws {
    for keepsFormat in [true, false] {
      let (plugin, chain) = (FakePlugin(), VideoFilterChain(keepsFormat: keepsFormat))
      let instance = try FakeModule(kinds: MSDK_KIND_VIDEO_FILTER).instance(plugin)
      defer { instance.destroy() }
      try chain.add(instance, to: "a test") { _ in }
      let seen = Monitor<[UInt32]>([])
      plugin.on("filter writable") { fake in
        guard let frame = fake.frame.withLock({ $0 }) else { return MSDK_E_FAIL }
        seen.withLock { $0 = [frame.format.width, frame.format.height, frame.native.pointee.orientation] }
        let luma = frame.plane(0)
        for row in 0..<8 { luma.data.advanced(by: row * Int(luma.stride)).update(repeating: 200, count: 8) }
        return MSDK_OK
      }
      let frame = try VideoFrame.make(VideoFormat(format, width: 64, height: 32, frameRate: FrameRate(30)))
      defer { frame.release() }
      let luma = frame.plane(0)
      luma.data.update(repeating: 50, count: Int(luma.stride) * 31 + 64)
      frame.native.pointee.orientation = orientation
      frame.setWritable(false)
      let outcome = chain.run(frame, isOwned: true)
      let result = try #require(outcome.frame)
      defer { result.release() }
      let isTurned = orientation & 1 != 0
      #expect(seen.withLock { $0 } == (isTurned ? [32, 64, 0] : [64, 32, 0]))
      #expect(result.native.pointee.orientation == (keepsFormat ? orientation : 0))
      #expect(!keepsFormat || result.fits(frame.format))
      // Where the corner of what is seen lies: mirrored first, then turned clockwise.
      let right = [false, false, true, true, true, true, false, false][Int(orientation)]
      let below = [false, true, true, false, false, true, true, false][Int(orientation)]
      let drawn = result.plane(0)
      let at = keepsFormat ? (below ? 28 : 4) * Int(drawn.stride) + (right ? 60 : 4) : 4 * Int(drawn.stride) + 4
      #expect(drawn.data[at] == 200, "\(orientation)")
      // And in no other.
      var corners = 0
      for row in [4, Int(result.format.height) - 4] {
        for column in [4, Int(result.format.width) - 4] { corners += drawn.data[row * Int(drawn.stride) + column] == 200 ? 1 : 0 }
      }
      #expect(corners == 1)
    }
  }
}
