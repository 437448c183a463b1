import MediaCore
import Testing

@testable import MediaSDP

@Suite struct DataMediaTests {
  private func read(_ lines: String) throws -> DataMedia? {
    try SessionDescription(parsing: "v=0\no=- 1 1 IN IP4 192.0.2.1\n" + lines).media.first.flatMap { try DataMedia($0) }
  }

  @Test func linesBecomeTypesAndLines() throws {
    let data = try #require(
      try read("m=application 9 UDP/DTLS/SCTP webrtc-datachannel\na=mid:2\na=sctp-port:5001\na=max-message-size:262144\n"))
    #expect(data == DataMedia(port: 9, mid: "2", sctpPort: 5001, mostBytes: 262_144))
    #expect(try DataMedia(data.media) == data)
    #expect(
      try read("m=application 0 UDP/DTLS/SCTP webrtc-datachannel\n") == DataMedia(port: 0, mid: nil, sctpPort: 5000, mostBytes: 65_536))
    #expect(try read("m=application 9 DTLS/SCTP 5000\n") == nil && read("m=video 9 UDP/DTLS/SCTP webrtc-datachannel\n") == nil)
  }

  @Test func whatIsWrongIsSaid() {
    let line = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\n"
    #expect(failure { _ = try read(line + "a=sctp-port:65536\n") }?.text == "SDP: a=sctp-port:65536; accepted: 0..65535")
    #expect(
      failure { _ = try read(line + "a=max-message-size:-1\n") }?.text
        == "SDP: a=max-message-size:-1; accepted: a number of bytes, or 0 for any")
  }
}
