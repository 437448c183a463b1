import MediaCore
import MediaPlugins
import MediaSDK

/// The file of --record, which the SDK's recorder writes: of what is received it is one more renderer; what is sent is read back from the
/// streams, as it was encoded for the network. Used by the command's own thread.
final class Recording {
  private static let classID = "org.mediasdk.renderer.recorder"
  private static let tappedFrames = 1024
  private static let tappedMilliseconds: UInt32 = 60_000

  let instance: PluginInstance
  private let path: String
  private var video: OutgoingVideo?
  private var audio: OutgoingAudio?
  private var failure: MediaError?

  init(_ path: String, _ files: ParameterFiles, _ places: PluginPlaces, in engine: Engine) throws(MediaError) {
    guard engine.plugins.classes.contains(where: { $0.id == Recording.classID }) else { throw Recording.missing(places) }
    instance = try engine.makeInstance(Recording.classID)
    self.path = path
    try files.apply(to: instance)
    try instance.setParameter("path", text: path)
  }

  private static func missing(_ places: PluginPlaces) -> MediaError {
    let refusal = places.refused.first { $0.path.hasSuffix("/recorder.so") }
    let reason = refusal.map { ": \($0.error.text)" } ?? ""
    return MediaError(.notFound, "--record needs the class \(classID), which is not here\(reason); msdk doctor shows which plugins are")
  }

  /// For audio only.
  private var isOfAudio: Bool { [".opus", ".ogg"].contains { path.lowercased().hasSuffix($0) } }

  // MARK: What is received

  /// What it records of received video; nil: nothing.
  var videoRenderer: PluginInstance? { isOfAudio ? nil : instance }

  /// The file is opened, and waits for both for a while, as both may come: the second may be announced when the first has arrived already.
  func begin() throws(MediaError) {
    if !isOfAudio { try instance.initialiseRenderer() }
    try instance.initialiseAudioRenderer()
  }

  // MARK: What is sent

  func begin(_ video: OutgoingVideo?, _ audio: OutgoingAudio?) throws(MediaError) {
    if let video {
      try instance.initialiseRenderer()
      var options = VideoTapOptions()
      options.output = .encoded
      options.encodedQueueCapacity = Recording.tappedFrames
      try video.startTap(options)
    }
    if let audio {
      try instance.initialiseAudioRenderer()
      var options = AudioTapOptions()
      options.output = .encoded
      options.queueMilliseconds = Recording.tappedMilliseconds
      try audio.startTap(options)
    }
    (self.video, self.audio) = (video, audio)
  }

  var hasFailed: Bool { failure != nil }

  /// Writes what was encoded since. After a failure nothing is written any more.
  func follow() {
    do throws(MediaError) {
      while failure == nil, let frame = try? video?.readEncoded(deadline: 0) {
        defer { frame.release() }
        try instance.render(frame, from: nil)
      }
      while failure == nil, let packet = try? audio?.readEncoded(deadline: 0) {
        defer { packet.release() }
        try instance.render(packet: packet, from: nil)
      }
    } catch {
      failure = error
    }
  }

  // MARK: The end

  /// Completes the file. Gives what failed.
  func finish() -> [String] {
    follow()
    video?.stopTap()
    audio?.stopTap()
    let dropped = (video?.stats.tapDropped ?? 0) + (audio?.stats.tapDropped ?? 0)
    if dropped > 0 {
      Terminal.complain("warning: \(dropped) frames and audio packets are missing in \(path): it could not be written as fast")
    }
    do throws(MediaError) {
      try instance.release()
    } catch {
      failure = failure ?? error
    }
    return failure.map { [$0.text] } ?? []
  }

  func addFigures(to figures: inout Figures) {
    figures.add("recorded", path)
  }
}
