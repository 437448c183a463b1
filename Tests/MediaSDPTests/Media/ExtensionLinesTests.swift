import MediaCore
import MediaRTP
import Testing

@testable import MediaSDP

@Suite struct ExtensionLinesTests {
  private func map(_ lines: String...) -> ExtensionMap {
    var map = ExtensionMap()
    for line in lines { map.read(line) }
    return map
  }

  @Test func everyIDHasOneMeaning() throws {
    func names(_ lines: String) throws -> [UInt8: String] {
      let text = "v=0\no=- 1 1 IN IP4 1\na=extmap:7 urn:session\nm=video 1 RTP/AVP 96\n" + lines
      let session = try SessionDescription(parsing: text)
      return try ExtensionMap.names(in: session.media[0], of: session)
    }
    #expect(
      try names("a=extmap:3/recvonly urn:a x=y\na=extmap:3 urn:a\na=extmap:0 urn:none\na=extmap:x\n") == [3: "urn:a", 7: "urn:session"])
    #expect(
      failure { _ = try names("a=extmap:3 urn:a\na=extmap:3 urn:b\n") }?.text
        == "SDP: a=extmap:3 has two meanings in m=video; accepted: one for each id")
    #expect(failure { _ = try names("a=extmap:7 urn:b\n") }?.status == .invalid)
  }

  @Test func linesAreReadAndWritten() {
    let all = map(
      "1 urn:ietf:params:rtp-hdrext:sdes:mid", "2/sendonly urn:ietf:params:rtp-hdrext:ssrc-audio-level vad=on",
      "3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
      "4 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01", "13 urn:3gpp:video-orientation",
      "14 http://www.webrtc.org/experiments/rtp-hdrext/color-space", "255 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time")
    var expected = ExtensionMap()
    (expected.mid, expected.audioLevel, expected.absoluteSendTime, expected.transportSequence) = (1, 2, 3, 4)
    (expected.orientation, expected.colorSpace, expected.captureTime) = (13, 14, 255)
    #expect(all == expected && all.lines.count == 7 && all.lines[1] == "2 urn:ietf:params:rtp-hdrext:ssrc-audio-level")
    var back = ExtensionMap()
    for line in all.lines { back.read(line) }
    #expect(back == all && ExtensionMap().lines.isEmpty)
    let layers = map("10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id", "11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id")
    #expect(layers.rid == 10 && layers.repairedRID == 11 && layers.lines.count == 2)
    let unknown = map(
      "1 urn:example:unknown", "0 urn:3gpp:video-orientation", "256 urn:3gpp:video-orientation", "urn:3gpp:video-orientation", "")
    #expect(unknown == ExtensionMap())
  }

  @Test func oneNumberOneMeaning() throws {
    var shared = map("1 urn:ietf:params:rtp-hdrext:sdes:mid")
    try shared.join(map("1 urn:ietf:params:rtp-hdrext:sdes:mid", "4 urn:3gpp:video-orientation"))
    #expect(shared.mid == 1 && shared.orientation == 4)
    #expect(
      failure { try shared.join(map("5 urn:3gpp:video-orientation")) }?.text
        == "SDP: media that share a port have two numbers for a header extension, 4 and 5; accepted: one")
    #expect(failure { try shared.check() } == nil)
    for (number, text) in [("1", "1, 1"), ("15", "1, 15")] {
      #expect(
        failure { try map("1 urn:ietf:params:rtp-hdrext:sdes:mid", "\(number) urn:3gpp:video-orientation").check() }?.text
          == "SDP: header extensions have the numbers \(text); accepted: 1..14 or 16..255, each once")
    }
  }
}
