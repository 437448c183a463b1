import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK

/// Pictures for another end, with what became of them.
final class SentVideo {
  let producer: PluginInstance
  let outgoing: OutgoingVideo
  private let video: ProducedVideo
  private(set) var drops = DropReasons()

  init(_ item: PluginItem, _ command: SendCommand, _ files: ParameterFiles, _ engine: Engine) throws(MediaError) {
    producer = try item.make(.producer, files, in: engine)
    let kind: VideoKind = command.screen ? .screenShare : .virtual
    let wishes = ProducedVideo.Wishes(
      codec: command.codec, size: command.size, frameRate: command.fps, bitrate: command.bitrate, kind: kind)
    video = try ProducedVideo(of: producer, wishes, codecs: engine.codecs)
    outgoing = try engine.makeOutgoingVideo(video.options)
  }

  var sent: UInt64 {
    let counters = outgoing.stats.counters
    return counters.sent + counters.encoded
  }

  /// Of all that was offered it is known what became of it.
  var isSettled: Bool {
    let counters = outgoing.stats.counters
    return counters.sent + counters.encoded + counters.replaced + counters.dropped + counters.failed == counters.offered
  }

  func collect() { drops.collect(from: outgoing) }

  func addFigures(to figures: inout Figures, _ length: Int64) {
    let counters = outgoing.stats.counters
    figures.add("producer", producer.descriptor.id)
    figures.add("format", video.formatText)
    if video.isPassedThrough { figures.add("codec", video.codecText) }
    figures.add("frames offered", counters.offered)
    figures.add("frames sent", counters.sent + counters.encoded)
    figures.add("key frames", counters.keyFrames)
    figures.add("key frames requested", counters.keyFrameRequests)
    figures.add("frames replaced", counters.replaced)
    figures.add("frames dropped", counters.dropped)
    if !drops.text.isEmpty { figures.add("dropped for", drops.text) }
    if counters.failed > 0 { figures.add("frames failed", counters.failed) }
    figures.add("bytes sent", counters.bytesSent)
    figures.add("bitrate", length > 0 ? Double(counters.bytesSent) * 8e6 / Double(length) : nil, digits: 0, "kbit/s")
    if !video.isPassedThrough { figures.add("target bitrate", Double(counters.targetBitrate) / 1000, digits: 0, "kbit/s") }
  }
}

/// Sound for another end.
final class SentAudio {
  let producer: PluginInstance
  let outgoing: OutgoingAudio

  init(_ item: PluginItem, _ files: ParameterFiles, _ engine: Engine) throws(MediaError) {
    producer = try item.make(.soundProducer, files, in: engine)
    var options = OutgoingAudioOptions()
    options.channels = try producer.audioCaptureSettings()?.channels ?? 1
    options.codec = UInt32(MSDK_CODEC_OPUS)
    outgoing = try engine.makeOutgoingAudio(options)
  }

  func addFigures(to figures: inout Figures) {
    let counters = outgoing.stats.counters
    figures.add("audio producer", producer.descriptor.id)
    figures.add("audio packets sent", counters.packets)
    figures.add("audio bytes sent", counters.bytesSent)
  }
}

extension BitrateRange {
  /// What the user wants, whatever the bounds were.
  mutating func aim(at bitrate: UInt64) {
    (target, least, most) = (bitrate, min(least, bitrate), max(most, bitrate))
  }
}
