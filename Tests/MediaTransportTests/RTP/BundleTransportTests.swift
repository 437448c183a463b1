import MediaCore
import Testing

@testable import MediaRTP
@testable import MediaTransport

@Suite struct BundleTransportTests {
  /// Two ends have none of what RFC 3550 has for groups.
  @Test func aGroupIsWhatIsBehindAMulticastAddress() throws {
    let room = try RTPRoom(in: .emulated)
    for (host, isGroup) in [("127.0.0.2", false), ("239.1.2.3", true), ("224.0.1.1", true), (nil, false)] as [(String?, Bool)] {
      let remote = try host.map { try #require(SocketAddress($0, port: 5004)) }
      let local = try #require(SocketAddress("127.0.0.1", port: 0))
      var medium = RTPConfiguration.Medium(.video)
      medium.sending = (96, .vp8)
      var leg = RTPConfiguration.Leg(local: local, remote: remote)
      leg.media = [medium]
      var configuration = RTPConfiguration(cname: "here")
      configuration.legs = [leg]
      let transport = try BundleTransport(configuration, 0, RTPSockets(leg, on: room.network), nil, room.thread, room.clock) { _, _, _ in }
      let (hasGroup, reportsAtOnce) = try transport.change { ($0.group != nil, $0.settings.reportsAtOnce) }
      #expect(hasGroup == isGroup && reportsAtOnce == !isGroup, "\(host ?? "whoever speaks first")")
      transport.stop()
    }
  }
}
