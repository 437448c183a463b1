import MediaCore
import MediaPlugins
import MediaSDK
import MediaTransport

/// The first stream of pictures and the first of sound that come, with their renderers.
struct Received {
  enum Source {
    case theOtherEnd
    /// Of a room, by user id or display name; nil: who is the first.
    case member(String?)
  }

  let chains: [RendererChain]
  let speakers: [PluginInstance]
  private let recording: Recording?
  /// Pictures that are enough.
  let limit: UInt64?
  private(set) var failures: [String] = []
  private var video: IncomingVideo?
  private var reception: Reception?
  private var audio: IncomingAudio?
  private var isLeft = false
  private var whose: Source
  /// Display names, by user id.
  private var names: [String: String] = [:]
  private let figures: CallFigures
  private let preference: VideoPreference

  /// After the last picture that is wanted another one need not come.
  private static let patience: Int64 = 1_000_000_000

  init(
    chains: [RendererChain], speakers: [PluginInstance], recording: Recording?, limit: UInt64?, whose: Source,
    preferring preference: VideoPreference = .any,
    figures: CallFigures
  ) {
    self.recording = recording
    (self.chains, self.speakers, self.limit, self.whose, self.figures) = (chains, speakers, limit, whose, figures)
    self.preference = preference
  }

  /// Whether something is of the end, or of the member, whose streams are taken; the first in a room that is meant is from now on.
  private mutating func takes(from userID: String) -> Bool {
    guard case .member(let member) = whose else { return true }
    // Where the server makes the user ids a program knows names only.
    guard member == nil || member == userID || !hasBegun && member == names[userID] else { return false }
    whose = .member(userID)
    return true
  }

  private func isGone(_ userID: String) -> Bool {
    guard case .member(let member) = whose else { return true }
    return member == userID && hasBegun
  }

  var hasBegun: Bool { video != nil || audio != nil }

  var isOver: Bool {
    if isLeft || !failures.isEmpty { return true }
    guard let limit, let counts = reception?.counts else { return false }
    return counts.isComplete || counts.frames >= limit && MediaTime.monotonic() - counts.last > Received.patience
  }

  mutating func take(_ events: [SessionEvent]) throws(MediaError) {
    for event in events {
      switch event {
      case .incomingVideoAdded(let stream) where video == nil && takes(from: stream.userID):
        video = stream
        figures.add(.incomingVideo(stream))
        if preference != .any { try stream.setPreference(preference) }
        let reception = try Reception(stream, feeding: chains, recorder: recording?.videoRenderer, limit: limit)
        try reception.start()
        self.reception = reception
      case .incomingAudioAdded(let stream) where audio == nil && takes(from: stream.userID):
        for speaker in speakers { try stream.attachRenderer(speaker) }
        if let recording { try stream.attachRenderer(recording.instance) }
        try stream.start()
        audio = stream
        figures.add(.incomingAudio(stream))
      case .participantJoined(let member): names[member.userID] = member.displayName
      case .participantLeft(let userID): if isGone(userID) { isLeft = true }
      default: if case .failed(let text)? = Call.happening(event, nil) { failures.append(text) }
      }
    }
  }

  /// With the session left: all that came is rendered, and what was written is complete.
  mutating func finish() throws(MediaError) {
    try reception?.waitForTheLast()
    failures += chains.flatMap { $0.release() }.map(\.text) + (recording?.finish() ?? [])
    for speaker in speakers {
      do throws(MediaError) {
        try speaker.release()
      } catch {
        failures.append(error.text)
      }
    }
  }

  var progress: (bytes: UInt64, words: String) {
    let (pictures, sound) = (video?.stats, audio?.stats.counters)
    let words = [
      pictures.map { "\($0.counters.received) frames, \($0.framesPerSecond.text(digits: 1)) frames/s" },
      sound.map { "\($0.received) audio packets" }
    ]
    return (
      (pictures?.counters.bytesReceived ?? 0) + (sound?.bytesReceived ?? 0), "received " + words.compactMap { $0 }.joined(separator: ", ")
    )
  }

  func addFigures(to figures: inout Figures) {
    if let video, let reception {
      let counters = video.stats.counters
      figures.add("from", video.userID)
      figures.add("size", "\(counters.width)x\(counters.height)")
      figures.add("frames received", counters.received)
      figures.add("frames lost", counters.lost)
      figures.add("frames decoded", counters.decoded)
      figures.add("key frames decoded", counters.keyDecoded)
      figures.add("key frames requested", counters.keyFramesRequested)
      figures.add("frames skipped", counters.skipped)
      figures.add("frames corrupt", counters.corrupt)
      figures.add("freezes", counters.freezes)
      figures.add("late for renderers", counters.dropped)
      figures.add("frames delivered", reception.counts.frames)
      figures.add("mean rate", reception.counts.framesPerSecond, digits: 2, "frames/s")
      figures.add("bytes received", counters.bytesReceived)
    }
    guard let audio else { return }
    let counters = audio.stats.counters
    if video == nil { figures.add("from", audio.userID) }
    figures.add("audio packets received", counters.received)
    figures.add("audio packets lost", counters.lost)
    figures.add("audio packets corrupt", counters.corrupt)
    figures.add("audio samples", counters.samples)
    figures.add("audio samples concealed", counters.concealed)
    figures.add("audio bytes received", counters.bytesReceived)
  }
}
