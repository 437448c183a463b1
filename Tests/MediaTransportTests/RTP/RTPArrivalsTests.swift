import MediaCore
import MediaRTP
import MediaRuntime
import Testing

@testable import MediaTransport

struct RTPArrivalsTests {
  private let arrivals = RTPArrivals(clock: SystemClock())
  private let one = SSRC(1)
  private let other = SSRC(2)

  /// What became of one more packet of sound: it, or nil where that stream dropped it.
  private func arrive(_ stream: SSRC, _ number: Int) throws -> EncodedFrame? {
    RTPEnd.sound(20).withUnsafeBytes { arrivals.session(received: $0, stamp: Int64(number) * 960, captured: nil, of: stream) }
    var list: [RTPArrivals.Arrival] = []
    arrivals.take(&list)
    switch try #require(list.first) {
    case .sound(stream, let frame): return frame
    case .dropped(stream): return nil
    default: throw MediaError(.fail, "neither here nor dropped: \(list)")
    }
  }

  @Test func whoHoldsTheFramesOfAStreamSilencesThatOneOnly() throws {
    var kept: [EncodedFrame] = []
    while kept.count < 1_000, let frame = try arrive(one, kept.count) { kept.append(frame) }
    #expect(kept.count == RTPArrivals.share)
    try #require(try arrive(other, 0)).release()
    for frame in kept { frame.release() }
    // It goes on too, when they are let go.
    try #require(try arrive(one, kept.count + 1)).release()
  }

  /// Each receiver holds in its own name (`FrameShare`).
  @Test func whatAReceiverWasLentDoesNotCount() throws {
    let share = FrameShare(limit: 1_000)
    var lent: [EncodedFrame] = []
    for number in 0..<1_000 {
      guard let frame = try arrive(one, number) else { break }
      if let loan = frame.lent(to: share) { lent.append(loan) }
      frame.release()
    }
    #expect(lent.count == 1_000)
    for frame in lent { frame.release() }
  }
}
