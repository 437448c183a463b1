import CMediaSDK
import Glibc
import MediaCore
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaNetwork
@testable import MediaTransport

/// A socket of a test's own, for what no end of ours sends.
final class Stranger {
  let socket: any DatagramPort
  private let batch = DatagramBatch()

  init(_ room: RTPRoom, _ host: String = "127.0.0.1") throws {
    socket = try room.network.bindDatagrams(to: #require(SocketAddress(host, port: 0)))
  }

  func send(_ datagrams: [[UInt8]], to address: SocketAddress) throws {
    for start in stride(from: 0, to: datagrams.count, by: 32) {
      batch.begin()
      for datagram in datagrams[start..<min(datagrams.count, start + 32)] {
        let slot = try #require(batch.slot())
        slot.copyBytes(from: datagram)
        _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(datagram.count)), to: address)
      }
      #expect(socket.send(batch) == .all)
    }
  }

  /// What came meanwhile.
  func received() -> [[UInt8]] {
    var all: [[UInt8]] = []
    let incoming = DatagramRows()
    while socket.receive(incoming, { bytes, _ in all.append(Array(bytes)) }) > 0 {}
    return all
  }

  /// A key frame in one packet (RFC 7741).
  static func keyFrame(_ ssrc: UInt32, _ sequence: UInt16, _ stamp: UInt32, type: UInt8 = 96) -> [UInt8] {
    let head: [UInt8] = [0x80, 0x80 | type] + bytes(sequence.bigEndian) + bytes(stamp.bigEndian) + bytes(ssrc.bigEndian)
    return head + [0x10] + RTPEnd.picture(200, isKey: true, seed: Int(sequence))
  }

  static func bytes<Value>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}

extension RTPRoom {
  /// One end, that knows nobody.
  func waiter(_ way: RTPWay = RTPWay()) throws -> RTPEnd {
    let configuration = try way.configuration("waits", own: 2, theirs: 1)
    let end = RTPEnd(configuration, try RTPWay.bind(configuration, self), self)
    end.transport.connect(end)
    return end
  }

  func local(_ end: RTPEnd) throws -> SocketAddress {
    try #require(end.transport.state.withLock { $0.sockets.first }?.localAddress)
  }
}

@Suite struct RTPTransportAbuseTests {
  private func send(
    _ end: RTPEnd, _ stream: StreamID, size: Int = 500, every: Int64 = 20, for seconds: Double = 20, until isDone: () -> Bool
  ) -> Bool {
    let start = end.time.clock.now()
    var index: Int64 = 0
    while !isDone(), end.time.clock.now() < start + Int64(seconds * 1e9) {
      end.send(RTPEnd.picture(size, isKey: true, seed: Int(index)), FrameID(index), at: end.time.clock.now(), on: stream)
      index += 1
      end.time.run(milliseconds: every)
    }
    return isDone()
  }

  private func dropped(_ end: RTPEnd) -> SecureRTPPeer.Dropped {
    end.transport.state.withLock { $0.legs.first }?.look.dropped ?? .init()
  }

  // MARK: Keys

  @Test(arguments: SRTPProfile.allCases) func ofAnotherKeyNothingComes(_ profile: SRTPProfile) throws {
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try RTPWay(profile: profile).ends(room, theirKey: 9)
    // Each has the other's wrong: `here` opens with 9 what was sealed with 2.
    let video = try there.publish(.video)
    #expect(send(there, video) { dropped(here).forged > 30 })
    #expect(here.added.entries.isEmpty && here.count("joined") == 0)
    #expect(dropped(here).replayed == 0)
    room.close(here, there)
  }

  @Test(arguments: SRTPProfile.allCases) func whatWasTamperedWithOrComesAgainIsDropped(_ profile: SRTPProfile) throws {
    let room = try RTPRoom(in: .emulated)
    let count = Monitor(0)
    // Each datagram, with a bit turned, and again.
    let relay = try RTPRelay(room, seed: 1) { datagram, _ in
      let turn = count.withLock { count in
        count += 1
        return count
      }
      var forged = datagram
      let place = turn &* 7919 % max(1, datagram.count * 8)
      forged[place / 8] ^= 1 << UInt8(place % 8)
      return [forged, datagram, datagram]
    }
    let (here, there) = try RTPWay(profile: profile).ends(room, through: relay)
    let video = try here.publish(.video)
    #expect(send(here, video, size: 3000) { there.video.units.entries.count > 100 })
    let (bad, numbers) = (dropped(there), there.video.units.entries.map(\.picture))
    #expect(bad.forged + bad.unknown > 200 && bad.replayed > 200, "\(bad)")
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    #expect(there.added.entries.count == 1)
    let isWhole = there.video.bytes.allSatisfy { $0.count == 500 || $0.count == 3000 }
    #expect(isWhole)
    room.close(here, there)
    relay.stop()
  }

  // MARK: Who is heard

