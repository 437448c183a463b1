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
  @Test func whatWasRecordedFromOneConnectionMeansNothingToTheNext() throws {
    let stranger = try #require(SocketAddress("192.0.2.1", port: 5000))
    let protections = RTPProtections()
    let now = MediaTime.monotonic()

    // What the other end sealed in its time.
    let theirs = try SRTPSender(.aesGCM, keys(1, 2).theirs)
    let recorded = try (0..<5).map { number in
      let packet: [UInt8] = [0x80, 111, 0, UInt8(number), 0, 0, UInt8(number), 0, 0, 0, 0, 77, 31 << 3, 1, 2, 3]
      return try sealed(packet, theirs)
    }
    for connection in 0..<2 {
      let settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: now), seed: 1)
      let protection = try protections.protection(ofLeg: 0, keys(1, 2))
      let peer = SecureRTPPeer(settings, receiving: [111: .opus], .protected(protection), now: now)
      for packet in recorded { _ = packet.withUnsafeBytes { peer.receive($0, from: stranger, now: now) } }
      #expect(peer.session.pathStats.packetsReceived == (connection == 0 ? 5 : 0))
      #expect(peer.dropped.replayed == (connection == 0 ? 0 : 5))
      #expect(peer.session.receivedStreams.count == (connection == 0 ? 1 : 0))
      peer.leave(now: now)
      peer.close()
    }
  }

  private func sealed(_ packet: [UInt8], _ sender: SRTPSender) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: packet.count + sender.profile.tagSize)
    _ = try packet.withUnsafeBytes { packet in try output.withUnsafeMutableBytes { output in try sender.protect(packet, into: output) } }
    return output
  }
}
