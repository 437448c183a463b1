/// Sender reports of streams of which no packet has come yet, as they leave just before the first one. Whoever is unknown can have so many kept.
struct EarlyReports {
  struct Entry {
    let report: SenderReport
    let time: Int64
    var cname: String?
  }

  /// The latest is last.
  private var entries: [Entry] = []
  private static let most = 8
  private static let lifetime: Int64 = 2_000_000_000

  /// Whether it is the first one that is kept of its stream.
  mutating func keep(_ report: SenderReport, at now: Int64) -> Bool {
    let former = entries.firstIndex { $0.report.ssrc == report.ssrc }.map { entries.remove(at: $0) }
    if entries.count == EarlyReports.most { entries.removeFirst() }
    entries.append(Entry(report: report, time: now, cname: former?.cname))
    return former == nil
  }

  mutating func name(_ ssrc: SSRC, _ cname: String) {
    if let place = entries.firstIndex(where: { $0.report.ssrc == ssrc }) { entries[place].cname = cname }
  }

  /// Not one that was there long before: it is of what the number stood for then.
  mutating func take(of ssrc: SSRC, at now: Int64) -> Entry? {
    let entry = entries.firstIndex { $0.report.ssrc == ssrc }.map { entries.remove(at: $0) }
    return entry.flatMap { now &- $0.time < EarlyReports.lifetime ? $0 : nil }
  }
}
