import MediaCore
import MediaRTP
import MediaSDP
import Testing

@testable import MediaTransport

@Suite struct DescribedMediumTests {
  private let head = "v=0\no=- 1 1 IN IP4 192.0.2.1\ns=-\nc=IN IP4 192.0.2.1\nt=0 0\n"

  private func read(_ lines: String) throws -> DescribedMedium? {
    let session = try SessionDescription(parsing: head + lines)
    return try session.media.first.flatMap { try DescribedMedium($0, in: session) }
  }

  @Test func frameRatesAreThoseThatAreMeant() {
    for (text, rate) in [
      ("30", FrameRate(30)), ("25.000000", FrameRate(25)), ("29.97", FrameRate(30_000, 1001)), ("23.976", FrameRate(24_000, 1001)),
      ("59.94", FrameRate(60_000, 1001)),
      ("12.5", FrameRate(12_500, 1000)), ("0.001", FrameRate(1, 1000)), ("1000", FrameRate(1000))
    ] { #expect(DescribedMedium.frameRate(text) == rate, "\(text)") }
    for text in ["", "0", "-1", "nan", "inf", "1e3", "0x10", "1001", "0.0001", ".", "1.2.3", "9999999999999"] {
      #expect(DescribedMedium.frameRate(text) == nil, "\(text)")
    }
    #expect(
      DescribedMedium.text(FrameRate(30)) == "30" && DescribedMedium.text(FrameRate(30_000, 1001)) == "29.970"
        && DescribedMedium.text(FrameRate(1, 100)) == "0.010")
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

  @Test func groupsShareAnAddress() throws {
    func places(_ group: String, _ ports: [Int], bundleOnly: Set<Int> = [], unwanted: Set<Int> = []) throws -> [Int] {
      let media = ports.enumerated().map { "m=video \($1) RTP/AVP 96\na=mid:\($0)\n" + (bundleOnly.contains($0) ? "a=bundle-only\n" : "") }
      return try SessionDescription(parsing: head + group + media.joined()).taggedPlaces { !unwanted.contains($0) }
    }
    #expect(try places("", [5000, 5002]) == [0, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 5002, 5004]) == [0, 0, 2])
    #expect(try places("a=group:BUNDLE 1 0\n", [5000, 5002]) == [1, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 0], bundleOnly: [1]) == [0, 0])
    // Port 0 is refused, unless it is said otherwise.
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 0]) == [0, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [0, 5000], bundleOnly: [0]) == [1, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 5002], unwanted: [0]) == [1, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 0], bundleOnly: [1], unwanted: [0]) == [0, 0])
    #expect(try places("a=group:BUNDLE 0 1\n", [0, 0], bundleOnly: [0, 1]) == [0, 1])
    #expect(try places("a=group:BUNDLE 0 1\na=group:BUNDLE 1 2\n", [5000, 5002, 5004]) == [0, 0, 2])
    #expect(try places("a=group:LS 0 1\na=group:BUNDLE\na=group:BUNDLE 7 8\n", [5000, 5002]) == [0, 1])
  }
}
