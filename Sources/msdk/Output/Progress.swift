import MediaCore

/// A line a second; on a terminal always in the same place.
struct Progress {
  private let start = MediaTime.monotonic()
  private var seconds: Int64 = 0
  private var bytes: UInt64 = 0

  mutating func tell(_ call: Call) {
    tell {
      // In this order: else one that was sent in between is received and not sent.
      let incoming = call.incoming.stats
      let outgoing = call.outgoing.stats.counters
      let words =
        "sent \(outgoing.sent + outgoing.encoded), received \(incoming.counters.received), \(incoming.framesPerSecond.text(digits: 1)) frames/s"
      return (outgoing.bytesSent, words)
    }
  }

  /// How many bytes have passed, and what else there is to say.
  mutating func tell(_ look: () -> (bytes: UInt64, words: String)) {
    let passed = (MediaTime.monotonic() - start) / 1_000_000_000
    guard passed > seconds else { return }
    let now = look()
    let bits = Double((now.bytes - min(bytes, now.bytes)) * 8) / Double(passed - seconds)
    (seconds, bytes) = (passed, now.bytes)
    let line = "\(passed) s: \(now.words), \((bits / 1000).text(digits: 0)) kbit/s"
    Terminal.showProgress(line)
  }

  func end() {
    Terminal.endLine()
  }
}
