import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct KindTablesTests {
  private static let all =
    MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER

  private func error(_ change: (FakeModule) -> Void) -> MediaError? {
    let module = FakeModule(kinds: Self.all)
    change(module)
    return failure { _ = try module.load() }
  }

  @Test func onlyTheTablesOfItsKindsAreRead() throws {
    let all = try FakeModule(kinds: Self.all).descriptor()
    #expect(all.producer != nil && all.renderer != nil && all.audioProducer != nil && all.audioRenderer != nil)
    let sound = try FakeModule(kinds: MSDK_KIND_AUDIO_RENDERER).descriptor()
    #expect(sound.audioRenderer != nil)
    #expect(sound.producer == nil && sound.renderer == nil && sound.audioProducer == nil)
  }

  @Test(arguments: [
    (MSDK_KIND_VIDEO_PRODUCER, "video_producer"), (MSDK_KIND_AUDIO_PRODUCER, "audio_producer"),
    (MSDK_KIND_VIDEO_RENDERER, "video_renderer"), (MSDK_KIND_AUDIO_RENDERER, "audio_renderer")
  ])
  func aTableThatIsMissingIsNamed(kind: Int, name: String) {
    let error = error { $0.omitted = kind }
    #expect(error?.status == .abi)
    #expect(error?.text.contains("\(name) is NULL") == true)
  }

  @Test func whatIsUnknownIsRefused() {
    #expect(error { $0.audioProducer.flags |= 8 }?.text.contains("audio_producer.flags is 9") == true)
    #expect(error { $0.audioRenderer.flags = 1 }?.text.contains("audio_renderer.flags is 1; accepted: 0") == true)
  }

  @Test func everyFunctionThatIsNeededMustBeThere() {
    let changes: [(FakeModule) -> Void] = [
      { $0.audioProducer.init_capture = nil }, { $0.audioProducer.release_capture = nil }, { $0.audioProducer.start_capture = nil },
      { $0.audioProducer.stop_capture = nil }, { $0.audioProducer.set_format = nil }, { $0.audioProducer.produce_frame = nil },
      { $0.audioRenderer.init_render = nil }, { $0.audioRenderer.release_render = nil },
      { $0.audioRenderer.accepts_codec = { _, _ in 1 } }, { $0.audioRenderer.render_encoded_frame = { _, _ in 0 } }
    ]
    for (index, change) in changes.enumerated() {
      #expect(error(change)?.status == .abi, "\(index)")
      #expect(error(change)?.text.contains("test.fake.audio_") == true, "\(index)")
    }
  }

  @Test func whatIsOptionalMayBeMissing() {
    let changes: [(FakeModule) -> Void] = [
      { $0.audioProducer.capture_settings = nil },
      {
        $0.audioProducer.flags = 0
        $0.audioProducer.produce_frame = nil
      },
      { $0.audioRenderer.start_render = nil }, { $0.audioRenderer.stop_render = nil }, { $0.audioRenderer.render_settings = nil },
      { $0.audioRenderer.render_audio_frame = nil }, { $0.audioRenderer = FakePlugin.packetRenderer() }
    ]
    for (index, change) in changes.enumerated() { #expect(error(change) == nil, "\(index)") }
  }

  @Test func aTableThatIsTooShortIsRefused() {
    #expect(error { $0.audioProducer.struct_size -= 1 }?.status == .abi)
    #expect(error { $0.audioRenderer.struct_size = 71 }?.status == .abi)
    #expect(error { $0.audioRenderer.struct_size += 8 } == nil)
  }

  @Test func aRendererOfSeveralStreamsHasAllThreeFunctions() throws {
    let changes: [(FakeModule) -> Void] = [
      { $0.renderer.update_input = nil }, { $0.renderer.remove_input = nil }, { $0.renderer.render_input_frame = nil },
      {
        $0.renderer.update_input = nil
        $0.renderer.remove_input = nil
      }
    ]
    for (index, change) in changes.enumerated() {
      let error = error {
        $0.renderer = FakePlugin.callRenderer()
        change($0)
      }
      #expect(error?.status == .abi, "\(index)")
      #expect(error?.text.contains("video_renderer has only some of update_input") == true, "\(index)")
    }
    #expect(error { $0.renderer = FakePlugin.callRenderer() } == nil)
  }
}
