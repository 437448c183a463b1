import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

private let second = 1000 * millisecond

@Suite struct ScriptedPairTests {
  /// A member's way, turn by turn, each millisecond.
  private final class Way {
    let script: NetworkScript
    let pair: ScriptedPair
    private(set) var now: Int64 = 0
    private(set) var came: [(time: Int64, picture: FrameID, bytes: [UInt8])] = []
    private(set) var keyFrames: [StreamID] = []
    private(set) var targets: [Int] = []
    private var link = NetworkLink()
    private let pool = BufferPool(limit: 256)

    init(_ steps: NetworkScript.Step...) throws {
      script = try NetworkScript(steps: steps, seed: 1, start: 0)
      pair = ScriptedPair(script, user: "ann", now: 0)
    }

    func run(for time: Int64) {
      let end = now + time
      while now < end {
        now += millisecond
        let turn = pair.turn(script, &link, now: now)
        #expect(turn.next > now)
        for unit in turn.units {
          came.append((now, unit.picture, Array(unit.frame.bytes)))
          unit.frame.release()
        }
        keyFrames += turn.keyFrames
        if let target = turn.target { targets.append(target) }
      }
    }

    static func picture(_ size: Int, isKeyFrame: Bool) -> [UInt8] {
      (isKeyFrame ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]) + (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    func send(
      _ bytes: [UInt8], _ id: FrameID, on stream: StreamID, codec: Int = Int(MSDK_CODEC_VP8), earlier: Int64 = .min
    ) throws -> ScriptedPair.Carried {
      var attributes = msdk_encoded_frame()
      (attributes.codec, attributes.timestamp_ns) = (UInt32(codec), now)
      let made = try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
      let frame = try #require(made)
      defer { frame.release() }
      return pair.send(frame, id, on: stream, earlier: earlier, now: now)
    }

    func takes(_ bytes: [UInt8], _ id: FrameID, on stream: StreamID) throws -> Bool {
      if case .taken = try send(bytes, id, on: stream) { true } else { false }
    }

    /// Thirty pictures a second, whatever waits.
    func film(for time: Int64, on stream: StreamID, from first: FrameID, size: Int, each: (Int64) -> Void = { _ in }) throws {
      var id = first
      let end = now + time
      while now < end {
        _ = try send(Way.picture(size, isKeyFrame: id == 1), id, on: stream)
        run(for: 33 * millisecond)
        each(pair.backlog(of: stream, at: now) ?? 0)
        id += 1
      }
    }
  }

  private let stream = StreamID(value: 1)
  private static let open = NetworkScript.Step(bandwidth: 2_000_000, delay: 20 * millisecond)

  @Test func aPictureComesByteForByteAsLateAsTheScriptSays() throws {
    let way = try Way(ScriptedPairTests.open)
    let picture = Way.picture(3000, isKeyFrame: true)
    #expect(try way.takes(picture, 1, on: stream))
    way.run(for: second)
    let came = try #require(way.came.first)
    #expect(way.came.count == 1 && came.picture == 1 && came.bytes == picture)
    // Three packets and their headers at 2 Mbit/s, and the way.
    #expect((32...45).contains(came.time / millisecond))
    let sent = try #require(way.pair.look(sending: stream))
    let received = try #require(way.pair.look(receiving: stream))
    #expect(sent.stream.framesSent == 1 && sent.stream.pliCount == 0 && received.stream.packetsReceived == 3)
    #expect((way.pair.roundTrip ?? 0) >= 40 * millisecond)
  }

