import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaTransport

@Suite struct RTPDescriptionLocalTests {
  private func said(_ change: (inout RTPDescription.Local) -> Void) throws -> String? {
    let address = try #require(SocketAddress("0.0.0.0", port: 5000))
    var local = RTPDescription.Local(
      id: 1, host: "192.0.2.1", cname: "me", legs: [.init(local: address, control: address.with(port: 5001))],
      media: [.init(.video, ssrc: SSRC(1), retransmissionSSRC: SSRC(2)), .init(.audio, ssrc: SSRC(3))])
    change(&local)
    let error = failure { _ = try RTPDescription.offer(of: local) }
    #expect(error == nil || error?.status == .invalid)
    // All three look before they read.
    #expect(failure { _ = try RTPDescription.accept("", to: local) }?.text == error?.text ?? "a description without v=0, so it is not SDP")
    #expect(failure { _ = try RTPDescription.answer(to: "", local) }?.text == error?.text ?? "a description without v=0, so it is not SDP")
    return error?.text
  }

  @Test func whatIsWrongIsSaid() throws {
    let start = "the local description has "
    #expect(try said { _ in } == nil)
    #expect(try said { $0.media = [] } == start + "0 media; accepted: 1..16")
    #expect(try said { $0.legs = [] } == start + "0 legs; accepted: 1, or 2, one for each medium")
    #expect(try said { $0.host = "example.com" } == start + "the host \"example.com\"; accepted: an address that peers can reach")
    #expect(try said { $0.host = "0.0.0.0" } == start + "the host \"0.0.0.0\"; accepted: an address that peers can reach")
    #expect(try said { $0.host = "239.1.2.3" } == start + "the host \"239.1.2.3\"; accepted: an address that peers can reach")
    #expect(try said { $0.host = "::1" } == start + "a leg at 0.0.0.0:5000, whose address family is not the host's")
    #expect(try said { $0.cname = "me\r\na=x" } == start + "a cname that is not 1..255 bytes without spaces")
    #expect(try said { $0.cname = "" } == start + "a cname that is not 1..255 bytes without spaces")
    #expect(try said { $0.legs[0].local = $0.legs[0].local.with(port: 0) } == start + "a leg without a port; accepted: bound legs")
    #expect(
      try said { ($0.isMultiplexed, $0.legs[0].control) = (false, nil) } == start
        + "a leg without a port for RTCP and without rtcp-mux; accepted: one of them")
    #expect(try said { $0.media[1].ssrc = SSRC(2) } == start + "an SSRC twice")
    #expect(try said { $0.media[0].type = 128 } == start + "the payload type 128; accepted: 0..63 and 96..127")
    #expect(try said { $0.media[0].retransmission = 72 } == start + "the payload type 72; accepted: 0..63 and 96..127")
    #expect(try said { $0.media[0].retransmission = 96 } == start + "two meanings for the payload type 96")
    #expect(try said { $0.media[1].type = 97 } == start + "two meanings for the payload type 97")
    #expect(try said { ($0.media[1].type, $0.legs) = (97, [$0.legs[0], $0.legs[0]]) } == nil)
  }

  @Test func zonesStayAtHome() throws {
    let address = try #require(SocketAddress("::", port: 5000))
    let local = RTPDescription.Local(id: 1, host: "fe80::1%1", cname: "me", legs: [.init(local: address)], media: [.init(.audio)])
    let text = try RTPDescription.offer(of: local)
    #expect(text.contains("c=IN IP6 fe80::1\r\n") && !text.contains("%") && text.contains("a=rtcp-mux-only\r\n"))
  }

  @Test func keysAreInNoDescription() throws {
    let address = try #require(SocketAddress("0.0.0.0", port: 5000))
    var leg = RTPDescription.Local.Leg(local: address)
    try leg.protect(.aesGCM, key: [UInt8](repeating: 77, count: 28))
    try leg.protect(.aesCounterSHA1, key: [UInt8](repeating: 78, count: 30))
    try leg.protect(.aesGCM, key: [UInt8](repeating: 79, count: 28))
    #expect(
      leg.keys.map(\.suite) == ["AES_CM_128_HMAC_SHA1_80", "AEAD_AES_128_GCM"] && leg.keys.map(\.tag) == [1, 2]
        && leg.keys[1].key.first == 79)
    var dumped = ""
    dump(leg, to: &dumped)
    #expect(!dumped.contains("77") && !dumped.contains("78") && !dumped.contains("79"))
  }
}
