import MediaCore
import MediaSDK
import MediaTransport

/// The figures of a run that is over, a line each.
struct RunTable {
  let plan: RunPlan
  let video: ProducedVideo
  let outgoing: OutgoingVideoCounters
  let incoming: IncomingVideoCounters
  let transport: TransportStats
  let reception: Reception.Counts
  let drops: DropReasons
  /// For how long the producer was running.
  let length: Int64
  /// When the program began.
  let begin: Int64

  var text: String {
    let rows = source + sending + receiving + times
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { "\("\($0.0):".padded(to: width))\($0.1)" }.joined(separator: "\n")
  }

  private var isEncoded: Bool { video.codec != .raw }

  private var source: [(String, String)] {
    [
      ("producer", Terminal.oneLine(video.producer.descriptor.id)), ("format", video.formatText), ("codec", video.codecText)
    ]
  }

  private var sending: [(String, String)] {
    var rows = [("frames offered", "\(outgoing.offered)")]
    if isEncoded, !video.isPassedThrough { rows.append(("frames encoded", "\(outgoing.encoded)")) }
    if isEncoded { rows.append(("key frames", "\(outgoing.keyFrames)")) }
    rows += [
      ("frames sent", "\(outgoing.sent + outgoing.encoded)"), ("frames replaced", "\(outgoing.replaced)"),
      ("frames dropped", "\(outgoing.dropped)\(drops.text.isEmpty ? "" : " (\(drops.text))")")
    ]
    if outgoing.failed > 0 { rows.append(("frames failed", "\(outgoing.failed)")) }
    return rows
  }

  private var receiving: [(String, String)] {
    var rows = [("frames received", "\(incoming.received)"), ("frames lost", "\(incoming.lost)")]
    if plan.network != nil {
      rows.append(("packets lost", "\(transport.packetsLost) of \(transport.packetsLost + transport.packetsReceived)"))
    }
    if isEncoded {
      rows += [
        ("frames decoded", "\(incoming.decoded)"), ("key frames decoded", "\(incoming.keyDecoded)"),
        ("frames skipped", "\(incoming.skipped)\(incoming.skipped > 0 ? " (a frame they refer to was lost)" : "")"),
        ("frames corrupt", "\(incoming.corrupt)")
      ]
    }
    rows += [("late for renderers", "\(incoming.dropped)"), ("frames delivered", "\(reception.frames)")]
    return rows
  }

  private var times: [(String, String)] {
    let bits = length > 0 ? Double(outgoing.bytesSent) * 8 * 1e6 / Double(length) : 0
    var rows = [
      ("bytes sent", "\(outgoing.bytesSent)"), ("bitrate", "\(bits.text(digits: 0)) kbit/s"),
      ("mean rate", reception.framesPerSecond.map { "\($0.text(digits: 2)) frames/s" } ?? "unknown")
    ]
    if isEncoded, !video.isPassedThrough { rows.append(("encode time", RunTable.mean(outgoing.totalEncodeTime, of: outgoing.encoded))) }
    if isEncoded { rows.append(("decode time", RunTable.mean(incoming.totalDecodeTime, of: incoming.decoded))) }
    let first = reception.first == 0 ? "never" : "\((Double(reception.first - begin) / 1e6).text(digits: 1)) ms after the start"
    return rows + [("first frame", first)]
  }

  private static func mean(_ nanoseconds: UInt64, of count: UInt64) -> String {
    count == 0 ? "unknown" : "\((Double(nanoseconds) / Double(count) / 1e6).text(digits: 2)) ms a frame"
  }
}
