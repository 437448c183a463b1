import MediaCore
import MediaRTP
import Testing

@testable import MediaSDP

@Suite struct RTPMediaTests {
  private let head = "v=0\no=- 1 1 IN IP4 192.0.2.1\ns=-\nc=IN IP4 192.0.2.1\nt=0 0\n"
  private let lines = """
    m=video 5006 RTP/SAVPF 96 97 100
    a=mid:1
    a=recvonly
    a=rtcp-mux
    a=rtcp:5007 IN IP4 192.0.2.1
    a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd|2^20
    a=crypto:2 AEAD_AES_128_GCM inline:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGw==
    a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd|2^20|1:4
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:2/sendonly urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:9 urn:example:unknown
    a=rtpmap:96 VP8/90000
    a=fmtp:96 max-fr=30; max-fs=3600
    a=rtcp-fb:96 nack
    a=rtcp-fb:* nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=ssrc-group:FID 11 12
    a=ssrc:11 cname:who
    a=ssrc:12 msid:x y
    a=msid:stream track
    a=msid:-
    a=rtcp-rsize
    a=framerate:29.97
    a=bundle-only
    a=rtcp-mux-only
    b=AS:500

    """

  private func read(_ lines: String) throws -> RTPMedia? {
    let description = try SessionDescription(parsing: head + lines)
    return try RTPMedia(description.media[0], in: description)
  }

