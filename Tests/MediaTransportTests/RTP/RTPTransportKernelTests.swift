import Glibc
import MediaCore
import MediaRTP
import Testing

@testable import MediaNetwork
@testable import MediaTransport

/// What only the kernel's sockets do: buffers that are full, and ports of which ICMP says that nobody is there. And what is measured of the whole
/// process, in which nothing else runs meanwhile.
@Suite(.serialized) struct RTPTransportKernelTests {
  private func send(_ end: RTPEnd, _ stream: StreamID, for seconds: Double = 20, until isDone: () -> Bool) -> Bool {
    let start = MediaTime.monotonic()
    var index: Int64 = 0
    while !isDone(), MediaTime.monotonic() < start + Int64(seconds * 1e9) {
      end.send(RTPEnd.picture(500, isKey: true, seed: Int(index)), FrameID(index), at: MediaTime.monotonic(), on: stream)
      index += 1
      usleep(20_000)
    }
    return isDone()
  }

  private func dropped(_ end: RTPEnd) -> SecureRTPPeer.Dropped {
    end.transport.state.withLock { $0.legs.first }?.look.dropped ?? .init()
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

  @Test func anEndThatComesLaterIsReached() throws {
    let room = try RTPRoom()
    let way = RTPWay()
    var place: DatagramSocket? = try DatagramSocket(binding: #require(SocketAddress("127.0.0.1", port: 0)))
    let address = try #require(place?.localAddress)
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
    let there = try room.waiter()
    let video = try there.publish(.video)
    let (stranger, address) = (try Stranger(room), try room.local(there))
    try stranger.send([Stranger.keyFrame(5, 1, 1)], to: address)
    #expect(room.time.waits { there.count("receivers 1") == 1 })
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
        there.send(RTPEnd.picture(300, isKey: true), FrameID(start), at: room.clock.now(), on: video)
        room.time.run(milliseconds: 1)
      }
    }
    try bombard(0..<3200)
    // Of three rounds the quietest.
    let growth = try (0..<3).map { round in
      let before = resident()
      try bombard(3200 + round * 4800..<8000 + round * 4800)
      return resident() - before
    }
    #expect(growth.min() ?? .max < 4 << 20, "\(growth)")
    // And it still works.
    for index in 2..<60 as Range<UInt16> {
      try stranger.send([Stranger.keyFrame(6, index, UInt32(index) * 1800)], to: address)
      room.time.run(milliseconds: 20)
    }
    #expect(room.time.waits { there.video.units.entries.count > 20 })
    room.close(there)
  }
}
