import CMediaSDK
import MediaCore
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaNetwork

@Suite struct SecureRTPPeerTests {
  private func meet(_ pair: PeerPair, from first: Int = 0) throws {
    for index in first..<first + 40 {
      try pair.send(video: true, index)
      for _ in 0..<2 {
        try pair.send(video: false, index)
        pair.run(20)
      }
    }
    pair.run(500)
    let videos = pair.there.frames.filter(\.isVideo).map(\.bytes)
    let isWhole = videos == (first..<first + 40).map { PeerPair.bytes(video: true, $0) }
    #expect(isWhole, "\(videos.count) of 40")
    #expect(pair.there.frames.count { !$0.isVideo } == 80)
    // Reports come back.
    #expect(pair.here.peer.session.smoothedRoundTrip.map { (9_000_000...20_000_000).contains($0) } == true)
    #expect(pair.there.peer.dropped == .init() && pair.here.peer.dropped == .init())
  }

  @Test func videoAndAudioArrive() throws {
    try meet(PeerPair())
  }

  @Test(arguments: SRTPProfile.allCases, [false, true]) func protectedToo(_ profile: SRTPProfile, hasControl: Bool) throws {
    let keys = (try PeerPair.protection(profile, 1, 2), try PeerPair.protection(profile, 2, 1))
    let pair = try PeerPair(.protected(keys.0), .protected(keys.1), hasControl: hasControl)
    try meet(pair)
  }

  /// As a relay wants it: something before, something after.
  @Test func packetsAreWrappedInPlace() throws {
    let keys = (try PeerPair.protection(.aesGCM, 1, 2), try PeerPair.protection(.aesGCM, 2, 1))
    let pair = try PeerPair(.protected(keys.0), .protected(keys.1))
    var isRefusing = false
    pair.here.peer.wrap(
      .init(headRoom: 48, tailRoom: 3) { memory, payload in
        #expect(payload.lowerBound == 48 && memory.count - payload.upperBound >= 3)
        if isRefusing { return nil }
        memory.storeBytes(of: 0xABCD, toByteOffset: payload.lowerBound - 4, as: UInt32.self)
        memory[payload.upperBound] = 0xEF
        return (payload.lowerBound - 4)..<(payload.upperBound + 1)
      })
    try pair.send(video: true, 0)
    _ = pair.here.peer.poll(now: pair.now, pair.here.put(pair.now))
    #expect(pair.here.sent.count >= 3)
    for place in pair.here.sent.indices {
      let bytes = pair.here.sent[place].bytes
      #expect(bytes.prefix(4) == [0xCD, 0xAB, 0, 0] && bytes.last == 0xEF)
      pair.here.sent[place].bytes = Array(bytes.dropFirst(4).dropLast())
    }
    isRefusing = true
    try pair.send(video: false, 0)
    _ = pair.here.peer.poll(now: pair.now, pair.here.put(pair.now))
    #expect(pair.here.peer.dropped.failed > 0 && pair.here.sent.count < 40)
    pair.here.peer.wrap(nil)
    pair.run(500)
    #expect(pair.there.frames.map(\.bytes) == [PeerPair.bytes(video: true, 0)] && pair.there.peer.dropped == .init())
  }

