import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins

/// One kind of an instance, which is driven as a stream drives it.
final class DrivenKind {
  enum Kind: CaseIterable {
    case videoProducer
    case audioProducer
    case videoRenderer
    case audioRenderer
    case videoFilter
    case audioFilter

    var bit: UInt32 {
      switch self {
      case .videoProducer: UInt32(MSDK_KIND_VIDEO_PRODUCER)
      case .audioProducer: UInt32(MSDK_KIND_AUDIO_PRODUCER)
      case .videoRenderer: UInt32(MSDK_KIND_VIDEO_RENDERER)
      case .audioRenderer: UInt32(MSDK_KIND_AUDIO_RENDERER)
      case .videoFilter: UInt32(MSDK_KIND_VIDEO_FILTER)
      case .audioFilter: UInt32(MSDK_KIND_AUDIO_FILTER)
      }
    }

    var name: String {
      switch self {
      case .videoProducer: "video producer"
      case .audioProducer: "audio producer"
      case .videoRenderer: "video renderer"
      case .audioRenderer: "audio renderer"
      case .videoFilter: "video filter"
      case .audioFilter: "audio filter"
      }
    }

    /// Those that can be driven by themselves: what passes on what it renders makes nothing before it got something.
    static func all(of kinds: UInt32) -> [Kind] {
      let rendersVideo = kinds & Kind.videoRenderer.bit != 0
      let rendersAudio = kinds & Kind.audioRenderer.bit != 0
      return allCases.filter { kind in
        guard kinds & kind.bit != 0 else { return false }
        return !(kind == .videoProducer && rendersVideo) && !(kind == .audioProducer && rendersAudio)
      }
    }
  }

  let kind: Kind
  private let instance: PluginInstance
  /// Of a producer with a thread of its own.
  private let pushed = Monitor(0)
  private var position: Int64 = 0
  private let videoFilters = VideoFilterChain(keepsFormat: true)
  private let audioFilters = AudioFilterChain()

  init(_ kind: Kind, of instance: PluginInstance) {
    self.kind = kind
    self.instance = instance
  }

  /// Whether it takes or gives frames when it is called, so that it can be counted on.
  private var isPaced: Bool {
    switch kind {
    case .videoProducer: instance.isPull
    case .audioProducer: instance.isAudioPull
    case .videoRenderer, .videoFilter, .audioFilter: true
    case .audioRenderer: instance.descriptor.audioRenderer?.render_audio_frame != nil
    }
  }

  func start() throws(MediaError) {
    let pushed = pushed
    switch kind {
    case .videoProducer:
      try instance.initialiseProducer()
      var own: VideoFormat? = (try? instance.captureSettings()) ?? nil
      if own == nil { own = try instance.producerFormat(at: 0) }
      if var format = own {
        if !format.frameRate.isKnown { format.frameRate = FrameRate(30) }
        try instance.setProducerFormat(format)
      }
      try instance.startProducer { _ in
        pushed.withLock { $0 += 1 }
        return nil
      }
    case .audioProducer:
      try instance.initialiseAudioProducer()
      _ = try instance.setAudioFormat(DrivenKind.sound)
      try instance.startAudioProducer { _ in
        pushed.withLock { $0 += 1 }
        return nil
      }
    case .videoRenderer: try instance.initialiseRenderer()
    case .audioRenderer: try instance.startAudioRenderer(arriving: DrivenKind.sound)
    case .videoFilter: try videoFilters.add(instance, to: "the check", events: nil)
    case .audioFilter: try audioFilters.add(instance, to: "the check", events: nil)
    }
  }

  func stop() throws(MediaError) {
    videoFilters.removeAll()
    audioFilters.removeAll()
    try instance.release()
  }

  private static let sound = AudioFormat(.s16, sampleRate: 48_000, channels: 2)

  /// Until so many frames have passed, it has no more, or the time is over. Gives how many did.
  func pass(_ count: Int, until deadline: Int64) throws(MediaError) -> Int {
    let before = pushed.withLock { $0 }
    var moved = 0
    while moved < count, MediaTime.monotonic() < deadline {
      guard isPaced else {
        moved = pushed.withLock { $0 } - before
        usleep(2_000)
        continue
      }
      switch try step() {
      case .moved: moved += 1
      case .nothingYet: usleep(2_000)
      case .ended: return moved
      }
    }
    return moved
  }

  private enum Step {
    case moved
    case nothingYet
    case ended
  }

  private func step() throws(MediaError) -> Step {
    switch kind {
    case .videoProducer:
      switch try instance.pull(due: MediaTime.monotonic()) {
      case .frame(let frame): frame.release()
      case .packet(let frame): frame.release()
      case .nothingYet: return .nothingYet
      case .ended: return .ended
      }
    case .audioProducer:
      switch try instance.pullAudio(due: MediaTime.monotonic()) {
      case .frame(let frame): frame.release()
      case .nothingYet: return .nothingYet
      case .ended: return .ended
      }
    case .videoRenderer:
      let frame = try makePicture()
      defer { frame.release() }
      return try isTaken { () throws(MediaError) in try instance.render(frame, from: nil) }
    case .audioRenderer:
      let buffer = try makeSound()
      defer { buffer.release() }
      return try isTaken { () throws(MediaError) in try instance.render(buffer, from: nil) }
    case .videoFilter:
      let frame = try makePicture()
      defer { frame.release() }
      let made = videoFilters.run(frame, isOwned: true).frame
      made?.release()
      // One that failed is taken out.
      return videoFilters.isEmpty ? .ended : made == nil ? .nothingYet : .moved
    case .audioFilter:
      let buffer = try makeSound()
      defer { buffer.release() }
      let made = audioFilters.run(buffer, isOwned: true).frame
      made?.release()
      return audioFilters.isEmpty ? .ended : made == nil ? .nothingYet : .moved
    }
    return .moved
  }

  private func makePicture() throws(MediaError) -> VideoFrame {
    let frame = try VideoFrame.make(VideoFormat(.nv12, width: 96, height: 64, frameRate: FrameRate(30)))
    for index in 0..<2 {
      let plane = frame.plane(index)
      memset(plane.data, Int32(truncatingIfNeeded: 60 + position / 33_333_333 % 100), Int(plane.size))
    }
    position += 33_333_333
    frame.native.pointee.timestamp_ns = position
    return frame
  }

  private func makeSound() throws(MediaError) -> AudioFrame {
    let buffer = try AudioFrame.make(DrivenKind.sound, sampleCount: 480)
    position += 10_000_000
    buffer.native.pointee.timestamp_ns = position
    return buffer
  }

  private func isTaken(_ render: () throws(MediaError) -> Void) throws(MediaError) -> Step {
    do throws(MediaError) {
      try render()
      return .moved
    } catch {
      if error.status == .again { return .nothingYet }
      if error.status == .closed { return .ended }
      throw error
    }
  }
}
