import CMediaSDK
import Glibc
import MediaCore
import MediaSDK

/// What a command counts in its call, as JSON: what `msdk top` shows meanwhile, and what --json prints at the end, are the same objects.
/// docs/json.md describes them. Used by the command and, where it is looked at, by the thread of its `StatsPublisher`.
final class CallFigures: Sendable {
  enum Stream: Sendable {
    case outgoingVideo(OutgoingVideo, producer: String)
    case outgoingAudio(OutgoingAudio, producer: String)
    case incomingVideo(IncomingVideo)
    case incomingAudio(IncomingAudio)
  }

  private struct State {
    /// Of each session.
    var streams: [[Stream]]
    /// When the first one was there.
    var begin: Int64?
    /// Of sessions that are about to be left, whose transport goes with them.
    var kept: [JSON]?
    var drops = DropReasons()
  }

  let command: String
  private let sessions: [Session]
  private let state: Monitor<State>

  init(_ command: String, _ sessions: [Session]) {
    (self.command, self.sessions) = (command, sessions)
    state = Monitor(State(streams: sessions.map { _ in [] }))
  }

  func add(_ stream: Stream, ofSession index: Int = 0) {
    state.withLock { state in
      state.streams[index].append(stream)
      state.begin = state.begin ?? MediaTime.monotonic()
    }
  }

  /// Why frames were dropped so far.
  func note(_ drops: DropReasons) { state.withLock { $0.drops = drops } }

  /// Before the sessions are left: what their transports have counted.
  func keepStats() {
    let stats = sessions.map(CallFigures.stats)
    state.withLock { $0.kept = stats }
  }

  var json: JSON {
    let now = MediaTime.monotonic()
    let (streams, begin, kept, drops) = state.withLock { ($0.streams, $0.begin, $0.kept, $0.drops) }
    let shown: [JSON] = sessions.indices.map { index in
      let session = sessions[index]
      let figures = streams[index].enumerated().map { CallFigures.json($1, number: $0, at: now, drops) }
      return .object([
        ("url", .text(session.options.url)), ("userId", .text(session.options.userID)), ("streams", .array(figures)),
        ("stats", kept?[index] ?? CallFigures.stats(session))
      ])
    }
    return .object([
      ("pid", .whole(getpid())), ("command", .text(command)), ("duration", begin.map { seconds(now - $0) } ?? .null),
      ("sessions", .array(shown))
    ])
  }

  private static func stats(_ session: Session) -> JSON {
    (try? JSONReader.read(Array(session.statsJSON.utf8), name: "stats")) ?? .array([])
  }

  // MARK: Streams

  private static func json(_ stream: Stream, number: Int, at now: Int64, _ drops: DropReasons) -> JSON {
    let (type, members): (String, [(String, JSON)]) =
      switch stream {
      case .outgoingVideo(let video, let producer): ("outgoing-video", of(video, producer, drops))
      case .outgoingAudio(let audio, let producer): ("outgoing-audio", of(audio, producer))
      case .incomingVideo(let video): ("incoming-video", of(video))
      case .incomingAudio(let audio): ("incoming-audio", of(audio))
      }
    // W3C's timestamps are in milliseconds.
    return .object([("id", .text("\(type)-\(number)")), ("type", .text(type)), ("timestamp", .number(Double(now) / 1e6))] + members)
  }

