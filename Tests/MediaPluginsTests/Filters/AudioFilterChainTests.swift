import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct AudioFilterChainTests {
  private let plugin = FakePlugin()
  private let chain = AudioFilterChain()

  private func add() throws -> PluginInstance {
    let instance = try FakeModule(kinds: MSDK_KIND_AUDIO_FILTER).instance(plugin)
    try chain.add(instance, to: "a test", events: nil)
    return instance
  }

  private func run(_ sampleFormat: SampleFormat, isOwned: Bool, _ check: (AudioFrame, AudioFrame?) -> Void) throws {
    let frame = try AudioFrame.make(AudioFormat(sampleFormat, sampleRate: 48_000, channels: 2), sampleCount: 480)
    let outcome = chain.run(frame, isOwned: isOwned)
    check(frame, outcome.frame)
    if let result = outcome.frame {
      #expect(result.references == (result == frame ? 2 : 1))
      result.release()
    }
    #expect(frame.references == 1)
    frame.release()
  }

  @Test func statesFollow() throws {
    let instance = try add()
    #expect(instance.audioFilterPhase == .ready)
    try run(.s16, isOwned: true) { #expect($1 == $0) }
    #expect(instance.audioFilterPhase == .started)
    chain.removeAll()
    #expect(instance.audioFilterPhase == .created)
    instance.destroy()
    #expect(
      plugin.calls == [
        "create", "audio init_filter", "audio set_format s16", "audio filter writable", "audio flush", "audio release_filter", "destroy"
      ])
  }

  @Test func theOtherSampleFormatIsOffered() throws {
    let instance = try add()
    defer { instance.destroy() }
    plugin.on("audio set_format s16") { _ in MSDK_E_FORMAT }
    try run(.s16, isOwned: false) { frame, result in
      #expect(result != frame)
      #expect(result?.format.sampleFormat == .s16)
    }
    #expect(plugin.calls.suffix(3) == ["audio set_format s16", "audio set_format f32", "audio filter writable"])
  }

  @Test func whatFailsPassesAsItWas() throws {
    let instance = try add()
    defer { instance.destroy() }
    plugin.on("audio filter writable") { plugin in
      plugin.audioFrame.withLock { $0?.f32[0] = 0.5 }
      return MSDK_E_IO
    }
    try run(.f32, isOwned: true) { _, result in #expect(result?.f32[0] == 0) }
    #expect(chain.isEmpty)
  }
}