  @Test func whoSpokeFirstIsAnswered() throws {
    let room = try RTPRoom(in: .emulated)
    let there = try room.waiter()
    let video = try there.publish(.video)
    #expect(there.send(RTPEnd.picture(100, isKey: true), 1, at: 0, on: video) == .noReceiver)
    let stranger = try Stranger(room)
    // Nothing that is not of this session makes anybody its other end.
    try stranger.send(
      [[0x80], [0x80, 96], [UInt8](repeating: 0x80, count: 40), Stranger.keyFrame(5, 1, 1, type: 77)], to: room.local(there))
    room.time.run(milliseconds: 50)
    #expect(there.send(RTPEnd.picture(100, isKey: true), 1, at: 0, on: video) == .noReceiver)
    #expect(there.count("receivers 1") == 0)
    // An end that only receives says so by a report.
    let report: [UInt8] = [0x80, 201, 0, 1] + Stranger.bytes(UInt32(77).bigEndian) + [0x81, 202, 0, 2, 0, 0, 0, 77, 1, 1, 97, 0]
    try stranger.send([report], to: room.local(there))
    #expect(room.time.waits { there.count("receivers 1") == 1 })
    #expect(there.send(RTPEnd.picture(100, isKey: true), 1, at: 0, on: video) == .sent)
    #expect(room.time.waits { stranger.received().contains { $0.count > 100 && $0[1] & 127 == 96 } })
    room.close(there)
  }

