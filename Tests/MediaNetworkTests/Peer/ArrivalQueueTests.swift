import MediaCore
import MediaRTP
import Testing

@testable import MediaNetwork

@Suite struct ArrivalQueueTests {
  private let one = SSRC(1)
  private let other = SSRC(2)
  /// 20 ms of Opus.
  private let packet: [UInt8] = [31 << 3, 1, 2, 3]

  /// What became of one more packet of audio: it, or nil where that stream dropped it.
  private func arrive(_ queue: inout ArrivalQueue, _ stream: SSRC, _ number: Int) throws -> EncodedFrame? {
    packet.withUnsafeBytes {
      queue.append(sound: $0, stamp: Int64(number) * 960, captured: nil, of: stream, now: Int64(number) * 20_000_000)
    }
    var list: [PeerArrival] = []
    queue.take(&list)
    switch try #require(list.first) {
    case .frame(stream, let frame, Int64(number) * 960, false): return frame
    case .dropped(stream): return nil
    default: throw MediaError(.fail, "neither here nor dropped: \(list)")
    }
  }

  @Test func whoHoldsTheFramesOfAStreamSilencesThatOneOnly() throws {
    var queue = ArrivalQueue()
    var kept: [EncodedFrame] = []
    while kept.count < 1_000, let frame = try arrive(&queue, one, kept.count) { kept.append(frame) }
    #expect(kept.count == ArrivalQueue.share)
    try #require(try arrive(&queue, other, 0)).release()
    for frame in kept { frame.release() }
    // It goes on too, when they are let go.
    try #require(try arrive(&queue, one, kept.count + 1)).release()
  }

  /// Each receiver holds in its own name (`FrameShare`).
  @Test func whatAReceiverWasLentDoesNotCount() throws {
    var queue = ArrivalQueue()
    let share = FrameShare(limit: 1_000)
    var lent: [EncodedFrame] = []
    for number in 0..<1_000 {
      guard let frame = try arrive(&queue, one, number) else { break }
      if let loan = frame.lent(to: share) { lent.append(loan) }
      frame.release()
    }
    #expect(lent.count == 1_000)
    for frame in lent { frame.release() }
  }

  @Test func lostPacketsCountInTheSequence() throws {
    var queue = ArrivalQueue()
    try #require(try arrive(&queue, one, 0)).release()
    queue.lose(3, of: one)
    var list: [PeerArrival] = []
    queue.take(&list)
    let frame = try #require(try arrive(&queue, one, 4))
    #expect(frame.native.pointee.sequence == 5)
    frame.release()
  }

  /// A packet that is no Opus is none that was heard.
  @Test func whatIsNoOpusIsLost() {
    var queue = ArrivalQueue()
    let empty: [UInt8] = []
    empty.withUnsafeBytes { queue.append(sound: $0, stamp: 0, captured: nil, of: one, now: 0) }
    guard case .lost(one, 1)? = queue.arrivals.first else {
      Issue.record("\(queue.arrivals)")
      return
    }
  }
}
