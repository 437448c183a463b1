import MediaCore

/// One moment and the one before as a table: a line for each session, one for each of its streams.
struct TopTable {
  private static let heads = [
    "STREAM", "kbit/s", "packets/s", "lost", "jitter", "round trip", "frames/s", "key", "freezes", "NACK", "PLI", "resent", "target", "delay",
  ]

  let text: String

  /// Without a moment before there are no rates.
  init(_ now: JSON, before: JSON?) {
    var lines: [String] = []
    let pid = now["pid"]?.double.map { "\(Int($0))" } ?? "?"
    let earlier = before?["sessions"]?.elements ?? []
    for (index, session) in (now["sessions"]?.elements ?? []).enumerated() {
      let stats = session["stats"]?.elements ?? []
      let former = earlier.indices.contains(index) ? earlier[index]["stats"]?.elements ?? [] : []
      lines.append(TopTable.head(session, stats, "\(pid) \(now["command"]?.string ?? "")"))
      let rows = stats.compactMap { TopRow($0, among: stats, before: former)?.cells }
      if !rows.isEmpty { lines += TopTable.columns([TopTable.heads] + rows) }
    }
    text = lines.map { Terminal.oneLine($0) }.joined(separator: "\n")
  }

  private static func head(_ session: JSON, _ stats: [JSON], _ name: String) -> String {
    let own = stats.first { $0["type"]?.string == "session" }
    let ways = stats.filter { $0["type"]?.string == "transport" }
    var words = ["\(name) \(session["user"]?.string ?? "") \(session["url"]?.string ?? ""): \(own?["state"]?.string ?? "?")"]
    if let bits = own?["availableOutgoingBitrate"]?.double, bits > 0 { words.append("estimate \((bits / 1000).text(digits: 0)) kbit/s") }
    if let time = ways.compactMap({ $0["currentRoundTripTime"]?.double }).max() { words.append("round trip \((time * 1000).text(digits: 1)) ms") }
    let queued = ways.reduce(0) { $0 + ($1["queuedPackets"]?.double ?? 0) }
    if !ways.isEmpty { words.append("queue \(queued.text(digits: 0)) packets") }
    for (title, key) in [("out", "outgoingQuality"), ("in", "incomingQuality")] {
      if let grade = own?[key]?.string, grade != "unknown" { words.append("\(title) \(grade)") }
    }
    return words.joined(separator: ", ")
  }

  private static func columns(_ rows: [[String]]) -> [String] {
    let widths = heads.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        column == 0 ? row[column].padded(to: widths[column]) : String(repeating: " ", count: max(0, widths[column] - row[column].count)) + row[column]
      }.joined(separator: "  ")
    }
  }
}

/// A stream, from its stats by W3C's names.
struct TopRow {
  let cells: [String]

  /// nil: no stream.
  init?(_ stream: JSON, among stats: [JSON], before: [JSON]) {
    let type = stream["type"]?.string
    guard type == "outbound-rtp" || type == "inbound-rtp", let id = stream["id"]?.string else { return nil }
    let isOut = type == "outbound-rtp"
    let former = before.first { $0["id"]?.string == id }
    let far = isOut ? stats.first { $0["localId"]?.string == id } : nil
    let isVideo = stream["kind"]?.string == "video"
    let seconds = ((stream["timestamp"]?.double ?? 0) - (former?["timestamp"]?.double ?? 0)) / 1000

    func grown(_ name: String) -> Double? {
      guard former != nil, let now = stream[name]?.double, let then = former?[name]?.double else { return nil }
      return now - then
    }
    func rate(_ name: String, by unit: Double = 1, digits: Int) -> String {
      guard seconds > 0, let growth = grown(name) else { return "-" }
      return (growth / unit / seconds).text(digits: digits)
    }
    func count(_ name: String) -> String { stream[name]?.double.map { $0.text(digits: 0) } ?? "-" }
    func milliseconds(_ time: Double?) -> String { time.map { "\(($0 * 1000).text(digits: 1)) ms" } ?? "-" }

    var lost = far?["fractionLost"]?.double
    if !isOut, let gone = grown("packetsLost").map({ max(0, $0) }), let came = grown("packetsReceived") {
      lost = gone + came > 0 ? gone / (gone + came) : nil
    }
    var delay: Double?
    if !isOut, let held = grown("jitterBufferDelay"), let handed = grown("jitterBufferEmittedCount"), handed > 0 { delay = held / handed }
    if isOut, let waited = grown("totalPacketSendDelay"), let left = grown("packetsSent"), left > 0 { delay = waited / left }
    cells = [
      "\(isOut ? "out" : "in") \(stream["kind"]?.string ?? "?") \(count("ssrc"))",
      rate(isOut ? "bytesSent" : "bytesReceived", by: 125, digits: 0), rate(isOut ? "packetsSent" : "packetsReceived", digits: 0),
      lost.map { "\(($0 * 100).text(digits: 1)) %" } ?? "-", milliseconds((isOut ? far : stream)?["jitter"]?.double),
      milliseconds(far?["roundTripTime"]?.double), isVideo ? rate(isOut ? "framesSent" : "framesReceived", digits: 1) : "-",
      isVideo ? count(isOut ? "keyFramesSent" : "keyFramesReceived") : "-", isVideo ? count("freezeCount") : count("concealmentEvents"),
      count("nackCount"), count("pliCount"), count(isOut ? "retransmittedPacketsSent" : "retransmittedPacketsReceived"),
      stream["targetBitrate"]?.double.map { "\(($0 / 1000).text(digits: 0)) kbit/s" } ?? "-", milliseconds(delay),
    ]
  }
}
