import MediaCore

/// One moment and the one before as a table: a line for each session, one for each of its streams. No line is longer than 80 columns.
struct TopTable {
  static let width = 80

  let text: String

  /// Without a moment before there are no rates.
  init(_ now: JSON, before: JSON?) {
    var lines: [String] = []
    let pid = now["pid"]?.double.map { "\(Int($0))" } ?? "?"
    let earlier = before?["sessions"]?.elements ?? []
    for (index, session) in (now["sessions"]?.elements ?? []).enumerated() {
      let former = earlier.indices.contains(index) ? earlier[index] : .null
      lines += TopTable.head(session, "\(pid) \(now["command"]?.string ?? "")")
      let rows = TopTable.rows(session, former)
      if !rows.isEmpty { lines += TopTable.columns([TopRow.heads] + rows) }
    }
    text = lines.joined(separator: "\n")
  }

  /// Of the packets where there are some, else, inside a process, of the streams.
  private static func rows(_ session: JSON, _ former: JSON) -> [[String]] {
    let stats = session["stats"]?.elements ?? []
    var names: [String: Int] = [:]
    let packets = stats.compactMap { TopRow(packetsOf: $0, among: stats, before: former["stats"]?.elements ?? []) }
    let rows =
      packets.isEmpty ? (session["streams"]?.elements ?? []).compactMap { TopRow($0, before: former["streams"]?.elements ?? []) } : packets
    return rows.map { row in
      let number = names[row.name, default: 0] + 1
      names[row.name] = number
      return [number > 1 ? "\(row.name) \(number)" : row.name] + row.cells
    }
  }

  private static func head(_ session: JSON, _ name: String) -> [String] {
    let stats = session["stats"]?.elements ?? []
    let own = stats.first { $0["type"]?.string == "session" }
    let paths = stats.filter { $0["type"]?.string == "transport" }
    var words = ["\(name) \(session["userId"]?.string ?? "") \(session["url"]?.string ?? "")", own?["state"]?.string ?? "?"]
    if let bits = own?["availableOutgoingBitrate"]?.double { words.append("estimate \((bits / 1000).text(digits: 0)) kbit/s") }
    if let time = paths.compactMap({ $0["currentRoundTripTime"]?.double }).max() {
      words.append("round trip \((time * 1000).text(digits: 1)) ms")
    }
    if !paths.isEmpty { words.append("\(paths.reduce(0) { $0 + ($1["queuedPackets"]?.double ?? 0) }.text(digits: 0)) packets queued") }
    for (title, key) in [("out", "outgoingQuality"), ("in", "incomingQuality")] {
      if let grade = own?[key]?.string { words.append("\(title) \(grade)") }
    }
    return wrapped(words.map(Terminal.oneLine))
  }

  /// With commas between them, over several lines if need be; a url that is longer than a line loses its end.
  private static func wrapped(_ words: [String]) -> [String] {
    words.reduce(into: [String]()) { lines, word in
      guard let last = lines.last else { return lines.append(clipped(word)) }
      if last.count + 2 + word.count <= width - 1 {
        lines[lines.count - 1] = "\(last), \(word)"
      } else {
        lines[lines.count - 1] = last + ","
        lines.append("  " + word)
      }
    }
  }

  private static func clipped(_ text: String) -> String { text.count < width ? text : text.prefix(width - 4) + "..." }

  private static func columns(_ rows: [[String]]) -> [String] {
    rows.map { row in
      row.indices.map { column in
        let width = TopRow.widths[column]
        return column == 0 ? row[column].padded(to: width) : String(repeating: " ", count: max(0, width - row[column].count)) + row[column]
      }.joined(separator: " ")
    }
  }
}

/// A stream, with what it did since the moment before. A cell is no wider than its column.
struct TopRow {
  static let heads = ["STREAM", "kbit/s", "target", "pkt/s", "lost%", "jit", "rtt", "delay", "fps", "key", "frz", "nack", "pli", "rtx"]
  static let widths = [9, 6, 6, 5, 5, 5, 5, 5, 4, 4, 3, 4, 3, 3]

  let name: String
  let cells: [String]

