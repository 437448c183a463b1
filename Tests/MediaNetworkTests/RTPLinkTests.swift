import Glibc
import MediaCore
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaNetwork

/// Two ends on the loopback interface, driven by the test's own thread.
private final class LinkedEnds {
  final class End: RTPSessionDelegate {
    var pictures: [[UInt8]] = []
    var sounds = 0
    var events: [RTPSessionEvent] = []

    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {}
    func session(received picture: PictureBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
      var bytes = [UInt8](repeating: 0, count: picture.size)
      let isThere = bytes.withUnsafeMutableBytes { take($0) }
      if isThere { pictures.append(bytes) }
    }
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) { sounds += 1 }
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
    func session(did event: RTPSessionEvent) { events.append(event) }
  }

  let (here, there) = (End(), End())
  let sender: RTPLink
  let receiver: RTPLink
  let address: SocketAddress
  let video: Int
  let audio: Int

  init(_ host: String, profile: SRTPProfile? = nil, theirKey: UInt8 = 1, isMultiplexed: Bool = true) throws {
    let any = try #require(SocketAddress(host, port: 0))
    let sockets = try (0..<4).map { _ in try DatagramSocket(binding: any) }
    let addresses = try sockets.map { try #require($0.localAddress) }
    address = addresses[1]
    let now = MediaTime.monotonic()
    var settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: now), seed: 3)
    settings.extensions.transportSequence = 3
    settings.bitrates = .init(minimum: 100_000, start: 8_000_000, maximum: 20_000_000)
    let types: [UInt8: RTPEncoding] = [96: .vp8, 97: .retransmission(of: 96), 111: .opus]
    func protection(_ own: UInt8, _ theirs: UInt8) throws -> RTPLink.Protection? {
      guard let profile else { return nil }
      func key(_ value: UInt8) throws -> SRTPKey {
        try SRTPKey([UInt8](repeating: value, count: profile.keySize + profile.saltSize), profile)
      }
      return try .init(profile, own: key(own), theirs: key(theirs))
    }
    let session = RTPSession(settings, receiving: types, now: now)
    var stream = OutgoingRTP(.vp8, ssrc: SSRC(7), payloadType: 96)
    stream.retransmission = (SSRC(8), 97)
    video = try session.addStream(stream)
    audio = try session.addStream(OutgoingRTP(.opus, ssrc: SSRC(9), payloadType: 111))
    sender = RTPLink(
      session, over: sockets[0], to: addresses[1], control: isMultiplexed ? nil : (sockets[2], addresses[3]), try protection(1, 2))
    settings.seed = 4
    // The other end hears from whom it is.
    receiver = RTPLink(
      RTPSession(settings, receiving: types, now: now), over: sockets[1], to: nil, control: isMultiplexed ? nil : (sockets[3], nil),
      try protection(2, theirKey))
  }

  func step() {
    let now = MediaTime.monotonic()
    sender.receive(now: now, here)
    receiver.receive(now: now, there)
    _ = sender.poll(now: now, here)
    _ = receiver.poll(now: now, there)
  }

  func run(upTo seconds: Double = 10, until isDone: () -> Bool) {
    let end = MediaTime.monotonic() + Int64(seconds * 1e9)
    while !isDone(), MediaTime.monotonic() < end {
      step()
      usleep(500)
    }
  }

  func send(_ pictures: Int) throws -> [[UInt8]] {
    var all: [[UInt8]] = []
    for index in 0..<pictures {
      var bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
      let head: [UInt8] = index == 0 ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
      bytes.replaceSubrange(0..<head.count, with: head)
      all.append(bytes)
      let now = MediaTime.monotonic()
      try bytes.withUnsafeBytes { try sender.session.send($0, number: UInt16(index), units: Int64(index) * 900, on: video, now: now) }
      try [UInt8]([31 << 3, 1, 2, 3]).withUnsafeBytes {
        try sender.session.send(sound: $0, units: Int64(index) * 480, marker: index == 0, on: audio, now: now)
      }
      let next = now + 10_000_000
      run { MediaTime.monotonic() >= next }
    }
    return all
  }
}

@Suite(.serialized) struct RTPLinkTests {
  private func meet(_ ends: LinkedEnds) throws {
    let sent = try ends.send(40)
    ends.run { ends.there.pictures.count >= 40 && ends.there.sounds >= 40 }
    let isWhole = ends.there.pictures == sent
    #expect(isWhole, "\(ends.there.pictures.count) of 40")
    #expect(ends.there.sounds == 40)
    // Reports come back.
    ends.run { ends.sender.session.smoothedRoundTrip != nil }
    #expect(ends.sender.session.smoothedRoundTrip != nil)
    #expect(ends.receiver.dropped == .init() && ends.sender.dropped == .init())
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func picturesAndSoundArrive(_ host: String) throws {
    try meet(LinkedEnds(host))
  }

  @Test(arguments: SRTPProfile.allCases) func protectedToo(_ profile: SRTPProfile) throws {
    try meet(LinkedEnds("127.0.0.1", profile: profile))
  }

  @Test func controlMayHavePortsOfItsOwn() throws {
    try meet(LinkedEnds("127.0.0.1", profile: .aesGCM, isMultiplexed: false))
  }

  @Test func whoHasAnotherKeyIsNotHeard() throws {
    let ends = try LinkedEnds("127.0.0.1", profile: .aesCounterSHA1, theirKey: 5)
    _ = try ends.send(5)
    ends.run(upTo: 2) { ends.receiver.dropped.forged > 5 }
    #expect(ends.receiver.dropped.forged > 5 && ends.there.pictures.isEmpty)
    #expect(!ends.there.events.contains { if case .streamBegan = $0 { true } else { false } })
    // Nor is it taken for the other end.
    #expect(ends.receiver.remote == nil)
  }

  @Test func othersAreNotHeardOnceTheEndIsKnown() throws {
    let ends = try LinkedEnds("127.0.0.1")
    _ = try ends.send(5)
    ends.run { ends.there.pictures.count == 5 }
    let stranger = try DatagramSocket(binding: #require(SocketAddress("127.0.0.2", port: 0)))
    let batch = DatagramBatch()
    for first in [0x80, 0x90, 0x16, 0x00] as [UInt8] {
      batch.begin()
      for _ in 0..<50 {
        let slot = try #require(batch.slot())
        slot[0] = first
        _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(40)), to: ends.address)
      }
      #expect(stranger.send(batch) == .all)
      ends.step()
    }
    ends.run { ends.receiver.dropped.foreign >= 200 }
    #expect(ends.receiver.dropped.foreign == 200)
    _ = try ends.send(5)
    ends.run { ends.there.pictures.count == 10 }
    #expect(ends.there.pictures.count == 10)
  }

  @Test func whatIsNoPacketIsCounted() throws {
    let ends = try LinkedEnds("127.0.0.1")
    let stranger = try DatagramSocket(binding: #require(SocketAddress("127.0.0.1", port: 0)))
    let batch = DatagramBatch()
    batch.begin()
    for first in [0, 3, 20, 63, 64, 127, 192, 255] as [UInt8] {
      let slot = try #require(batch.slot())
      slot[0] = first
      _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(30)), to: ends.address)
    }
    #expect(stranger.send(batch) == .all)
    ends.run { ends.receiver.dropped.unknown == 8 }
    #expect(ends.receiver.dropped.unknown == 8 && ends.receiver.remote == nil)
  }
}
