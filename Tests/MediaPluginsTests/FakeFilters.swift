import CMediaSDK

@testable import MediaCore

/// The tables of filters. They give what they were given, unless the hook "give" puts another frame in its place.
extension FakePlugin {
  static func videoFilter() -> msdk_video_filter {
    var table = msdk_video_filter()
    table.struct_size = UInt32(MemoryLayout<msdk_video_filter>.size)
    table.init_filter = { FakePlugin.of($0)?.call("init_filter") ?? -1 }
    table.release_filter = { FakePlugin.of($0)?.call("release_filter") ?? -1 }
    table.flush = { FakePlugin.of($0)?.call("flush") ?? -1 }
    table.set_format = { plugin, format, _ in
      guard let fake = FakePlugin.of(plugin), let format = format?.pointee else { return -1 }
      let result = fake.call("set_format \(PixelFormat(rawValue: format.pixel_format)?.name ?? "?")")
      guard result >= 0 else { return result }
      return fake.state.withLock { $0.accepted?.contains(format.pixel_format) ?? true } ? 0 : msdk_result(MSDK_E_FORMAT)
    }
    table.filter_video_frame = { plugin, frame, out in
      guard let fake = FakePlugin.of(plugin), let frame else { return -1 }
      let input = VideoFrame(native: frame)
      fake.frame.withLock { $0 = input }
      fake.produced.withLock { $0 = input }
      let result = fake.call(input.isWritable ? "filter writable" : "filter")
      let given = fake.produced.withLock { $0 }
      out?.pointee = result >= 0 ? given?.native : nil
      if result < 0 || given != input { input.release() }
      return result
    }
    return table
  }

  static func audioFilter() -> msdk_audio_filter {
    var table = msdk_audio_filter()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_filter>.size)
    table.init_filter = { FakePlugin.of($0)?.call("audio init_filter") ?? -1 }
    table.release_filter = { FakePlugin.of($0)?.call("audio release_filter") ?? -1 }
    table.flush = { FakePlugin.of($0)?.call("audio flush") ?? -1 }
    table.set_format = { plugin, format in
      guard let fake = FakePlugin.of(plugin), let format = format?.pointee else { return -1 }
      return fake.call("audio set_format \(SampleFormat(rawValue: format.sample_format) == .s16 ? "s16" : "f32")")
    }
    table.filter_audio_frame = { plugin, frame, out in
      guard let fake = FakePlugin.of(plugin), let frame else { return -1 }
      let input = AudioFrame(native: frame)
      fake.audioFrame.withLock { $0 = input }
      let result = fake.call(input.isWritable ? "audio filter writable" : "audio filter")
      out?.pointee = result >= 0 ? frame : nil
      if result < 0 { input.release() }
      return result
    }
    return table
  }
}
