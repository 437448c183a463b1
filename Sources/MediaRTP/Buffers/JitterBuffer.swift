import MediaCore

/// Brings packets of sound into their order and hands each on when it is due, as long after its stamp as nearly all of them need (RFC 3550,
/// section 6.4.1 on jitter; `PlayoutDelay`). A packet that is not there then is lost, and said to be, so that it is concealed in its place.
final class JitterBuffer {
  enum Step: Equatable, Sendable {
    /// A packet, to be taken from `packet` before anything else is done here.
    case packet(Int64, stamp: Int64)
    /// That many packets in a row, of so many units of the payload's clock in all.
    case lost(count: Int, duration: Int64)
  }

  enum Insertion: Sendable, Equatable {
    case kept
    case duplicate
    /// Its place is past.
    case late
    case refused
  }

  private let ring: PacketRing
  private var stamps: [Int64]
  private var unwrapper = Unwrapper<UInt32>()
  var delay: PlayoutDelay
  private var resends: ResendWait
  private let clockRate: UInt32
  /// What comes next, and when its turn would be had it the usual length.
  private var next: Int64?
  private var nextStamp: Int64 = 0
  private var newest: Int64 = -1
  private var received = 0
  /// Of the packet that came last.
  private(set) var latestStamp: Int64 = 0
  /// Of a packet, in units of the clock.
  private var length: Int64

  init(
    clockRate: UInt32, packetDuration: Int64 = 960, delay: PlayoutDelay.Settings = .init(), capacity: Int = 256, slotSize: Int = 1500
  ) {
    ring = PacketRing(capacity: capacity, slotSize: slotSize)
    stamps = [Int64](repeating: 0, count: ring.slots)
    self.delay = PlayoutDelay(delay)
    resends = ResendWait(most: delay.most)
    self.clockRate = max(1, clockRate)
    length = packetDuration
  }

  private func index(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (stamps.count - 1) }

  /// Has room for all from the next on up to that one, if half as many came: who sends little is given little.
  private func reach(_ number: Int64) {
    received += 1
    let span = max(newest, number) - (next ?? number) + 1
    while stamps.count < ring.capacity, span > Int64(stamps.count), 2 * received >= stamps.count {
      let former = stamps
      ring.grow()
      stamps = [Int64](repeating: 0, count: ring.slots)
      for kept in max(0, newest - Int64(former.count) + 1)...max(0, newest) where ring.contains(kept) {
        stamps[index(kept)] = former[Int(truncatingIfNeeded: kept) & (former.count - 1)]
      }
    }
  }

  func nanoseconds(_ stamp: Int64) -> Int64 { MediaTime.nanoseconds(fromUnits: stamp, rate: clockRate) }

  /// Held back now, in nanoseconds.
  var target: Int64 { delay.target }
  var count: Int { next.map { max(0, newest - $0 + 1) }.map { Int(clamping: $0) } ?? 0 }

  /// A packet with its unwrapped number, which was found to be of this stream. One that was resent says nothing of how late packets come.
  func insert(_ number: Int64, stamp: RTPTimestamp, _ payload: UnsafeRawBufferPointer, isResent: Bool = false, now: Int64)
    -> Insertion
  {
    if let next, number < next { return .late }
    if ring.contains(number) { return .duplicate }
    reach(number)
    let unwrapped = unwrapper.unwrap(stamp.rawValue)
    guard ring.put(number, payload, time: now) else { return .refused }
    stamps[index(number)] = unwrapped
    latestStamp = unwrapped
    if isResent {
      resends.resent(now: now)
    } else {
      delay.resend = resends.wait(packet: nanoseconds(length), now: now)
      delay.arrived(stamp: nanoseconds(unwrapped), at: now)
    }
    if let next {
      // What does not fit into the ring is past.
      if number >= next + Int64(stamps.count) { skip(to: number - Int64(stamps.count) + 1) }
    } else {
      (next, nextStamp) = (number, unwrapped)
    }
    // A packet that stands beside one that is here tells the length of both.
    if ring.contains(number - 1) {
      let step = unwrapped &- stamps[index(number - 1)]
      if step > 0, step <= Int64(clockRate / 8) { length = step }
    }
    newest = max(newest, number)
    return .kept
  }

  /// Whether a packet's turn is to come, and it is not here.
  func lacks(_ number: Int64) -> Bool { next.map { number >= $0 } ?? false && !ring.contains(number) }

  private func skip(to number: Int64) {
    let first = firstHere(from: number) ?? number
    next = first
    nextStamp = ring.contains(first) ? stamps[index(first)] : nextStamp
  }

  private func firstHere(from number: Int64) -> Int64? {
    var candidate = number
    while candidate <= newest, candidate - number < Int64(stamps.count) {
      if ring.contains(candidate) { return candidate }
      candidate += 1
    }
    return nil
  }

  // MARK: Resends

  /// To the other end and back, in nanoseconds.
  func setRoundTrip(_ time: Int64) { resends.roundTrip = time }

  /// Whether a packet that is missing is still waited for when it comes then.
  func isInTime(_ number: Int64, at time: Int64) -> Bool {
    guard let next, number >= next else { return false }
    return delay.release(stamp: nanoseconds(nextStamp &+ (number &- next) &* length)).map { time <= $0 } ?? false
  }

  // MARK: Out

  /// When there is something to be done; nil while nothing is here.
  var nextDeadline: Int64? {
    guard let next else { return nil }
    if ring.contains(next) { return delay.release(stamp: nanoseconds(stamps[index(next)])) }
    guard firstHere(from: next) != nil else { return nil }
    return delay.release(stamp: nanoseconds(nextStamp))
  }

  /// What is due; nil when nothing is.
  func step(now: Int64) -> Step? {
    guard let next, let deadline = nextDeadline, now >= deadline else { return nil }
    if ring.contains(next) {
      let stamp = stamps[index(next)]
      self.next = next + 1
      nextStamp = stamp &+ length
      return .packet(next, stamp: stamp)
    }
    guard let first = firstHere(from: next) else { return nil }
    let stamp = stamps[index(first)]
    defer { (self.next, nextStamp) = (first, stamp) }
    // Silence that was not sent takes time and no packets.
    resends.concealed(now: now)
    let missing = min(max(0, stamp &- nextStamp), (first - next) &* Int64(clockRate) / 8)
    return .lost(count: Int(clamping: first - next), duration: missing)
  }

  /// When a packet that is here came.
  func arrival(_ number: Int64) -> Int64? { ring.entry(number)?.time }

  /// Borrowed until the next packet comes.
  func packet(_ number: Int64) -> UnsafeRawBufferPointer? { ring.packet(number) }

  /// Starts again with a stream that has nothing to do with what came.
  func reset() {
    for number in max(0, newest - Int64(stamps.count))...max(0, newest) { ring.drop(number) }
    (next, newest, received) = (nil, -1, 0)
    resends.reset()
    unwrapper.reset()
    delay.restart()
  }
}
