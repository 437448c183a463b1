import MediaCore
import MediaSDK

/// Why frames were not sent, from the stream's reports.
struct DropReasons {
  private var counts: [FrameReport.DropReason: Int] = [:]

  mutating func collect(from stream: OutgoingVideo) {
    while let report = try? stream.readReport(deadline: 0) {
      if report.outcome == .dropped { counts[report.reason, default: 0] += 1 }
    }
  }

  /// "network 3, encoder 1"
  var text: String {
    counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\(DropReasons.name($0.key)) \($0.value)" }.joined(separator: ", ")
  }

  var json: JSON { .object(counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { (DropReasons.name($0.key), .whole($0.value)) }) }

  private static func name(_ reason: FrameReport.DropReason) -> String {
    switch reason {
    case .none: "no reason given"
    case .noReceiver: "no receiver"
    case .notConnected: "not connected"
    case .encoder: "rate control"
    case .stopped: "stopped"
    case .paced: "too fast"
    case .queue: "queue full"
    case .network: "network queue full"
    case .muted: "muted"
    case .flushed: "flushed"
    case .filter: "filter"
    case .noKey: "no key"
    }
  }
}
