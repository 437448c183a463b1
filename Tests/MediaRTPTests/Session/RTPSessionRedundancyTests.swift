import MediaCore
import Testing

@testable import MediaRTP

/// Packets of audio that go with the one before them, while packets are lost (RFC 2198).
@Suite struct RTPSessionRedundancyTests {
  private static let opus: UInt8 = 111, redundancy: UInt8 = 63

  private func pair(isAgreed: Bool) throws -> SessionPair {
    let pair = SessionPair()
    var medium = RTPMedium(mid: "a", receiving: [Self.opus: .opus])
    if isAgreed { medium.receiving[Self.redundancy] = .redundancy(of: Self.opus) }
    var stream = OutgoingRTP(.opus, ssrc: SSRC(10), payloadType: Self.opus)
    (stream.redundancy, stream.hasNACK) = (isAgreed ? Self.redundancy : nil, false)
    medium.sending = [stream]
    try pair.agree([medium])
    return pair
  }

  /// So many packets of 20 ms, from that one on.
  @discardableResult private func speak(_ pair: SessionPair, _ numbers: Range<Int>) throws -> [[UInt8]] {
    let index = try #require(pair.left.stream(sending: SSRC(10)))
    return try numbers.map { number in
      let packet: [UInt8] = [31 << 3] + (0..<60).map { UInt8(truncatingIfNeeded: number &+ $0) }
      try packet.withUnsafeBytes {
        try pair.left.send(sound: $0, units: Int64(number) * 960, marker: number == 0, on: index, now: pair.now)
      }
      pair.run(20)
      return packet
    }
  }

  private func dropEveryFifth(_ pair: SessionPair) {
    var count = 0
    pair.drops = { _ in
      count += 1
      return count % 5 == 3
    }
  }

  private func types(_ pair: SessionPair, from first: Int = 0) -> Set<UInt8> { Set(pair.sent[first...].map { $0[1] & 127 }) }

  @Test func aLostPacketIsInTheNext() throws {
    for isAgreed in [true, false] {
      let pair = try pair(isAgreed: isAgreed)
      try speak(pair, 0..<100)
      #expect(types(pair) == [Self.opus] && pair.there.lost == 0)
      dropEveryFifth(pair)
      try speak(pair, 100..<250)
      // Losses have been reported by then.
      pair.run(500)
      (pair.there.lost, pair.there.sounds) = (0, [])
      let first = pair.sent.count
      let packets = try speak(pair, 250..<500)
      pair.run(500)
      let stats = try #require(pair.right.stats(receiving: SSRC(10)))
      if isAgreed {
        #expect(types(pair, from: first) == [Self.redundancy])
        #expect(pair.there.lost == 0 && pair.there.sounds == packets, "\(pair.there.lost) lost, \(pair.there.sounds.count) came")
        #expect(stats.packetsRepaired >= 50)
      } else {
        #expect(types(pair, from: first) == [Self.opus] && pair.there.lost >= 48)
      }
      // And the stream is one, of the codec that it is of.
      let began = pair.there.events.filter { if case .streamBegan = $0 { true } else { false } }
      #expect(began == [.streamBegan(SSRC(10), payloadType: Self.opus, mid: "a")])
      #expect(!pair.there.events.contains { if case .streamChanged = $0 { true } else { false } })
    }
  }

  @Test func itEndsWithTheLosses() throws {
    let pair = try pair(isAgreed: true)
    dropEveryFifth(pair)
    try speak(pair, 0..<200)
    #expect(types(pair).contains(Self.redundancy))
    pair.drops = { _ in false }
    try speak(pair, 200..<800)
    let first = pair.sent.count
    try speak(pair, 800..<820)
    #expect(types(pair, from: first) == [Self.opus])
  }

  /// What cannot be read, or holds what was not agreed on, is refused, and harms nothing.
  @Test func whatIsNoRedundancyIsRefused() throws {
    let pair = try pair(isAgreed: true)
    try speak(pair, 0..<20)
    pair.run(100)
    func receive(_ payload: [UInt8], _ number: UInt16) {
      let last = pair.sent.last ?? []
      let sequence = UInt16(last[2]) << 8 | UInt16(last[3])
      let header = RTPHeader(
        payloadType: Self.redundancy, sequence: SequenceNumber(sequence &+ number), timestamp: RTPTimestamp(0), ssrc: SSRC(10))
      reading(written { header.write(to: &$0, SessionPair.extensions) } + payload) { pair.right.receive($0, now: pair.now, pair.there) }
    }
    let refused = pair.right.path.refusedPackets
    receive([0x80 | Self.opus, 0, 0, 9, Self.opus, 1], 1)
    receive([0x80 | Self.opus], 2)
    receive([96, 1, 2, 3], 3)
    receive([Self.redundancy, Self.opus, 1], 4)
    #expect(pair.right.path.refusedPackets == refused + 4)
    let count = pair.there.sounds.count
    let packets = try speak(pair, 20..<60)
    pair.run(500)
    #expect(Array(pair.there.sounds[count...].suffix(40)) == packets)
  }
}
