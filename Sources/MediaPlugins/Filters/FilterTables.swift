import CMediaSDK
import MediaCore

/// The tables of a filter, with the functions that the core relies on; nil for a class that is none.
extension PluginTable {
  static func videoFilter(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_video_filter? {
    guard table.kinds & UInt32(MSDK_KIND_VIDEO_FILTER) != 0 else { return nil }
    let filter = try read(table.video_filter, "\(argument).video_filter")
    try check(filter.flags, "\(argument).video_filter")
    try require(
      [
        ("init_filter", filter.init_filter != nil), ("release_filter", filter.release_filter != nil),
        ("filter_video_frame", filter.filter_video_frame != nil)
      ], "\(argument).video_filter")
    return filter
  }

  static func audioFilter(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_audio_filter? {
    guard table.kinds & UInt32(MSDK_KIND_AUDIO_FILTER) != 0 else { return nil }
    let filter = try read(table.audio_filter, "\(argument).audio_filter")
    try check(filter.flags, "\(argument).audio_filter")
    try require(
      [
        ("init_filter", filter.init_filter != nil), ("release_filter", filter.release_filter != nil),
        ("set_format", filter.set_format != nil), ("filter_audio_frame", filter.filter_audio_frame != nil)
      ], "\(argument).audio_filter")
    return filter
  }

  private static func require(_ functions: [(name: String, isThere: Bool)], _ argument: String) throws(MediaError) {
    let missing = functions.filter { !$0.isThere }.map(\.name)
    guard missing.isEmpty else { throw MediaError(.abi, "\(argument) lacks \(missing.joined(separator: ", "))") }
  }
}
