import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct FilterTablesTests {
  private static let both = MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER

  private func error(_ change: (FakeModule) -> Void) -> MediaError? {
    let module = FakeModule(kinds: Self.both)
    change(module)
    return failure { _ = try module.load() }
  }

  @Test func tablesAreReadOfFiltersOnly() throws {
    let both = try FakeModule(kinds: Self.both).descriptor()
    #expect(both.videoFilter != nil && both.audioFilter != nil)
    let other = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).descriptor()
    #expect(other.videoFilter == nil && other.audioFilter == nil)
    #expect(error { $0.omitted = MSDK_KIND_VIDEO_FILTER }?.text.contains("video_filter is NULL") == true)
    #expect(error { $0.omitted = MSDK_KIND_AUDIO_FILTER }?.text.contains("audio_filter is NULL") == true)
  }

  @Test func eachFunctionThatIsMissingIsNamed() {
    let changes: [(String, (FakeModule) -> Void)] = [
      ("video_filter lacks init_filter", { $0.videoFilter.init_filter = nil }),
      ("video_filter lacks release_filter", { $0.videoFilter.release_filter = nil }),
      ("video_filter lacks filter_video_frame", { $0.videoFilter.filter_video_frame = nil }),
      ("audio_filter lacks init_filter", { $0.audioFilter.init_filter = nil }),
      ("audio_filter lacks release_filter", { $0.audioFilter.release_filter = nil }),
      (
        "audio_filter lacks set_format, filter_audio_frame",
        {
          $0.audioFilter.set_format = nil
          $0.audioFilter.filter_audio_frame = nil
        }
      ),
      ("video_filter.flags is 1; accepted: 0", { $0.videoFilter.flags = 1 }),
      ("audio_filter.flags is 2; accepted: 0", { $0.audioFilter.flags = 2 })
    ]
    for (words, change) in changes {
      #expect(error(change)?.status == .abi)
      #expect(error(change)?.text.contains(words) == true, "\(words)")
    }
    #expect(error { $0.videoFilter.set_format = nil } == nil)
    #expect(
      error {
        $0.videoFilter.flush = nil
        $0.audioFilter.flush = nil
        $0.audioFilter.delay_ns = nil
      } == nil)
  }
}
