import MediaCore

/// A line a second; on a terminal always the same one.
struct Progress {
  private let start = MediaTime.monotonic()
  private var seconds: Int64 = 0
  private var bytes: UInt64 = 0
  private var width = 0

  mutating func tell(_ call: Call) {
    let passed = (MediaTime.monotonic() - start) / 1_000_000_000
    guard passed > seconds else { return }
    let (outgoing, incoming) = (call.outgoing.stats, call.incoming.stats)
    let bits = Double((outgoing.counters.bytesSent - bytes) * 8) / Double(passed - seconds)
    seconds = passed
    bytes = outgoing.counters.bytesSent
    let sent = outgoing.counters.sent + outgoing.counters.encoded
    let line =
      "\(passed) s: sent \(sent), received \(incoming.counters.received), "
      + "\(incoming.framesPerSecond.text(digits: 1)) frames/s, \((bits / 1000).text(digits: 0)) kbit/s"
    if Terminal.isInteractive {
      Terminal.show("\r\(line.padded(to: width))", terminator: "")
      width = line.count
    } else {
      Terminal.show(line)
    }
  }

  func end() {
    if width > 0 { Terminal.show("") }
  }
}
