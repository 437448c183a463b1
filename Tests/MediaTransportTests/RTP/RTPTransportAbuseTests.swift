import CMediaSDK
import Glibc
import MediaCore
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaNetwork
@testable import MediaTransport

/// A socket of a test's own, for what no end of ours sends.
private final class Stranger {
  let socket: DatagramSocket
  private let batch = DatagramBatch()

  init(_ host: String = "127.0.0.1", port: UInt16 = 0) throws {
    socket = try DatagramSocket(binding: #require(SocketAddress(host, port: port)))
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

@Suite(.serialized) struct RTPTransportAbuseTests {
  private func send(
    _ end: RTPEnd, _ stream: StreamID, size: Int = 500, every: UInt32 = 20_000, for seconds: Double = 20, until isDone: () -> Bool
  ) -> Bool {
    let start = MediaTime.monotonic()
    var index: Int64 = 0
    while !isDone(), MediaTime.monotonic() < start + Int64(seconds * 1e9) {
      end.send(RTPEnd.picture(size, isKey: true, seed: Int(index)), FrameID(index), at: MediaTime.monotonic(), on: stream)
      index += 1
      usleep(every)
    }
    return isDone()
  }

  private func dropped(_ end: RTPEnd) -> SecureRTPPeer.Dropped {
    end.transport.state.withLock { $0.legs.first }?.look.dropped ?? .init()
  }

  private func local(_ end: RTPEnd) throws -> SocketAddress {
    try #require(end.transport.state.withLock { $0.sockets.first }?.localAddress)
  }

  /// One end, that knows nobody.
  private func waiter(_ room: RTPRoom, _ way: RTPWay = RTPWay()) throws -> RTPEnd {
    let configuration = try way.configuration("waits", own: 2, theirs: 1)
    let end = RTPEnd(configuration, try RTPWay.bind(configuration), room)
    end.transport.connect(end)
    return end
  }

  // MARK: Keys

  @Test(arguments: SRTPProfile.allCases) func ofAnotherKeyNothingComes(_ profile: SRTPProfile) throws {
    let room = try RTPRoom()
    let (here, there) = try RTPWay(profile: profile).ends(room, theirKey: 9)
    // Each has the other's wrong: `here` opens with 9 what was sealed with 2.
    let video = try there.publish(.video)
    #expect(send(there, video) { dropped(here).forged > 30 })
    #expect(here.added.entries.isEmpty && here.count("joined") == 0)
    #expect(dropped(here).replayed == 0)
    room.close(here, there)
  }

  @Test(arguments: SRTPProfile.allCases) func whatWasTamperedWithOrComesAgainIsDropped(_ profile: SRTPProfile) throws {
    let room = try RTPRoom()
    let count = Monitor(0)
    // Each datagram, with a bit turned, and again.
    let relay = try RTPRelay(seed: 1) { datagram, _ in
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
    let room = try RTPRoom()
    let there = try waiter(room)
    let video = try there.publish(.video)
    #expect(there.send(RTPEnd.picture(100, isKey: true), 1, at: 0, on: video) == .noReceiver)
    let stranger = try Stranger()
    // Nothing that is not of this session makes anybody its other end.
    try stranger.send([[0x80], [0x80, 96], [UInt8](repeating: 0x80, count: 40), Stranger.keyFrame(5, 1, 1, type: 77)], to: local(there))
    usleep(50_000)
    #expect(there.send(RTPEnd.picture(100, isKey: true), 1, at: 0, on: video) == .noReceiver)
    #expect(there.count("receivers 1") == 0)
    // An end that only receives says so by a report.
    let report: [UInt8] = [0x80, 201, 0, 1] + Stranger.bytes(UInt32(77).bigEndian) + [0x81, 202, 0, 2, 0, 0, 0, 77, 1, 1, 97, 0]
    try stranger.send([report], to: local(there))
    #expect(eventually { there.count("receivers 1") == 1 })
    #expect(there.send(RTPEnd.picture(100, isKey: true), 1, at: 0, on: video) == .sent)
    #expect(eventually { stranger.received().contains { $0.count > 100 && $0[1] & 127 == 96 } })
    room.close(there)
  }

  @Test func aFloodFromElsewhereIsCountedWhileTheCallGoesOn() throws {
    let room = try RTPRoom()
    let (here, there) = try RTPWay(isThereKnown: false).ends(room)
    let video = try here.publish(.video)
    #expect(send(here, video) { there.video.units.entries.count > 3 })
    let stranger = try Stranger("127.0.0.2")
    let address = try local(there)
    let flood = (0..<64).map { Stranger.keyFrame(UInt32($0 + 1), UInt16($0), 0) }
    let before = there.video.units.entries.count
    var sent = 0
    #expect(
      send(here, video, every: 5000) {
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
    let room = try RTPRoom()
    let there = try waiter(room)
    let address = try local(there)
    for round in 0..<3 as Range<Int> {
      // From another port, as another source, with other numbers.
      let stranger = try Stranger()
      let before = there.video.units.entries.count
      for index in 0..<100 {
        let number = UInt16(truncatingIfNeeded: 65_500 + round * 20_011 + index)
        let stamp = UInt32(truncatingIfNeeded: round * 1_000_003 + index * 1800)
        try stranger.send([Stranger.keyFrame(UInt32(100 + round), number, stamp)], to: address)
        // Until the stream is taken, only its newest key frame is kept.
        if index == 2 { #expect(eventually { there.count("video") == round + 1 }) }
        usleep(20_000)
      }
      #expect(eventually { there.video.units.entries.count >= before + 95 })
      #expect(there.added.entries.count == round + 1)
      // Whoever speaks now is answered: reports come to his port.
      #expect(eventually { stranger.received().contains { $0[1] == 201 || $0[1] == 202 } })
    }
    let times = there.video.units.entries.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 + 1_000_000_000 })
    room.close(there)
  }

  @Test func theSameSourceWithOtherNumbersGoesOnInTime() throws {
    let room = try RTPRoom()
    let there = try waiter(room)
    let (stranger, address) = (try Stranger(), try local(there))
    for round in 0..<3 as Range<Int> {
      let before = there.video.units.entries.count
      for index in 0..<50 {
        let (number, stamp) = (
          UInt16(truncatingIfNeeded: round * 20_011 + index), UInt32(truncatingIfNeeded: round &* 1_900_000_003 &+ index &* 1800)
        )
        try stranger.send([Stranger.keyFrame(100, number, stamp)], to: address)
        if index == 2 { #expect(eventually { there.count("video") == 1 }) }
        usleep(20_000)
      }
      #expect(eventually { there.video.units.entries.count >= before + 40 })
    }
    #expect(there.added.entries.count == 1)
    let (now, times) = (MediaTime.monotonic(), there.video.units.entries.map(\.time))
    #expect(times.allSatisfy { abs($0 - now) < 30_000_000_000 })
    room.close(there)
  }

  // MARK: Too much

  @Test func bombsOfControlLeaveMemoryFlat() throws {
    func resident() -> Int {
      guard let file = fopen("/proc/self/statm", "r") else { return 0 }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 128)
      guard fgets(&line, 128, file) != nil else { return 0 }
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
      return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * 4096
    }
    let room = try RTPRoom()
    let there = try waiter(room)
    let video = try there.publish(.video)
    let (stranger, address) = (try Stranger(), try local(there))
    try stranger.send([Stranger.keyFrame(5, 1, 1)], to: address)
    #expect(eventually { there.count("receivers 1") == 1 })
    func bomb(_ number: Int) -> [UInt8] {
      var random = SeededRandom(seed: UInt64(number))
      let source = UInt32.random(in: 1...(.max), using: &random)
      var packet: [UInt8] = [0x80 | 31, 201] + Stranger.bytes(UInt16(1 + 31 * 6).bigEndian) + Stranger.bytes(source.bigEndian)
      for _ in 0..<31 * 24 { packet.append(UInt8.random(in: 0...255, using: &random)) }
      packet += [0x81, 202, 0, 2] + Stranger.bytes(source.bigEndian) + [1, 1, 97, 0]
      // Goodbyes of 31, and requests for what never was.
      packet += [0x80 | 31, 203] + Stranger.bytes(UInt16(31).bigEndian)
      for _ in 0..<31 * 4 { packet.append(UInt8.random(in: 0...255, using: &random)) }
      return packet
    }
    func bombard(_ range: Range<Int>) throws {
      for start in stride(from: range.lowerBound, to: range.upperBound, by: 32) {
        try stranger.send((start..<start + 32).map(bomb), to: address)
        _ = stranger.received()
        there.send(RTPEnd.picture(300, isKey: true), FrameID(start), at: MediaTime.monotonic(), on: video)
        usleep(1000)
      }
    }
    try bombard(0..<3200)
    // Of three rounds the quietest: other tests run in this process.
    let growth = try (0..<3).map { round in
      let before = resident()
      try bombard(3200 + round * 4800..<8000 + round * 4800)
      return resident() - before
    }
    #expect(growth.min() ?? .max < 4 << 20, "\(growth)")
    // And it still works.
    for index in 2..<60 as Range<UInt16> {
      try stranger.send([Stranger.keyFrame(6, index, UInt32(index) * 1800)], to: address)
      usleep(20_000)
    }
    #expect(eventually { there.video.units.entries.count > 20 })
    room.close(there)
  }

  @Test func ofAFullBufferNothingIsLostWithoutAWord() throws {
    let room = try RTPRoom()
    let way = RTPWay(hasNACK: false, hasRetransmission: false)
    var (first, second) = (try way.configuration("here", own: 1, theirs: 2), try way.configuration("there", own: 2, theirs: 1))
    let (mine, theirs) = (try RTPWay.bind(first), try RTPWay.bind(second))
    RTPWay.point(&first, at: theirs)
    RTPWay.point(&second, at: mine)
    var size: Int32 = 1
    setsockopt(mine[0].media.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    let (here, there) = (RTPEnd(first, mine, room), RTPEnd(second, theirs, room))
    here.transport.connect(here)
    there.transport.connect(there)
    let video = try here.publish(.video)
    #expect(send(here, video) { there.video.units.entries.count > 3 })
    usleep(100_000)
    let before = there.video.units.entries.count
    var sent = 0
    for index in 0..<40 {
      if here.send(RTPEnd.picture(60_000, isKey: true, seed: index), FrameID(1000 + index), at: MediaTime.monotonic(), on: video) == .sent {
        sent += 1
      }
      usleep(10_000)
    }
    _ = eventually(3) { there.video.units.entries.count >= before + sent }
    let (came, lost) = (there.video.units.entries.count - before, dropped(here))
    #expect(came > 0 && (came == sent || lost.unsent + lost.failed > 0), "\(came) of \(sent), \(lost)")
    room.close(here, there)
  }

  // MARK: Where nobody is

  @Test func aPortThatIsTakenIsNamed() throws {
    let room = try RTPRoom()
    let way = RTPWay()
    let taken = try Stranger()
    let address = try #require(taken.socket.localAddress)
    var configuration = try way.configuration("here")
    configuration.legs[0].local = address
    let here = RTPEnd(configuration, [], room)
    here.transport.connect(here)
    #expect(eventually { here.events.entries == ["disconnected"] })
    #expect(here.errors.entries.first?.contains("exists cannot bind \(address)") == true, "\(here.errors.entries)")
    #expect(failure { _ = try here.publish(.video) }?.status == .state)
    room.close(here)
  }

  @Test func aPortIsFreeAsSoonAsOneHasLeft() throws {
    let room = try RTPRoom()
    let first = try waiter(room)
    let address = try local(first)
    first.transport.disconnect()
    for _ in 0..<50 {
      var configuration = try RTPWay().configuration("here")
      configuration.legs[0].local = address
      let end = RTPEnd(configuration, [], room)
      end.transport.connect(end)
      let isConnected = eventually { end.count("connected") == 1 }
      #expect(isConnected, "\(end.errors.entries)")
      end.transport.disconnect()
    }
    room.close(first)
  }

  @Test func anEndThatComesLaterIsReached() throws {
    let room = try RTPRoom()
    let way = RTPWay()
    var place: Stranger? = try Stranger()
    let address = try #require(place?.socket.localAddress)
    var first = try way.configuration("here", own: 1, theirs: 2)
    let mine = try RTPWay.bind(first)
    first.legs[0].remote = address
    let here = RTPEnd(first, mine, room)
    here.transport.connect(here)
    let video = try here.publish(.video)
    place = nil
    var second = try way.configuration("there", own: 2, theirs: 1)
    second.legs[0].local = address
    RTPWay.point(&second, at: mine)
    for round in 0..<2 {
      // Nobody listens, and the kernel says so by ICMP.
      _ = send(here, video, for: 0.5) { false }
      let there = RTPEnd(second, [], room)
      there.transport.connect(there)
      #expect(send(here, video) { there.video.units.entries.count > 10 }, "\(round) \(there.errors.entries)")
      there.transport.disconnect()
    }
    #expect(dropped(here).failed == 0)
    room.close(here)
  }

  // MARK: A bad way

  @Test(arguments: [true, false]) func lossesDelayAndDisorderAreMadeGood(_ hasRetransmission: Bool) throws {
    let room = try RTPRoom()
    let relay = try RTPRelay(seed: 7)
    let (here, there) = try RTPWay(hasFeedback: true, hasRetransmission: hasRetransmission).ends(room, through: relay)
    let video = try here.publish(.video)
    #expect(send(here, video) { there.video.units.entries.count > 3 })
    relay.change(.init(loss: 0.05, delay: 20_000_000, reordering: 0.05))
    usleep(300_000)
    let before = there.video.units.entries.count
    var sent: [[UInt8]] = []
    for index in 0..<150 {
      let picture = RTPEnd.picture(4000, isKey: index == 0 || here.count("key frame") > 0 && index % 50 == 0, seed: index)
      here.send(picture, FrameID(5000 + index), at: MediaTime.monotonic(), on: video)
      sent.append(picture)
      usleep(20_000)
    }
    let isWhole = eventually { there.video.units.entries.count >= before + 150 }
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
    let room = try RTPRoom()
    let relay = try RTPRelay(seed: 9)
    relay.change(.init(delay: 20_000_000, bandwidth: 4_000_000))
    var way = RTPWay(hasFeedback: hasFeedback)
    way.bitrates = .init(minimum: 50_000, start: 1_000_000, maximum: 3_000_000)
    let (here, there) = try way.ends(room, through: relay)
    let video = try here.publish(.video)
    // As an encoder does: what the estimate says, in pictures 30 times a second, larger ones where the machine is late.
    func run(_ seconds: Double, until isDone: () -> Bool) -> Bool {
      var last = MediaTime.monotonic()
      let end = last + Int64(seconds * 1e9)
      var index = 0
      while MediaTime.monotonic() < end {
        if isDone() { return true }
        let rate = min(here.estimates.entries.last ?? 2_000_000, 2_000_000)
        let passed = min(MediaTime.monotonic() - last, 300_000_000)
        last += passed
        let size = max(20, Int(Double(rate) / 8 * Double(passed) / 1e9 * 0.85))
        here.send(RTPEnd.picture(size, isKey: index % 30 == 0, seed: index), FrameID(index), at: MediaTime.monotonic(), on: video)
        index += 1
        usleep(33_000)
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
