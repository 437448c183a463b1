import COpenSSL

/// When a flight is to be sent again (RFC 6347, section 4.2.4), by the time that is handed in.
///
/// OpenSSL has a timer of its own, which goes by gettimeofday and is looked at whenever something is read. OpenSSL 3.0 hands the datagram
/// BIO the address of its deadline; there it is given one that never comes by itself, and one long ago when this timer is due. Later ones
/// (libssl.so.3 is any of them) hand over a copy: their own timer is then set to the same durations, so that the system's clock has a say.
struct DTLSTimer {
  /// Nanoseconds until the first repetition. RFC 6347 has a second as the default and asks for less where delays are known to be short; a lost
  /// first datagram is what is lost most often, since the other end was not ready.
  static let first: Int64 = 100_000_000
  /// Each is twice the one before, up to this. OpenSSL sends 12 repetitions, and gives up 28.7 s after the first datagram.
  static let longest: Int64 = 3_200_000_000
  /// How soon it is tried again where OpenSSL's own clock has not got there.
  private static let lag: Int64 = 5_000_000

  /// Whether OpenSSL's deadline can be set.
  static let canBeDriven = OPENSSL_version_major() == 3 && OPENSSL_version_minor() == 0

  private let isDriven: Bool
  private let first: Int64
  private var duration: Int64
  /// OpenSSL's deadline, as long as the connection lives.
  private var deadline: UnsafeMutableRawPointer?
  /// .max: nothing is to be sent again.
  private(set) var due = Int64.max

  init(first: Int64 = DTLSTimer.first, isDriven: Bool = DTLSTimer.canBeDriven) {
    (self.first, duration, self.isDriven) = (first, first, isDriven)
  }

  /// A timer begins (`isFirst`), or has run out: the microseconds that OpenSSL is to wait for.
  mutating func nextDuration(isFirst: Bool) -> UInt32 {
    duration = isFirst ? first : min(duration &* 2, DTLSTimer.longest)
    return isDriven ? .max : UInt32(clamping: duration / 1000)
  }

  /// OpenSSL has set its deadline, or none.
  mutating func set(_ next: UnsafeMutableRawPointer, now: Int64) {
    deadline = isDriven ? next : nil
    due = copenssl_timer_runs(next) != 0 ? now &+ duration : .max
  }

  /// Before OpenSSL is asked to send again what is due.
  func expire() {
    if let deadline { copenssl_expire_timer(deadline) }
  }

  /// OpenSSL did not find it due.
  mutating func wait(now: Int64) { due = now &+ DTLSTimer.lag }

  mutating func stop() { due = .max }
}
