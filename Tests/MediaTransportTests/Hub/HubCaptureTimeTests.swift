import CMediaSDK
import MediaCore
import MediaRTP
import Testing

@testable import MediaTransport

/// What a member reads from a hub's room is stamped as it was captured at the sender, whose clock is another one: pictures and sound alike.
@Suite(.serialized) struct HubCaptureTimeTests {
  private static let ms: Int64 = 1_000_000

  struct Case: Sendable, CustomStringConvertible {
    /// How long after its capture each medium is sent, in milliseconds.
    var videoAge: Int64 = 0
    var soundAge: Int64 = 0
    var path = HubChain.Path()
    /// In millionths, of the sender's and the receiver's clock against the hub's.
    var drift: (Int64, Int64) = (0, 0)
    /// Seconds after which the receiver subscribes.
    var joins: Int64 = 0
    /// How far off a stamp may be at any time, in milliseconds, and from a second after the first one on.
    var bounds: (any: Int64, settled: Int64) = (20, 5)
    var seeds: ClosedRange<UInt64> = 7...7

    var description: String {
      "video \(videoAge) ms old, sound \(soundAge), delay \(path.delay), jitter \(path.jitter), loss \(path.loss), drift \(drift), joins at \(joins)"
    }
  }

  static let cases: [Case] = [
    Case(path: .init(delay: 200)),
    Case(videoAge: 300, path: .init(delay: 50)),
    Case(soundAge: 500, path: .init(delay: 50)),
    Case(videoAge: 100, soundAge: 400, path: .init(delay: 100), drift: (200, -200)),
    // First reports that are lost, or overtaken by their packets; jitter of both legs adds up, and is told from delay and drift little by little.
    Case(path: .init(delay: 30, jitter: 10, loss: 0.05), drift: (-200, 200), joins: 7, seeds: 1...20)
  ]

  @Test(arguments: cases) func stampsAreThoseOfTheCapture(_ wanted: Case) throws {
    for seed in wanted.seeds { try run(wanted, seed) }
  }

  private func run(_ wanted: Case, _ seed: UInt64) throws {
    let chain = try HubChain(wanted.path, drift: wanted.drift, seed: seed)
    chain.meet()
    let begin = chain.now
    while chain.now < begin + (20 - wanted.joins) * 1000 {
      if chain.now >= begin + wanted.joins * 1000 { chain.isForwarding = true }
      if chain.now % 33 == 0 { try chain.send(video: true, age: wanted.videoAge) }
      if chain.now % 20 == 0 { try chain.send(video: false, age: wanted.soundAge) }
      chain.step()
    }
    for isVideo in [true, false] {
      let read = chain.read.filter { $0.isVideo == isVideo }
      let first = try #require(read.first).at
      let name = "\(isVideo ? "video" : "sound") of seed \(seed)"
      #expect(read.count > 120, "\(name)")
      #expect(read.first?.sequence == 1 && zip(read.dropFirst(), read).allSatisfy { $0.sequence > $1.sequence }, "\(name)")
      if wanted.path.loss == 0 { #expect(read.last?.sequence == UInt64(read.count), "\(name)") }
      let worst = read.map(\.error).max { abs($0) < abs($1) } ?? 0
      #expect(abs(worst) <= wanted.bounds.any * HubCaptureTimeTests.ms, "\(name) was \(worst) ns off")
      let settled = read.filter { $0.at >= first + 1000 }.map(\.error).max { abs($0) < abs($1) } ?? 0
      #expect(abs(settled) <= wanted.bounds.settled * HubCaptureTimeTests.ms, "\(name) was \(settled) ns off after a second")
    }
  }

  /// A source that begins another time line five seconds back: both media are right again a second later at the latest.
  @Test func aStampThatStepsBackIsFollowed() throws {
    let chain = try HubChain(.init(delay: 50), drift: (200, -200), seed: 7)
    chain.isForwarding = true
    chain.meet()
    let step = chain.now + 8_000
    while chain.now < step + 8_000 {
      let age: Int64 = chain.now < step ? 0 : 5_000
      if chain.now % 33 == 0 { try chain.send(video: true, age: age) }
      if chain.now % 20 == 0 { try chain.send(video: false, age: age) }
      chain.step()
    }
    for isVideo in [true, false] {
      let after = chain.read.filter { $0.isVideo == isVideo && $0.at >= step }
      #expect(after.count > 200)
      let worst = after.filter { $0.at >= step + 1_200 }.map(\.error).max { abs($0) < abs($1) } ?? .max
      #expect(abs(worst) <= 5 * HubCaptureTimeTests.ms, "\(isVideo ? "video" : "sound") was \(worst) ns off after a second")
    }
  }
}
