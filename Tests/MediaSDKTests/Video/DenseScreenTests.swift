import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

/// Pages of coloured letters everywhere, each a key frame of 256 kB at the encoder's own choice: more than what a slow network takes in
/// three seconds.
@Suite struct DenseScreenTests {
  private struct Shown {
    var time: Int64
    var psnr: Double
    /// Of the uppermost lines of text.
    var top: Double
    var width: UInt32
  }

  private func latest(_ stream: IncomingVideo) -> VideoFrame? {
    var latest: VideoFrame?
    while let frame = try? stream.read(deadline: 0) {
      latest?.release()
      latest = frame
    }
    return latest
  }

  /// At 150 kbit/s 56 kB can come in three seconds, and the page takes 95 at the coarsest quantizer and with blurred colours: a part of it can
  /// be read by then, nearly all of it after eight. A page of which nothing can be read, each letter a grey square, has 12.4 dB; at the
  /// coarsest quantizer it has 18.8, and strokes of a pixel are separate.
  @Test(
    arguments: [(150_000, 18.0, 12.8, 17.0, 18.5), (500_000, 18.0, 18.0, 30.0, 33.0), (1_000_000, 27.0, 27.0, 35.0, 36.0)]
      as [(UInt64, Double, Double, Double, Double)]
  )
  func aDensePageComesWithinThreeSecondsAndBecomesSharp(
    _ bandwidth: UInt64, _ top: Double, _ soon: Double, _ later: Double, _ sharp: Double
  ) throws {
    let call = try Call("dense \(bandwidth)").connect()
    try call.script(NetworkScript.Step(bandwidth: bandwidth, delay: 20 * millisecond))
    let (outgoing, incoming) = try call.stream(Make.screen(Make.format(1280, 720, 15), codec: MSDK_CODEC_VP8))
    try call.advance(second)
    for page in 1...2 as ClosedRange<UInt64> {
      let original = try VideoFrame.make(Make.format(1280, 720, 15))
      defer { original.release() }
      TextPage.draw(on: original, page: page)
      TextPage.colour(original, page: page)
      try outgoing.currentSender().send(original, completion: .silent)
      var shown: [Shown] = []
      for step in 1...40 as ClosedRange<Int64> {
        try call.advance(second / 4)
        let (sent, decoded) = (outgoing.stats.counters.keyFrames, incoming.stats.counters.keyDecoded)
        #expect(sent <= decoded + 1, "page \(page), \(step * 250) ms: \(sent) key frames were made, \(decoded) came")
        guard let frame = latest(incoming) else { continue }
        defer { frame.release() }
        // Of what comes between nothing is asked, and to compare takes long.
        guard step <= 12 || 28...32 ~= step || step > 36 else { continue }
        shown.append(
          Shown(
            time: step * second / 4, psnr: TextPage.psnr(original, frame), top: TextPage.psnr(original, frame, rows: 108),
            width: frame.format.width))
      }
      // What comes first may be what was on its way of the page before.
      let first = try #require(shown.first { $0.top > 16 && $0.time <= 3 * second }, "page \(page): nothing of it in three seconds")
      let atThree = try #require(shown.last { $0.time <= 3 * second })
      let atEight = try #require(shown.last { $0.time <= 8 * second })
      let atTen = try #require(shown.last)
      #expect(atThree.top > top && atThree.psnr > soon, "page \(page) after 3 s: \(atThree), \(first)")
      #expect(atEight.psnr > later, "page \(page) after 8 s: \(atEight)")
      #expect(atTen.psnr > sharp && atTen.psnr > atThree.psnr, "page \(page) after 10 s: \(atTen)")
      #expect(shown.allSatisfy { $0.width == 1280 })
    }
    #expect(outgoing.stats.counters.keyFrames == 2)
    #expect(outgoing.expired == 0)
  }
}

extension OutgoingVideo {
  /// Packets that waited for too long.
  fileprivate var expired: UInt64? {
    guarded.withLock { $0.life.publication }.flatMap { $0.transport.look(sending: $0.id) }?.path.expiredPackets
  }
}
