import MediaCore
import MediaSDP
import Testing

@testable import MediaTransport

@Suite struct DescribedMediumTests {
  private let head = "v=0\no=- 1 1 IN IP4 192.0.2.1\ns=-\nc=IN IP4 192.0.2.1\nt=0 0\n"

  private func read(_ lines: String) throws -> DescribedMedium? {
    let session = try SessionDescription(parsing: head + lines)
    return try session.media.first.flatMap { try DescribedMedium($0, in: session) }
  }

  @Test func controlPacketsHaveAnAddress() throws {
    let plain = try #require(try read("m=video 5004 RTP/AVP 96\n"))
    #expect(try plain.address().description == "192.0.2.1:5004")
    #expect(try plain.controlAddress()?.description == "192.0.2.1:5005")
    #expect(try read("m=video 5004 RTP/AVP 96\na=rtcp:6000\n")?.controlAddress()?.description == "192.0.2.1:6000")
    #expect(try read("m=video 5004 RTP/AVP 96\na=rtcp:6000 IN IP4 192.0.2.7\n")?.controlAddress()?.description == "192.0.2.7:6000")
    #expect(try read("m=video 5004 RTP/AVP 96\na=rtcp-mux\n")?.controlAddress() == nil)
    #expect(
      failure { _ = try read("m=video 65535 RTP/AVP 96\n")?.controlAddress() }?.text
        == "SDP: m=video at port 65535 has no port for RTCP; accepted: a=rtcp with 1..65535, a port below 65535, or rtcp-mux")
    #expect(failure { _ = try read("m=video 5 RTP/AVP 96\na=rtcp:0\n")?.controlAddress() } != nil)
    #expect(
      failure { _ = try read("m=video 5 RTP/AVP 96\nc=IN IP4 example.com\n")?.address() }?.text
        == "SDP: m=video is at \"example.com\"; accepted: an IPv4 or IPv6 address, host names are not resolved")
  }

  @Test func whatIsNeitherPictureNorSoundIsNone() throws {
    #expect(try read("m=application 9 UDP/DTLS/SCTP webrtc-datachannel\n") == nil)
    #expect(try read("m=text 5004 RTP/AVP 98\n") == nil)
    #expect(try read("m=video 9 UDP/TLS/RTP/SAVPF 96\n") == nil)
  }
}