  /// A stream of a codec that is only carried comes and goes; the others do not notice.
  @Test func whatIsAgreedOnMayChangeInMidCall() throws {
    let keys = (try PeerPair.protection(.aesGCM, 1, 2), try PeerPair.protection(.aesGCM, 2, 1))
    let pair = try PeerPair(.protected(keys.0), .protected(keys.1))
    try meet(pair)
    var (here, there) = (pair.here.peer.session.configuration, pair.there.peer.session.configuration)
    here.media[0].sending.append(OutgoingRTP(.av1, ssrc: SSRC(11), payloadType: 45))
    there.media[0].receiving[45] = .av1
    try pair.here.peer.apply(here, now: pair.now)
    try pair.there.peer.apply(there, now: pair.now)
    // A sequence header and a key frame, by libaom.
    let head: [UInt8] = [0x12, 0, 0x0A, 0x0B, 0, 0, 0, 4, 0x3D, 0x06, 0xD4, 0xDA, 0xF9, 0, 0x40, 0x32, 0xE8, 0x07, 0x10, 0, 0x84, 0]
    let bytes = head + (4..<1000).map { UInt8(truncatingIfNeeded: $0) }
    var attributes = msdk_encoded_frame()
    (attributes.codec, attributes.timestamp_ns) = (UInt32(MSDK_CODEC_AV1), pair.now)
    let pool = BufferPool(limit: 4)
    let made = try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
    let frame = try #require(made)
    defer { frame.release() }
    let stream = try #require(pair.here.peer.session.stream(sending: SSRC(11)))
    try pair.here.peer.send(frame, number: 0, on: stream, isVoice: false, now: pair.now)
    pair.run(100)
    #expect(pair.there.frames.last?.bytes == bytes)
    let said = pair.there.attributes
    #expect(said.codec == UInt32(MSDK_CODEC_AV1) && said.flags & UInt32(MSDK_ENCODED_KEY) != 0 && said.width == 322 && said.height == 182)
    here.media[0].sending.removeLast()
    there.media[0].receiving[45] = nil
    try pair.here.peer.apply(here, now: pair.now)
    try pair.there.peer.apply(there, now: pair.now)
    #expect(throws: PacketError.self) { try pair.here.peer.send(frame, number: 1, on: stream, isVoice: false, now: pair.now) }
    pair.there.frames = []
    try meet(pair, from: 40)
    #expect(pair.there.events.contains(.streamEnded(SSRC(11))) && !pair.there.events.contains(.streamEnded(SSRC(7))))
  }

  /// As where another layer of a stream takes over: two frames of one capture time are two frames to every receiver.
  @Test func noTwoFramesHaveOneTimestamp() throws {
    let pair = try PeerPair()
    let begin = pair.now
    for (index, offset) in [0, 0, -5_000_000, 40_000_000, -500_000_000].enumerated() {
      pair.now = begin + Int64(offset)
      try pair.send(video: true, index, size: 100)
    }
    pair.now = begin + 100_000_000
    _ = pair.here.peer.poll(now: pair.now, pair.here.put(pair.now))
    let stamps = pair.here.sent.map(\.bytes).filter { $0[1] & 0x7F == 96 }
      .map { bytes in bytes[4..<8].reduce(0 as UInt32) { $0 << 8 | UInt32($1) } }
    #expect(stamps.map { Int32(bitPattern: $0 &- stamps[0]) } == [0, 1, 2, 3600, -45_000])
  }

  @Test func controlMayHaveAPortOfItsOwn() throws {
    let pair = try PeerPair(hasControl: true)
    try pair.send(video: false, 0)
    _ = pair.here.peer.poll(now: pair.now, pair.here.put(pair.now))
    pair.here.peer.greet(now: pair.now)
    pair.here.peer.flush(pair.here.put(pair.now))
    let control = pair.here.sent.filter { $0.lane == .control }
    #expect(!control.isEmpty && control.allSatisfy { 200...207 ~= $0.bytes[1] && $0.address.port == 2001 })
    #expect(pair.here.sent.contains { $0.lane == .media && $0.address.port == 2000 })
    // Another one than the next.
    pair.here.sent = []
    pair.here.peer.select(try PeerPair.address(2077), for: .control)
    pair.here.peer.greet(now: pair.now)
    pair.here.peer.flush(pair.here.put(pair.now))
    #expect(pair.here.sent.map(\.address.port) == [2077])
  }

  @Test func whoHasAnotherKeyIsNotHeard() throws {
    let keys = (try PeerPair.protection(.aesCounterSHA1, 1, 2), try PeerPair.protection(.aesCounterSHA1, 2, 5))
    let pair = try PeerPair(.protected(keys.0), .protected(keys.1))
    try pair.send(video: true, 0)
    pair.run(200)
    #expect(pair.there.peer.dropped.forged > 2 && pair.there.frames.isEmpty && !pair.there.hasStream)
  }

