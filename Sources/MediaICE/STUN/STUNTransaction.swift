/// When a request is sent, and sent again (RFC 8489, section 6.2.1): the time doubles after each, up to a longest one.
///
/// The first time is short, 50 ms for checks and 100 ms for servers, where the RFC has 500: what is lost most often is the first packet of
/// all, whose receiver was not ready, and every call waits for it. libwebrtc sends a check every 48 ms.
struct STUNSchedule: Sendable {
  private(set) var interval: Int64
  let longest: Int64
  /// The last one is awaited that long; then the transaction is over.
  let last: Int64
  let most: Int
  private(set) var sent = 0
  private(set) var due: Int64

  /// Due at once.
  init(first interval: Int64, longest: Int64, last: Int64, most: Int, now: Int64) {
    (self.interval, self.longest, self.last, self.most, due) = (interval, longest, last, most, now)
  }

  /// Of requests to servers: seven of them, 4.5 s in all.
  static func server(now: Int64) -> STUNSchedule {
    STUNSchedule(first: 100_000_000, longest: 1_000_000_000, last: 1_400_000_000, most: 7, now: now)
  }

  /// Over a stream nothing is sent again (section 6.2.2).
  static func stream(now: Int64) -> STUNSchedule {
    STUNSchedule(first: 0, longest: 0, last: 8_000_000_000, most: 1, now: now)
  }

  var isOver: Bool { sent >= most }

  /// A check of ICE: the first answer may need as long as others are in flight (RFC 8445, section 14.3).
  static func check(first: Int64, now: Int64) -> STUNSchedule {
    STUNSchedule(first: max(50_000_000, first), longest: 1_600_000_000, last: 1_600_000_000, most: 9, now: now)
  }

  /// Notes that it is sent now.
  mutating func send(now: Int64) {
    sent += 1
    due = now &+ (isOver ? last : interval)
    interval = min(longest, interval &* 2)
  }
}