  @Test func whatHasNoPayloadFormatAndWhatBeginsInTheMiddleAreNotCarried() throws {
    let way = try Way(ScriptedPairTests.open)
    guard case .not(asks: false) = try way.send([1, 2, 3], 1, on: stream, codec: Int(MSDK_CODEC_AV1)) else {
      Issue.record("AV1 was carried")
      return
    }
    var asked: [Int64] = []
    for id in 1...12 as ClosedRange<FrameID> {
      guard case .not(let asks) = try way.send(Way.picture(100, isKeyFrame: false), id, on: stream) else {
        Issue.record("a picture was carried before one that needs none")
        return
      }
      if asks { asked.append(way.now) }
      way.run(for: 100 * millisecond)
    }
    #expect(asked == [500 * millisecond, 1000 * millisecond])
    #expect(!way.pair.requestKeyFrame(of: stream) && way.pair.look(sending: stream) == nil)
    #expect(way.pair.backlog(of: stream, at: way.now) == nil)
  }

  @Test func aRequestTakesTheWayBackAndTheEndFollowsWhatWaits() throws {
    let way = try Way(ScriptedPairTests.open)
    #expect(try way.takes(Way.picture(3000, isKeyFrame: true), 1, on: stream))
    way.run(for: second)
    #expect(way.pair.requestKeyFrame(of: stream))
    way.run(for: 15 * millisecond)
    #expect(way.keyFrames.isEmpty)
    way.run(for: 100 * millisecond)
    #expect(way.keyFrames == [stream])
    #expect(try way.takes(Way.picture(500, isKeyFrame: false), 2, on: stream))
    #expect(way.pair.end(stream, now: way.now) && !way.pair.end(stream, now: way.now))
    way.run(for: second)
    #expect(way.came.map(\.picture) == [1, 2])
  }

  /// What is sent without packets goes by the same link and must not be overtaken.
  @Test func nothingArrivesBeforeWhatWentWithoutPackets() throws {
    let way = try Way(ScriptedPairTests.open)
    let earlier = 300 * millisecond
    guard case .taken = try way.send(Way.picture(100, isKeyFrame: true), 1, on: stream, earlier: earlier) else {
      Issue.record("not taken")
      return
    }
    way.run(for: second)
    #expect(try #require(way.came.first).time >= earlier)
  }

  /// No news from the other end: pictures are held, and whoever makes them is told within a third of a second, when little waits yet.
  @Test func anOutageIsToldAsABacklog() throws {
    let way = try Way(ScriptedPairTests.open, NetworkScript.Step(at: 5 * second, isDisconnected: true))
    var most: Int64 = 0
    try way.film(for: 5 * second - 10 * millisecond, on: stream, from: 1, size: 1000) { most = max(most, $0) }
    #expect(most < 100 * millisecond)
    var told: Int64?
    try way.film(for: second, on: stream, from: 1000, size: 1000) { if told == nil, $0 > 300 * millisecond { told = way.now } }
    #expect(try #require(told) - 5 * second < 350 * millisecond)
  }

  @Test func theEstimateFallsWithTheWayAndComesBack() throws {
    let way = try Way(
      ScriptedPairTests.open, NetworkScript.Step(at: 10 * second, bandwidth: 200_000, delay: 20 * millisecond),
      NetworkScript.Step(at: 20 * second, bandwidth: 2_000_000, delay: 20 * millisecond))
    try way.film(for: 10 * second, on: stream, from: 1, size: 3000)
    try way.film(for: 10 * second, on: stream, from: 1000, size: 600)
    let low = try #require(way.targets.last)
    try way.film(for: 10 * second, on: stream, from: 2000, size: 3000)
    let high = try #require(way.targets.last)
    #expect(low < 260_000 && high > 700_000, "\(low), then \(high)")
  }

  @Test func theSameSeedLosesTheSame() throws {
    func run(_ seed: UInt64?) throws -> [FrameID] {
      let way = try Way(NetworkScript.Step(bandwidth: 2_000_000, delay: 20 * millisecond, jitter: 10 * millisecond, loss: 400_000))
      if let seed { way.pair.reseed(seed, user: "ann") }
      try way.film(for: 5 * second, on: stream, from: 1, size: 3000)
      return way.came.map(\.picture)
    }
    let first = try run(nil)
    #expect(first.count < 150)
    #expect(try run(nil) == first)
    #expect(try run(1) == first)
    #expect(try run(2) != first)
  }
}