  @Test func whatComesTwiceIsTakenOnce() throws {
    let keys = (try PeerPair.protection(.aesGCM, 1, 2), try PeerPair.protection(.aesGCM, 2, 1))
    let pair = try PeerPair(.protected(keys.0), .protected(keys.1))
    try pair.send(video: false, 0)
    _ = pair.here.peer.push(now: pair.now, pair.here.put(pair.now))
    let count = pair.here.sent.count
    pair.here.sent += pair.here.sent
    pair.run(200)
    #expect(pair.there.peer.dropped.replayed == UInt64(count) && pair.there.frames.count == 1)
  }

  @Test func whatIsNoPacketIsCounted() throws {
    let pair = try PeerPair()
    for first in [0, 3, 20, 63, 64, 79, 127, 192, 255] as [UInt8] {
      let datagram = [first] + [UInt8](repeating: 0, count: 29)
      let isTaken = datagram.withUnsafeBytes { pair.there.peer.receive($0, from: pair.here.address, now: pair.now) }
      #expect(!isTaken)
    }
    #expect(pair.there.peer.dropped.unknown == 9)
    #expect(pair.there.peer.session.pathStats.packetsReceived == 0)
  }

  /// With DTLS the other end may send before its last message of the handshake was read here.
  @Test func packetsThatComeBeforeTheKeysAreOpenedWithThem() throws {
    let pair = try PeerPair(.protected(try PeerPair.protection(.aesGCM, 1, 2)), .awaited)
    try pair.send(video: false, 0)
    pair.run(20)
    #expect(pair.there.frames.isEmpty && !pair.there.hasStream && pair.there.peer.session.pathStats.packetsReceived == 0)
    // Nothing left in the clear.
    #expect(pair.there.peer.session.pathStats.packetsSent == 0)
    #expect(pair.there.peer.poll(now: pair.now, pair.there.put(pair.now)) == .max)
    let before = pair.now
    pair.run(65)
    pair.there.peer.install(try PeerPair.protection(.aesGCM, 2, 1), now: pair.now)
    pair.run(100)
    #expect(pair.there.frames.count == 1)
    // What a report says of the other end's clock was so when it came.
    let captured = try #require(pair.there.frames.first?.time)
    #expect(captured <= before, "\((captured - before) / 1_000_000)")
    #expect(pair.there.peer.dropped == .init())
  }

  @Test func notMoreOfThemThanABound() throws {
    let pair = try PeerPair(.plain, .awaited)
    let datagram = [0x80] + [UInt8](repeating: 0, count: 30)
    for _ in 0..<100 { _ = datagram.withUnsafeBytes { pair.there.peer.receive($0, from: pair.here.address, now: pair.now) } }
    #expect(pair.there.peer.dropped.unknown == UInt64(100 - SecureRTPPeer.mostEarly))
  }

  @Test func whatLeavesGoesToThePathThatWasSelected() throws {
    let pair = try PeerPair()
    pair.here.peer.select(nil)
    try pair.send(video: false, 0)
    pair.run(20)
    #expect(pair.here.sent.isEmpty)
    pair.here.peer.select(try PeerPair.address(3000))
    try pair.send(video: false, 1)
    _ = pair.here.peer.push(now: pair.now, pair.here.put(pair.now))
    #expect(!pair.here.sent.isEmpty && pair.here.sent.allSatisfy { $0.address.port == 3000 })
  }

