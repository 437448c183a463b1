import MediaCore
import Testing

@testable import MediaRTP

/// All of a picture or nothing, and no hole in the numbers.
@Suite struct RTPSessionSendingTests {
  private final class Out: RTPSessionDelegate {
    var packets: [[UInt8]] = []
    var control: [[UInt8]] = []
    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {
      if isControl { control.append(Array(packet)) } else { packets.append(Array(packet)) }
    }
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
    func session(did event: RTPSessionEvent) {}
  }

  private let second: Int64 = 1_000_000_000

  private func settings() -> RTPSettings {
    RTPSettings(cname: "a", clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 0), seed: 1)
  }

  private func send(_ session: RTPSession, _ size: Int, number: UInt16, now: Int64) -> PacketError? {
    var bytes = [UInt8](repeating: 1, count: size)
    bytes.replaceSubrange(0..<10, with: [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0])
    return bytes.withUnsafeBytes { bytes in
      do throws(PacketError) {
        try session.send(bytes, number: number, units: Int64(number) * 3000, on: 0, now: now)
        return nil
      } catch {
        return error
      }
    }
  }

  private func sequences(_ out: Out) -> [UInt16] {
    out.packets.compactMap { packet in reading(packet) { try? RTPHeaderView(parsing: $0).sequence.rawValue } }
  }

  @Test func aPictureThatHasNoRoomTakesNoNumber() throws {
    let (session, out) = (RTPSession(settings(), receiving: [:], now: 0), Out())
    _ = try session.addStream(OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96))
    var taken: [UInt16] = []
    for number in 0..<40 as Range<UInt16> {
      // 85 packets each, of 2048.
      let error = send(session, 100_000, number: number, now: 0)
      if error == nil { taken.append(number) } else { #expect(error == RTPSession.full) }
    }
    #expect(taken.count > 15 && taken.count < 40 && taken == Array(0..<UInt16(taken.count)))
    #expect(session.pathStats.refusedSends == UInt64(40 - taken.count))
    #expect(session.pathStats.queuedPackets == taken.count * 85, "\(session.pathStats.queuedPackets)")
    // The queue is emptied, and what was refused goes then.
    var now: Int64 = 0
    var isSent = false
    while now < 60 * second {
      let next = session.poll(now: now, out)
      if !isSent, session.pathStats.queuedPackets < 900 {
        isSent = true
        #expect(send(session, 100_000, number: UInt16(taken.count), now: now) == nil)
      }
      now = max(now + 1_000_000, min(next, now + 20_000_000))
    }
    let numbers = sequences(out)
    #expect(numbers.count == (taken.count + 1) * 85)
    let hasNoHole = zip(numbers.dropFirst(), numbers).allSatisfy { $0 == $1 &+ 1 }
    #expect(hasNoHole)
    #expect(session.pathStats.queuedPackets == 0)
  }

  @Test func soundHasItsOwnRoom() throws {
    let session = RTPSession(settings(), receiving: [:], now: 0)
    _ = try session.addStream(OutgoingRTP(.opus, ssrc: SSRC(1), payloadType: 111))
    var refused = 0
    for index in 0..<300 as Range<Int64> {
      [UInt8](repeating: 0xF8, count: 60).withUnsafeBytes { bytes in
        do throws(PacketError) {
          try session.send(sound: bytes, units: index * 960, marker: false, on: 0, now: 0)
        } catch {
          refused += 1
          #expect(error == RTPSession.full)
        }
      }
    }
    #expect(refused == 300 - 256)
  }

  @Test func whatWaitedForTooLongLeavesNoHole() throws {
    var types: [UInt8: RTPEncoding] = [:]
    types[96] = .vp8
    let (session, out) = (RTPSession(settings(), receiving: [:], now: 0), Out())
    let (other, back) = (RTPSession(settings(), receiving: types, now: 0), Out())
    _ = try session.addStream(OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96))
    for number in 0..<5 as Range<UInt16> { #expect(send(session, 5000, number: number, now: 0) == nil) }
    // Nobody asked for four seconds.
    _ = session.poll(now: 4 * second, out)
    #expect(send(session, 5000, number: 5, now: 4 * second) == nil)
    for step in 0..<100 as Range<Int64> { _ = session.poll(now: 4 * second + step * 10_000_000, out) }
    let numbers = sequences(out)
    #expect(numbers.count == 30)
    let hasNoHole = zip(numbers.dropFirst(), numbers).allSatisfy { $0 == $1 &+ 1 }
    #expect(hasNoHole && session.pathStats.expiredPackets == 25)
    #expect(session.stats(sending: 0)?.framesSent == 1)
    for packet in out.packets { reading(packet) { other.receive($0, now: 5 * second, back) } }
    _ = other.poll(now: 5 * second + 1, back)
    let stats = try #require(other.stats(receiving: SSRC(1)))
    #expect(stats.nackCount == 0 && stats.packetsLost == 0 && stats.framesReceived == 1 && stats.packetsReceived == 30)
  }

  @Test func reportsOfManyStreamsTakeTurns() throws {
    let (session, out) = (RTPSession(settings(), receiving: [:], now: 0), Out())
    for ssrc in 1...64 as ClosedRange<UInt32> { _ = try session.addStream(OutgoingRTP(.opus, ssrc: SSRC(ssrc), payloadType: 111)) }
    var now: Int64 = 0
    while now < 30 * second {
      if now % (20 * 1_000_000) == 0 {
        for stream in 0..<64 {
          try [0xF8, 1, 2].withUnsafeBytes {
            try session.send(sound: $0, units: now / second * 48_000, marker: false, on: stream, now: now)
          }
        }
      }
      _ = session.poll(now: now, out)
      now += 10_000_000
    }
    var (reported, named) = (Set<SSRC>(), Set<SSRC>())
    for datagram in out.control {
      #expect(datagram.count <= 1200)
      reading(datagram) { bytes in
        guard var messages = try? RTCPMessage.Iterator(parsing: bytes, .compound) else { return #expect(Bool(false), "no compound packet") }
        while let message = messages.next() {
          if case .senderReport(let report, _) = message { reported.insert(report.ssrc) }
          if case .sourceDescription(let description) = message {
            for chunk in description where chunk.cname == "a" { named.insert(chunk.ssrc) }
          }
        }
      }
    }
    #expect(reported.count == 64 && named == reported, "\(reported.count), \(named.count)")
  }

  @Test func whatAGoodbyeGivesUpWasNotSent() throws {
    let (session, out) = (RTPSession(settings(), receiving: [:], now: 0), Out())
    let stream = try session.addStream(OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96))
    func run(from start: Int64) { for step in 0..<100 as Range<Int64> { _ = session.poll(now: start + step * 10_000_000, out) } }
    #expect(send(session, 3_000, number: 0, now: 0) == nil)
    run(from: 0)
    for number in 1...2 as ClosedRange<UInt16> { #expect(send(session, 3_000, number: number, now: second) == nil) }
    session.endStream(stream)
    run(from: second)
    #expect(session.stats(sending: stream)?.framesSent == 1)
    #expect(send(session, 3_000, number: 3, now: 2 * second) == nil)
    run(from: 2 * second)
    #expect(session.stats(sending: stream)?.framesSent == 2)
  }

  /// Neither by one that rests nor by one for which goodbye is about to be said.
  @Test func aPathIsProbedByAStreamThatIsSent() throws {
    let pair = SessionPair()
    func stream(_ ssrc: UInt32, isActive: Bool = true) -> OutgoingRTP {
      var stream = OutgoingRTP(.vp8, ssrc: SSRC(ssrc), payloadType: 96)
      (stream.retransmission, stream.isActive) = ((SSRC(ssrc + 1), 97), isActive)
      return stream
    }
    var medium = RTPMedium(mid: "v", receiving: [96: .vp8, 97: .retransmission(of: 96)])
    medium.sending = [stream(1, isActive: false), stream(3)]
    try pair.agree([medium])
    let sent = try #require(pair.left.stream(sending: SSRC(3)))
    for number in 0..<30 {
      _ = try pair.send(.vp8, 3_000, isKey: number == 0, number, on: sent)
      pair.run(33)
    }
    let sources = Set(pair.sent.compactMap { packet in reading(packet) { try? RTPHeaderView(parsing: $0).ssrc } })
    #expect(sources == [SSRC(3), SSRC(4)])
  }
}
