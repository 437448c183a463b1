import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

/// Pages of coloured letters everywhere, each a key frame of 256 kB at the encoder's own choice: more than what a slow network takes in
/// three seconds.
@Suite struct DenseScreenTests {
  /// A bandwidth, and what luma is to have at it, in decibels: after three seconds the uppermost lines of text and all of the page, and all of it
  /// after eight and ten.
  private struct Goal {
    var bandwidth: UInt64
    var top: Double
    var soon: Double
    var later: Double
    var sharp: Double
  }

  /// At 150 kbit/s 56 kB can come in three seconds, and the page takes 95 at the coarsest quantizer and with blurred colours: a part of it can
  /// be read by then, nearly all of it after eight. A page of which nothing can be read, each letter a grey square, has 12.4 dB; at the
  /// coarsest quantizer it has 18.8, and strokes of a pixel are separate.
  private static let goals = [
    Goal(bandwidth: 150_000, top: 18, soon: 12.8, later: 17, sharp: 18.5),
    Goal(bandwidth: 500_000, top: 18, soon: 18, later: 30, sharp: 33),
    Goal(bandwidth: 1_000_000, top: 27, soon: 27, later: 35, sharp: 36)
  ]

  /// Two pages of each of three calls at each bandwidth. When reports leave is chance, and with it what the estimate is when a page comes: four of
  /// these 18 pages miss something, each the second one of its call.
  @Test func aDensePageComesWithinThreeSecondsAndBecomesSharp() async throws {
    let pages = try await withThrowingTaskGroup(of: [[String]].self) { group in
      for (place, goal) in DenseScreenTests.goals.enumerated() {
        for seed in 1...3 as ClosedRange<UInt64> {
          group.addTask { try DenseScreenTests.missed(goal, seed: UInt64(place) * 3 + seed) }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(pages.count == 18 && pages.count { !$0.isEmpty } <= 6, "\(pages.filter { !$0.isEmpty })")
  }

  /// Of each page of a call what is not as it should be.
  private static func missed(_ goal: Goal, seed: UInt64) throws -> [[String]] {
    let call = try Call("dense \(seed)").connect()
    let step = NetworkScript.Step(bandwidth: goal.bandwidth, delay: 20 * millisecond)
    try call.engine.scriptNetwork(call.room, [step], seed: seed, userID: nil)
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format(1280, 720, 15), codec: MSDK_CODEC_VP8))
    try call.advance(second)
    return try (1...2 as ClosedRange<UInt64>).map { page in
      var missed: [String] = []
      func expect(_ condition: Bool, _ otherwise: String) {
        if !condition { missed.append("seed \(seed), \(goal.bandwidth) bit/s, page \(page): \(otherwise)") }
      }
      let original = try VideoFrame.make(Make.format(1280, 720, 15))
      defer { original.release() }
      TextPage.draw(on: original, page: page)
      TextPage.colour(original, page: page)
      try outgoing.currentSender().send(original, completion: .silent)
      var shown: VideoFrame?
      defer { shown?.release() }
      var (isReadable, three) = (false, 0.0)
      for quarter in 1...40 {
        try call.advance(second / 4)
        let (sent, decoded) = (outgoing.stats.counters.keyFrames, incoming.stats.counters.keyDecoded)
        expect(sent <= decoded + 1, "\(sent) key frames were made after \(quarter * 250) ms, \(decoded) came")
        while let frame = try? incoming.read(deadline: 0) {
          shown?.release()
          shown = frame
        }
        // Of what comes between nothing is asked, and to compare takes long.
        guard quarter == 12 || quarter == 32 || quarter == 40 || quarter < 12 && !isReadable, let shown else { continue }
        if quarter <= 12 {
          // What comes first may be what was on its way of the page before.
          let top = TextPage.psnr(original, shown, rows: 108)
          isReadable = isReadable || top > 16
          if quarter == 12 { expect(top > goal.top, "its top has \(top) dB after 3 s") }
        }
        guard quarter >= 12 else { continue }
        let psnr = TextPage.psnr(original, shown)
        if quarter == 12 { three = psnr }
        let least = quarter == 12 ? goal.soon : quarter == 32 ? goal.later : max(goal.sharp, three)
        expect(psnr > least, "\(psnr) dB after \(quarter / 4) s")
        expect(shown.format.width == 1280, "its width is \(shown.format.width)")
      }
      expect(isReadable, "nothing of it in three seconds")
      expect(outgoing.stats.counters.keyFrames == page, "\(outgoing.stats.counters.keyFrames) key frames")
      expect(outgoing.expired == 0, "\(outgoing.expired ?? 0) packets waited for too long")
      return missed
    }
  }
}

extension OutgoingVideo {
  /// Packets that waited for too long.
  fileprivate var expired: UInt64? {
    guarded.withLock { $0.life.publication }.flatMap { $0.transport.look(sending: $0.id) }?.path.expiredPackets
  }
}
