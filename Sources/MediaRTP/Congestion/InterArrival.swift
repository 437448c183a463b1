/// How much farther apart two bursts of packets arrived than they were sent.
struct ArrivalDelta: Equatable {
  /// In milliseconds.
  var sent: Double
  var arrived: Double
  /// Of the later burst, in milliseconds since the first packet of all.
  var arrival: Double
}

/// Packets in bursts, as the filter wants them (draft-ietf-rmcat-gcc-02, section 5.2): what was sent within 5 ms is one burst, and what a
/// link held back and then let go at once joins it. The last packet of a burst counts.
struct InterArrival {
  static let length: Int64 = 5_000_000
  static let longest: Int64 = 100_000_000
  /// The receiver's clock has jumped when it is this far off the sender's between two bursts.
  static let jump: Int64 = 3_000_000_000
  static let reordered = 3

  private struct Group {
    var firstSent: Int64
    var lastSent: Int64
    var firstArrival: Int64
    var lastArrival: Int64
    /// When the sender heard of it, on its own clock.
    var heard: Int64
  }

  private var current: Group?
  private var previous: Group?
  private var origin: Int64 = 0
  private var backwards = 0
  /// The clock jumped: what was filtered before is not to be compared with what comes. Read and cleared by the filter.
  var jumped = false

  /// Packets in the order of their arrival.
  mutating func add(sent: Int64, arrival: Int64, now: Int64) -> ArrivalDelta? {
    guard var group = current else {
      origin = arrival
      current = Group(firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival, heard: now)
      return nil
    }
    // Sent before the burst that is being collected: out of order.
    if sent < group.firstSent { return nil }
    if belongs(sent, arrival, group) {
      group.lastSent = max(group.lastSent, sent)
      group.lastArrival = arrival
      group.heard = now
      current = group
      return nil
    }
    defer { current = Group(firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival, heard: now) }
    guard let before = previous else {
      previous = group
      return nil
    }
    let arrived = group.lastArrival &- before.lastArrival
    let heard = group.heard &- before.heard
    if arrived &- heard >= InterArrival.jump || heard &- arrived >= InterArrival.jump {
      reset()
      jumped = true
      return nil
    }
    if arrived < 0 {
      backwards += 1
      if backwards >= InterArrival.reordered {
        reset()
        jumped = true
      }
      return nil
    }
    backwards = 0
    previous = group
    return ArrivalDelta(
      sent: Double(group.lastSent - before.lastSent) / 1e6, arrived: Double(arrived) / 1e6,
      arrival: Double(group.lastArrival &- origin) / 1e6)
  }

  private func belongs(_ sent: Int64, _ arrival: Int64, _ group: Group) -> Bool {
    if sent - group.firstSent <= InterArrival.length { return true }
    let between = arrival &- group.lastArrival
    let isHeldBack = between &- (sent - group.lastSent) < 0
    return isHeldBack && between >= 0 && between <= InterArrival.length && arrival &- group.firstArrival < InterArrival.longest
  }

  mutating func reset() {
    (current, previous, backwards) = (nil, nil, 0)
  }
}