  @Test func linesBecomeTypes() throws {
    let media = try #require(try read(lines))
    #expect(media.isProtected && media.hasFeedback && media.isMultiplexed && media.isOnlyMultiplexed && media.mid == "1")
    #expect(media.controlPort == 5007 && media.controlHost == "192.0.2.1" && media.hasReducedSize && media.isBundleOnly)
    #expect(media.tracks == [.init("stream", "track"), .init("-")] && !media.isKeyedByTLS)
    #expect(media.frameRate == FrameRate(30_000, 1001))
    #expect(media.direction == .receiveOnly && media.connection?.address == "192.0.2.1" && media.bandwidth == 500_000)
    // 100 means nothing to anybody.
    #expect(media.payloads.map(\.type) == [96, 97])
    #expect(
      media.payloads[0].encoding == "VP8" && media.payloads[0].parameter("MAX-FS") == "3600"
        && media.payloads[0].feedback == ["nack", "nack pli"])
    #expect(media.payloads[1].associated == 96 && media.payloads[0].associated == nil)
    #expect(media.extensions.transportSequence == 3 && media.extensions.mid == 2 && media.extensions.audioLevel == 0)
    #expect(media.sources == [.init(SSRC(11), cname: "who"), .init(SSRC(12))] && media.retransmissions == [SSRC(11): SSRC(12)])
    #expect(media.keys.map(\.tag) == [1, 2] && media.keys[0].key == Array(0..<30) && media.keys[1].key == Array(0..<28))
  }

  @Test func whatIsWrittenIsReadBack() throws {
    let media = try #require(try read(lines))
    var description = SessionDescription(id: 1, address: "192.0.2.1")
    description.media = [media.media]
    let back = try SessionDescription(parsing: description.text)
    #expect(try RTPMedia(back.media[0], in: back) == media)
  }

  @Test func framesASecondAreTheSessionsWhereTheMediumSaysNothing() throws {
    let text = head + "a=framerate:25\nm=video 1 RTP/AVP 0\nm=video 1 RTP/AVP 0\na=framerate:30\na=rtcp:9\n"
    let description = try SessionDescription(parsing: text)
    let media = try description.media.compactMap { try RTPMedia($0, in: description) }
    #expect(media.map(\.frameRate) == [FrameRate(25), FrameRate(30)] && media.map(\.controlPort) == [nil, 9])
    #expect(media.allSatisfy { $0.controlHost == nil && !$0.hasReducedSize && !$0.isBundleOnly && !$0.isOnlyMultiplexed })
  }

  @Test func keysMayComeByTLS() throws {
    for (transport, hasFeedback) in [("UDP/TLS/RTP/SAVPF", true), ("UDP/TLS/RTP/SAVP", false)] {
      let media = try #require(try read("m=video 9 \(transport) 96\na=rtpmap:96 VP8/90000\n"))
      #expect(media.isKeyedByTLS && media.isProtected && media.hasFeedback == hasFeedback && media.media.transport == transport)
    }
    #expect(try read("m=video 9 UDP/TLS/RTP/AVPF 96\n") == nil && read("m=video 9 TCP/TLS/RTP/SAVPF 96\n") == nil)
  }

  @Test func feedbackOfAllPayloadsIsOfEach() throws {
    let lines = "m=video 1 RTP/AVPF 96 97\na=rtpmap:96 VP8/90000\na=rtcp-fb:* nack\na=rtpmap:97 VP9/90000\na=rtcp-fb:97 nack pli\n"
    #expect(try read(lines)?.payloads.map(\.feedback) == [["nack"], ["nack pli", "nack"]])
  }

  @Test func bothFormsOfExtensionsMayBeMixed() throws {
    var media = try #require(try read("m=video 1 RTP/AVPF 96\na=extmap-allow-mixed\n"))
    #expect(media.hasMixedExtensions && media.media.has("extmap-allow-mixed"))
    #expect(!OfferAnswer.answer(to: media, with: RTPMedia("video", port: 1)).hasMixedExtensions)
    media.hasMixedExtensions = false
    #expect(!media.media.has("extmap-allow-mixed"))
    let session = try SessionDescription(parsing: head + "a=extmap-allow-mixed\nm=audio 1 RTP/AVP 0\n")
    #expect(try RTPMedia(session.media[0], in: session)?.hasMixedExtensions == true)
  }

  @Test func payloadTypesOfOldNeedNoLine() throws {
    let media = try #require(try read("m=audio 1 RTP/AVP 0 8 111\na=rtpmap:111 opus/48000/2\n"))
    #expect(media.payloads.map(\.encoding) == ["PCMU", "PCMA", "opus"] && media.payloads[2].channels == 2)
    #expect(!media.isProtected && !media.hasFeedback && media.direction == .sendReceive)
  }

  @Test func directionsAreTheSessionsWhereTheMediumSaysNothing() throws {
    let description = try SessionDescription(parsing: head + "a=inactive\nm=audio 1 RTP/AVP 0\n")
    #expect(try RTPMedia(description.media[0], in: description)?.direction == .inactive)
    #expect(RTPMedia.Direction.sendOnly.reversed == .receiveOnly && RTPMedia.Direction.sendReceive.reversed == .sendReceive)
  }

  @Test func whatIsNoRTPIsNone() throws {
    #expect(try read("m=application 9 UDP/DTLS/SCTP webrtc-datachannel\n") == nil)
  }

  @Test func whatIsWrongIsSaid() {
    func said(_ lines: String) -> String? { failure { _ = try read(lines) }?.text }
    #expect(said("m=video 1 RTP/AVP 128\n") == "SDP: m=video has the format \"128\"; accepted: 0..127")
    #expect(said("m=video 1 RTP/AVP 96\na=rtpmap:96 VP8\n") == "SDP: a=rtpmap:96 VP8; accepted: encoding/clock rate, and /channels")
    #expect(said("m=video 1 RTP/AVP 96\na=rtpmap:96 VP8/0\n") == "SDP: a=rtpmap:96 VP8/0; accepted: encoding/clock rate, and /channels")
    #expect(said("m=video 1 RTP/SAVP 96\na=crypto:x\n") == "SDP: a=crypto is not of the form tag suite inline:key")
    // The key itself is not in the words.
    #expect(
      said("m=video 1 RTP/SAVP 96\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:sec!ret\n")
        == "SDP: a=crypto:1 has a key that is not base64 of 16 to 64 bytes")
  }
}