  /// One of W3C's stats; nil: no stream.
  init?(packetsOf stream: JSON, among stats: [JSON], before: [JSON]) {
    let type = stream["type"]?.string
    guard type == "outbound-rtp" || type == "inbound-rtp", let growth = Growth(of: stream, among: before) else { return nil }
    let isOut = type == "outbound-rtp"
    let far = isOut ? stats.first { $0["localId"]?.string == stream["id"]?.string } : nil
    let isVideo = stream["kind"]?.string == "video"

    var lost = far?["fractionLost"]?.double
    if !isOut, let gone = growth.of("packetsLost").map({ max(0, $0) }), let came = growth.of("packetsReceived") {
      lost = gone + came > 0 ? gone / (gone + came) : nil
    }
    var delay: Double?
    if !isOut, let held = growth.of("jitterBufferDelay"), let handed = growth.of("jitterBufferEmittedCount"), handed > 0 {
      delay = held / handed
    }
    if isOut, let waited = growth.of("totalPacketSendDelay"), let left = growth.of("packetsSent"), left > 0 { delay = waited / left }
    name = "\(isOut ? "out" : "in") \(isVideo ? "video" : "audio")"
    let rate = isVideo ? growth.perSecond(isOut ? "framesSent" : "framesReceived") : nil
    cells = TopRow.fitted([
      (growth.perSecond(isOut ? "bytesSent" : "bytesReceived").map { $0 / 125 }, 0), (stream["targetBitrate"]?.double.map { $0 / 1000 }, 0),
      (growth.perSecond(isOut ? "packetsSent" : "packetsReceived"), 0), (lost.map { $0 * 100 }, 1),
      ((isOut ? far : stream)?["jitter"]?.double.map { $0 * 1000 }, 1), (far?["roundTripTime"]?.double.map { $0 * 1000 }, 1),
      (delay.map { $0 * 1000 }, 1), (rate, 1), (isVideo ? stream[isOut ? "keyFramesSent" : "keyFramesReceived"]?.double : nil, 0),
      (stream[isVideo ? "freezeCount" : "concealmentEvents"]?.double, 0), (stream["nackCount"]?.double, 0), (stream["pliCount"]?.double, 0),
      (stream[isOut ? "retransmittedPacketsSent" : "retransmittedPacketsReceived"]?.double, 0)
    ])
  }

  /// One that passes no packets; nil: none that is known.
  init?(_ stream: JSON, before: [JSON]) {
    let words = (stream["type"]?.string ?? "").split(separator: "-")
    guard words.count == 2, let growth = Growth(of: stream, among: before) else { return nil }
    let isOut = words[0] == "outgoing"
    name = "\(isOut ? "out" : "in") \(words[1])"
    let requests = stream[isOut ? "keyFrameRequests" : "keyFramesRequested"]?.double
    cells = TopRow.fitted([
      (growth.perSecond(isOut ? "bytesSent" : "bytesReceived").map { $0 / 125 }, 0), (stream["targetBitrate"]?.double.map { $0 / 1000 }, 0),
      (growth.perSecond(isOut ? "packetsSent" : "packetsReceived"), 0), (nil, 0), (nil, 0), (nil, 0), (nil, 0),
      (growth.perSecond(isOut ? "framesSent" : "framesReceived"), 1), (stream[isOut ? "keyFramesSent" : "keyFramesDecoded"]?.double, 0),
      (stream["freezeCount"]?.double, 0), (nil, 0), (requests, 0), (nil, 0)
    ])
  }

  /// Numbers with so many digits after the point, fewer of them and then thousands where the column is narrow; "-" for what is not known.
  private static func fitted(_ numbers: [(value: Double?, digits: Int)]) -> [String] {
    zip(numbers, widths.dropFirst()).map { number, width in
      guard let value = number.value else { return "-" }
      let texts =
        [value.text(digits: number.digits), value.text(digits: 0)]
        + zip([1e3, 1e6, 1e9, 1e12], ["k", "M", "G", "T"]).map { (value / $0).text(digits: 0) + $1 }
      return texts.first { $0.count <= width } ?? "*"
    }
  }
}

/// What has changed of one stream since the moment before.
private struct Growth {
  private let now: JSON
  private let former: JSON?
  private let seconds: Double

  init?(of now: JSON, among before: [JSON]) {
    guard let id = now["id"]?.string else { return nil }
    self.now = now
    former = before.first { $0["id"]?.string == id }
    seconds = ((now["timestamp"]?.double ?? 0) - (former?["timestamp"]?.double ?? 0)) / 1000
  }

  func of(_ name: String) -> Double? {
    guard let value = now[name]?.double, let then = former?[name]?.double else { return nil }
    return value - then
  }

  func perSecond(_ name: String) -> Double? { seconds > 0 ? of(name).map { $0 / seconds } : nil }
}
