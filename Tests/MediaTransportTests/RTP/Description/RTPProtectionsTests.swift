import Glibc
import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaTransport

@Suite struct RTPProtectionsTests {
  private func keys(_ own: UInt8, _ theirs: UInt8) throws -> RTPConfiguration.Keys {
    let profile = SRTPProfile.aesGCM
    func key(_ value: UInt8) throws -> SRTPKey {
      try SRTPKey([UInt8](repeating: value, count: profile.keySize + profile.saltSize), profile)
    }
    return RTPConfiguration.Keys(profile, own: try key(own), theirs: try key(theirs))
  }

  @Test func theyLastAsLongAsTheirKeys() throws {
    let protections = RTPProtections()
    let first = try protections.protection(ofLeg: 0, keys(1, 2))
    #expect(try protections.protection(ofLeg: 0, keys(1, 2)) === first)
    #expect(try protections.protection(ofLeg: 1, keys(1, 2)) !== first)
    #expect(try protections.protection(ofLeg: 0, keys(3, 2)) !== first)
  }

  /// Sound that was recorded from one connection, sent again to the next one by somebody who has no key.
  @Test(.timeLimit(.minutes(1))) func whatWasRecordedFromOneConnectionMeansNothingToTheNext() throws {
    let any = try #require(SocketAddress("127.0.0.1", port: 0))
    let (listening, stranger) = (try DatagramSocket(binding: any), try DatagramSocket(binding: any))
    let address = try #require(listening.localAddress)
    let protections = RTPProtections()
    let now = MediaTime.monotonic()

    // What the other end sealed in its time.
    let theirs = try SRTPSender(.aesGCM, keys(1, 2).theirs)
    let recorded = try (0..<5).map { number in
      let packet: [UInt8] = [0x80, 111, 0, UInt8(number), 0, 0, UInt8(number), 0, 0, 0, 0, 77, 31 << 3, 1, 2, 3]
      return try sealed(packet, theirs)
    }
    func link() throws -> RTPLink {
      let settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: now), seed: 1)
      return RTPLink(
        RTPSession(settings, receiving: [111: .opus], now: now), over: listening, to: nil, try protections.protection(ofLeg: 0, keys(1, 2)))
    }
    for connection in 0..<2 {
      let (link, end) = (try link(), Sounds())
      let batch = DatagramBatch()
      for packet in recorded {
        let slot = try #require(batch.slot())
        slot.copyBytes(from: packet)
        _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(packet.count)), to: address)
      }
      guard case .all = stranger.send(batch, from: 0) else {
        Issue.record("not sent")
        return
      }
      while link.dropped.replayed + link.session.pathStats.packetsReceived < 5 {
        link.receive(now: MediaTime.monotonic(), end)
        usleep(500)
      }
      #expect(link.session.pathStats.packetsReceived == (connection == 0 ? 5 : 0))
      #expect(link.dropped.replayed == (connection == 0 ? 0 : 5))
      #expect(end.streams == (connection == 0 ? 1 : 0))
      link.leave(now: MediaTime.monotonic())
    }
  }

  private func sealed(_ packet: [UInt8], _ sender: SRTPSender) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: packet.count + sender.profile.tagSize)
    _ = try packet.withUnsafeBytes { packet in try output.withUnsafeMutableBytes { output in try sender.protect(packet, into: output) } }
    return output
  }
}

private final class Sounds: RTPSessionDelegate {
  var streams = 0
  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {}
  func session(received picture: PictureBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
  func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
  func session(did event: RTPSessionEvent) { if case .streamBegan = event { streams += 1 } }
}