  /// More than a batch of datagrams: none is lost, whatever the socket takes.
  @Test(arguments: [nil, 0, 1, 7, 55]) func aFrameOfManyDatagramsLeavesAsTheSocketHasRoom(_ room: Int?) throws {
    let pair = try PeerPair(rate: 1_000_000_000)
    try pair.send(video: true, 0, size: 200_000)
    pair.here.room = room
    let next = pair.here.peer.push(now: pair.now, pair.here.put(pair.now))
    if let room {
      #expect(next == pair.now + 1_000_000 && pair.here.sent.count == room)
    } else {
      #expect(pair.here.sent.count > 2 * DatagramBatch.capacity)
    }
    pair.run(100)
    pair.here.room = nil
    pair.run(500)
    #expect(pair.there.frames.map(\.bytes) == [PeerPair.bytes(video: true, 0, size: 200_000)])
    #expect(pair.here.peer.dropped == .init())
  }

  @Test func whatTheNetworkRefusesIsCounted() throws {
    let pair = try PeerPair()
    try pair.send(video: false, 0)
    _ = pair.here.peer.push(now: pair.now) { _, _, _ in .failed(0, errno: 101) }
    #expect(pair.here.peer.dropped.failed > 0)
  }

  @Test func nothingPassesOnceItIsClosed() throws {
    let pair = try PeerPair()
    try pair.send(video: false, 0)
    pair.here.peer.close()
    #expect(pair.here.peer.poll(now: pair.now, pair.here.put(pair.now)) == .max)
    pair.here.peer.greet(now: pair.now)
    pair.here.peer.leave(now: pair.now)
    pair.here.peer.flush(pair.here.put(pair.now))
    #expect(pair.here.sent.isEmpty)
    let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 5]
    let isTaken = report.withUnsafeBytes { pair.here.peer.receive($0, from: pair.there.address, now: pair.now) }
    #expect(!isTaken)
  }

  /// RFC 3551, section 4.1: the marker is the beginning of a talkspurt; and RFC 6464: the level says whether somebody speaks.
  @Test func audioAfterAPauseBeginsATalkspurt() throws {
    let pair = try PeerPair()
    var map = ExtensionMap()
    (map.transportSequence, map.audioLevel) = (3, 4)
    var markers: [Bool] = []
    for pause in [20, 20, 20, 200, 20] {
      pair.here.sent = []
      try pair.send(video: false, 0, isVoice: pause == 200)
      _ = pair.here.peer.push(now: pair.now, pair.here.put(pair.now))
      let packets = try pair.here.sent.filter { $0.bytes[1] & 127 == 111 }.map { datagram in
        try datagram.bytes.withUnsafeBytes { try RTPPacket(parsing: $0, map).header }
      }
      #expect(packets.map { $0.extensions.audioLevel?.isVoice } == [pause == 200])
      markers += packets.map(\.marker)
      pair.now += Int64(pause) * 1_000_000
    }
    #expect(markers == [true, false, false, false, true])
  }

  private final class Tap: PacketTap, @unchecked Sendable {
    let seesPlain: Bool
    var seen: [(bytes: [UInt8], from: SocketAddress, to: SocketAddress)] = []
    init(_ seesPlain: Bool) { self.seesPlain = seesPlain }
    func saw(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, to destination: SocketAddress) {
      seen.append((Array(datagram), source, destination))
    }
  }

  @Test(arguments: [false, true]) func aTapSeesWhatPasses(_ seesPlain: Bool) throws {
    let keys = (try PeerPair.protection(.aesGCM, 1, 2), try PeerPair.protection(.aesGCM, 2, 1))
    let pair = try PeerPair(.protected(keys.0), .protected(keys.1))
    let taps = (Tap(seesPlain), Tap(seesPlain))
    pair.here.peer.watch(taps.0, local: pair.here.address)
    pair.there.peer.watch(taps.1, local: pair.there.address)
    try pair.send(video: false, 9)
    pair.run(10)
    let sent = taps.0.seen.filter { $0.from == pair.here.address }
    let came = taps.1.seen.filter { $0.to == pair.there.address }
    #expect(!sent.isEmpty && sent.map(\.bytes) == came.map(\.bytes))
    #expect(sent.contains { $0.bytes.suffix(4) == [31 << 3, 1, 2, 9] } == seesPlain)
  }
}