  @Test func aFloodFromElsewhereIsCountedWhileTheCallGoesOn() throws {
    let room = try RTPRoom(in: .emulated)
    let (here, there) = try RTPWay(isThereKnown: false).ends(room)
    let video = try here.publish(.video)
    #expect(send(here, video) { there.video.units.entries.count > 3 })
    let stranger = try Stranger(room, "127.0.0.2")
    let address = try room.local(there)
    let flood = (0..<64).map { Stranger.keyFrame(UInt32($0 + 1), UInt16($0), 0) }
    let before = there.video.units.entries.count
    var sent = 0
    #expect(
      send(here, video, every: 5) {
        for _ in 0..<4 {
          try? stranger.send(flood, to: address)
          sent += 64
        }
        return there.video.units.entries.count > before + 100
      })
    // What did not fit into the socket was nobody's.
    #expect(dropped(there).foreign > 1000 && dropped(there).foreign <= UInt64(sent))
    #expect(there.added.entries.count == 1 && there.count("joined") == 1)
    room.close(here, there)
  }

  @Test func aSenderThatBeginsAgainIsFollowed() throws {
    let room = try RTPRoom(in: .emulated)
    let there = try room.waiter()
    let address = try room.local(there)
    for round in 0..<3 as Range<Int> {
      // From another port, as another source, with other numbers.
      let stranger = try Stranger(room)
      let before = there.video.units.entries.count
      for index in 0..<100 {
        let number = UInt16(truncatingIfNeeded: 65_500 + round * 20_011 + index)
        let stamp = UInt32(truncatingIfNeeded: round * 1_000_003 + index * 1800)
        try stranger.send([Stranger.keyFrame(UInt32(100 + round), number, stamp)], to: address)
        // Until the stream is taken, only its newest key frame is kept.
        if index == 2 { #expect(room.time.waits { there.count("video") == round + 1 }) }
        room.time.run(milliseconds: 20)
      }
      #expect(room.time.waits { there.video.units.entries.count >= before + 95 })
      #expect(there.added.entries.count == round + 1)
      // Whoever speaks now is answered: reports come to his port.
      #expect(room.time.waits { stranger.received().contains { $0[1] == 201 || $0[1] == 202 } })
    }
    let times = there.video.units.entries.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 + 1_000_000_000 })
    room.close(there)
  }

  @Test func theSameSourceWithOtherNumbersGoesOnInTime() throws {
    let room = try RTPRoom(in: .emulated)
    let there = try room.waiter()
    let (stranger, address) = (try Stranger(room), try room.local(there))
    for round in 0..<3 as Range<Int> {
      let before = there.video.units.entries.count
      for index in 0..<50 {
        let (number, stamp) = (
          UInt16(truncatingIfNeeded: round * 20_011 + index), UInt32(truncatingIfNeeded: round &* 1_900_000_003 &+ index &* 1800)
        )
        try stranger.send([Stranger.keyFrame(100, number, stamp)], to: address)
        if index == 2 { #expect(room.time.waits { there.count("video") == 1 }) }
        room.time.run(milliseconds: 20)
      }
      #expect(room.time.waits { there.video.units.entries.count >= before + 40 })
    }
    #expect(there.added.entries.count == 1)
    let (now, times) = (room.clock.now(), there.video.units.entries.map(\.time))
    #expect(times.allSatisfy { abs($0 - now) < 30_000_000_000 })
    room.close(there)
  }

  // MARK: Where nobody is

  @Test func aPortThatIsTakenIsNamed() throws {
    let room = try RTPRoom(in: .emulated)
    let way = RTPWay()
    let taken = try Stranger(room)
    let address = try #require(taken.socket.localAddress)
    var configuration = try way.configuration("here")
    configuration.legs[0].local = address
    let here = RTPEnd(configuration, [], room)
    here.transport.connect(here)
    #expect(room.time.waits { here.events.entries == ["disconnected"] })
    #expect(here.errors.entries.first?.contains("exists cannot bind \(address)") == true, "\(here.errors.entries)")
    #expect(failure { _ = try here.publish(.video) }?.status == .state)
    room.close(here)
  }

  @Test func aPortIsFreeAsSoonAsOneHasLeft() throws {
    let room = try RTPRoom(in: .emulated)
    let first = try room.waiter()
    let address = try room.local(first)
    first.transport.disconnect()
    for _ in 0..<50 {
      var configuration = try RTPWay().configuration("here")
      configuration.legs[0].local = address
      let end = RTPEnd(configuration, [], room)
      end.transport.connect(end)
      let isConnected = room.time.waits { end.count("connected") == 1 }
      #expect(isConnected, "\(end.errors.entries)")
      end.transport.disconnect()
    }
    room.close(first)
  }

  // MARK: A bad way

  @Test(arguments: [true, false]) func lossesDelayAndDisorderAreMadeGood(_ hasRetransmission: Bool) throws {
    let room = try RTPRoom(in: .emulated)
    let relay = try RTPRelay(room, seed: 7)
    let (here, there) = try RTPWay(hasFeedback: true, hasRetransmission: hasRetransmission).ends(room, through: relay)
    let video = try here.publish(.video)
    #expect(send(here, video) { there.video.units.entries.count > 3 })
    relay.change(.init(loss: 0.05, delay: 20_000_000, reordering: 0.05))
    room.time.run(milliseconds: 300)
    let before = there.video.units.entries.count
    var sent: [[UInt8]] = []
    for index in 0..<150 {
      let picture = RTPEnd.picture(4000, isKey: index == 0 || here.count("key frame") > 0 && index % 50 == 0, seed: index)
      here.send(picture, FrameID(5000 + index), at: room.clock.now(), on: video)
      sent.append(picture)
      room.time.run(milliseconds: 20)
    }
    let isWhole = room.time.waits { there.video.units.entries.count >= before + 150 }
    let came = there.video.bytes.dropFirst(before)
    #expect(isWhole || here.count("key frame") > 0, "\(came.count) of 150")
    #expect(relay.lost > 10)
    // What came is what was sent, in its order.
    var rest = sent[...]
    for picture in came {
      guard let place = rest.firstIndex(of: picture) else {
        Issue.record("a picture that was not sent, or twice, or late")
        break
      }
      rest = rest[(place + 1)...]
    }
    #expect(came.count > 100)
    room.close(here, there)
    relay.stop()
  }

  @Test(arguments: [true, false]) func theEstimateFollowsTheWay(_ hasFeedback: Bool) throws {
    let room = try RTPRoom(in: .emulated)
    let relay = try RTPRelay(room, seed: 9)
    relay.change(.init(delay: 20_000_000, bandwidth: 4_000_000))
    var way = RTPWay(hasFeedback: hasFeedback)
    way.bitrates = .init(minimum: 50_000, start: 1_000_000, maximum: 3_000_000)
    let (here, there) = try way.ends(room, through: relay)
    let video = try here.publish(.video)
    // As an encoder does: what the estimate says, in pictures 30 times a second, larger ones where the machine is late.
    func run(_ seconds: Double, until isDone: () -> Bool) -> Bool {
      var last = room.clock.now()
      let end = last + Int64(seconds * 1e9)
      var index = 0
      while room.clock.now() < end {
        if isDone() { return true }
        let rate = min(here.estimates.entries.last ?? 2_000_000, 2_000_000)
        let passed = min(room.clock.now() - last, 300_000_000)
        last += passed
        let size = max(20, Int(Double(rate) / 8 * Double(passed) / 1e9 * 0.85))
        here.send(RTPEnd.picture(size, isKey: index % 30 == 0, seed: index), FrameID(index), at: room.clock.now(), on: video)
        index += 1
        room.time.run(milliseconds: 33)
      }
      return isDone()
    }
    _ = run(4) { false }
    if hasFeedback { #expect(run(20) { here.estimates.entries.last ?? 0 > 1_200_000 }, "\(here.estimates.entries.suffix(3))") }
    relay.change(.init(delay: 20_000_000, bandwidth: 300_000))
    // Twice what passes: where the machine is late, the encoder has less to send than it may, and nothing tells how narrow the way is.
    #expect(run(40) { here.estimates.entries.last ?? .max < 600_000 }, "\(here.estimates.entries.suffix(3))")
    relay.change(.init(delay: 20_000_000, bandwidth: 4_000_000))
    #expect(run(60) { here.estimates.entries.last ?? 0 > 800_000 }, "\(here.estimates.entries.suffix(3))")
    #expect(there.video.units.entries.count > 50)
    room.close(here, there)
    relay.stop()
  }
}