  private static func of(_ video: OutgoingVideo, _ producer: String, _ drops: DropReasons) -> [(String, JSON)] {
    let stats = video.stats
    let counters = stats.counters
    // The tool's streams have one format, also once they are stopped.
    let format = stats.format ?? video.options.formats.first
    let pixelFormat = video.options.isEncodedInput ? nil : format?.pixelFormat.name
    return [
      ("state", .text("\(stats.state)")), ("producer", .text(producer)), ("codec", codec(stats.codec)),
      ("pixelFormat", pixelFormat.map { .text($0) } ?? .null), ("frameWidth", known(format?.width)),
      ("frameHeight", known(format?.height)), ("framesPerSecond", stats.state == .started ? .number(stats.framesPerSecond) : .null),
      ("framesOffered", .whole(counters.offered)), ("framesSent", .whole(counters.sent + counters.encoded)),
      ("framesEncoded", .whole(counters.encoded)), ("framesReplaced", .whole(counters.replaced)),
      ("framesDropped", .whole(counters.dropped)), ("dropReasons", drops.json), ("framesFailed", .whole(counters.failed)),
      ("keyFramesSent", .whole(counters.keyFrames)), ("keyFrameRequests", .whole(counters.keyFrameRequests)),
      ("bytesSent", .whole(counters.bytesSent)), ("targetBitrate", known(counters.targetBitrate)),
      ("totalEncodeTime", seconds(counters.totalEncodeTime)), ("totalFilterTime", seconds(counters.totalFilterTime)),
      ("receivers", .whole(stats.receivers))
    ]
  }

  private static func of(_ audio: OutgoingAudio, _ producer: String) -> [(String, JSON)] {
    let stats = audio.stats
    let counters = stats.counters
    return [
      ("state", .text("\(stats.state)")), ("producer", .text(producer)), ("codec", codec(audio.options.codec)),
      ("packetsSent", .whole(counters.packets)), ("bytesSent", .whole(counters.bytesSent)), ("targetBitrate", known(stats.bitrate)),
      ("totalEncodeTime", seconds(counters.totalEncodeTime)), ("totalFilterTime", seconds(counters.totalFilterTime)),
      ("receivers", .whole(stats.receivers))
    ]
  }

  private static func of(_ video: IncomingVideo) -> [(String, JSON)] {
    let stats = video.stats
    let counters = stats.counters
    return [
      ("state", .text("\(stats.state)")), ("userId", .text(video.userID)), ("codec", codec(video.description.codec)),
      ("frameWidth", known(counters.width)), ("frameHeight", known(counters.height)),
      ("framesPerSecond", stats.state == .started ? .number(stats.framesPerSecond) : .null), ("framesReceived", .whole(counters.received)),
      ("framesLost", .whole(counters.lost)), ("framesDecoded", .whole(counters.decoded)),
      ("keyFramesDecoded", .whole(counters.keyDecoded)), ("keyFramesRequested", .whole(counters.keyFramesRequested)),
      ("framesSkipped", .whole(counters.skipped)), ("framesCorrupt", .whole(counters.corrupt)), ("framesDropped", .whole(counters.dropped)),
      ("framesDelivered", .whole(counters.delivered)), ("framesRendered", .whole(counters.rendered)),
      ("freezeCount", .whole(counters.freezes)), ("bytesReceived", .whole(counters.bytesReceived)),
      ("totalDecodeTime", seconds(counters.totalDecodeTime)),
      ("totalFilterTime", seconds(counters.totalFilterTime))
    ]
  }

  private static func of(_ audio: IncomingAudio) -> [(String, JSON)] {
    let stats = audio.stats
    let counters = stats.counters
    return [
      ("state", .text("\(stats.state)")), ("userId", .text(audio.userID)), ("codec", codec(audio.codec)),
      ("packetsReceived", .whole(counters.received)), ("packetsLost", .whole(counters.lost)),
      ("packetsRecovered", .whole(counters.recovered)), ("packetsCorrupt", .whole(counters.corrupt)),
      ("totalSamplesReceived", .whole(counters.samples)),
      ("concealedSamples", .whole(counters.concealed)), ("bytesReceived", .whole(counters.bytesReceived)),
      ("totalDecodeTime", seconds(counters.totalDecodeTime)), ("totalFilterTime", seconds(counters.totalFilterTime))
    ]
  }

  private static func codec(_ fourcc: UInt32) -> JSON { fourcc == 0 || fourcc == FourCC.raw ? .null : .text(FourCC.text(fourcc)) }

  /// 0: there is none, or it is not known yet.
  private static func known(_ value: (some BinaryInteger)?) -> JSON { value.map { $0 == 0 ? .null : .whole($0) } ?? .null }
}

private func seconds(_ nanoseconds: some BinaryInteger) -> JSON { .number(Double(nanoseconds) / 1e9) }
