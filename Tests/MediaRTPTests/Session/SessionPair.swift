import MediaCore

@testable import MediaRTP

/// Two sessions that hear each other at once, but for what a test drops.
final class SessionPair {
  let (left, right): (RTPSession, RTPSession)
  let (here, there) = (TestCall.End(), TestCall.End())
  var now: Int64 = 1_000_000_000
  /// Of media, by its bytes; true: it does not arrive.
  var drops: ([UInt8]) -> Bool = { _ in false }
  /// What left the left one, of media.
  private(set) var sent: [[UInt8]] = []

  init(_ change: (inout RTPSettings) -> Void = { _ in }) {
    let start: Int64 = 1_000_000_000
    let clock = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: start)
    func session(_ cname: String, _ seed: UInt64) -> RTPSession {
      var settings = RTPSettings(cname: cname, clock: clock, seed: seed &+ seedOffset)
      let map = SessionPair.extensions
      settings.extensions = map
      settings.bitrates = .init(minimum: 100_000, start: 10_000_000, maximum: 20_000_000)
      change(&settings)
      return RTPSession(settings, receiving: [:], now: start)
    }
    (left, right) = (session("left", 1), session("right", 2))
  }

  static var extensions: ExtensionMap {
    var map = ExtensionMap()
    (map.transportSequence, map.mid, map.rid, map.repairedRID) = (1, 2, 3, 4)
    return map
  }

  /// Both agree on the same media: what the left one sends the right one takes.
  func agree(_ media: [RTPMedium], mostStreams: Int = 64) throws {
    for session in [left, right] {
      var configuration = session.configuration
      configuration.media = media
      configuration.mostStreams = mostStreams
      if session === right { for place in media.indices { configuration.media[place].sending = [] } }
      try session.apply(configuration, now: now, session === left ? here : there)
    }
  }

  func run(_ milliseconds: Int) {
    for _ in 0..<milliseconds {
      (here.now, there.now) = (now, now)
      _ = left.poll(now: now, here)
      _ = right.poll(now: now, there)
      let (forth, back) = (here.out, there.out)
      (here.out, there.out) = ([], [])
      for (bytes, isControl) in forth {
        if !isControl { sent.append(bytes) }
        if isControl || !drops(bytes) { reading(bytes) { right.receive($0, now: now, there) } }
      }
      for (bytes, _) in back { reading(bytes) { left.receive($0, now: now, here) } }
      now += 1_000_000
    }
  }

  func send(_ encoding: RTPEncoding, _ size: Int, isKey: Bool, isDroppable: Bool = false, _ number: Int, on stream: Int) throws -> [UInt8] {
    let frame = TestFrame.make(encoding, size, isKey: isKey, number)
    try frame.withUnsafeBytes {
      try left.send($0, number: UInt16(truncatingIfNeeded: number), units: now / 11_111, isDroppable: isDroppable, on: stream, now: now)
    }
    return frame
  }
}
