import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP
import Testing

@testable import MediaTransport

/// Offers as other programs make them.
enum Offer {
  /// A browser of the time when keys stood in descriptions: one address, libwebrtc's extensions and payloads.
  static let browser = """
    v=0
    o=- 4611731400430051336 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1
    a=extmap-allow-mixed
    a=msid-semantic: WMS stream
    m=audio 50000 RTP/SAVPF 111 63 9 0 8 13 110
    c=IN IP4 203.0.113.7
    a=rtcp:50000 IN IP4 203.0.113.7
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:stream track
    a=rtcp-mux
    a=rtcp-rsize
    a=crypto:0 AES_CM_128_HMAC_SHA1_32 inline:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd
    a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd|2^31
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=ssrc:2218474123 cname:Zk7p2x
    m=video 0 RTP/SAVPF 96 97 98 99 100 101
    c=IN IP4 0.0.0.0
    a=bundle-only
    a=mid:1
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:98 VP9/90000
    a=fmtp:98 profile-id=0
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 red/90000
    a=rtpmap:101 ulpfec/90000
    a=ssrc-group:FID 1001 1002
    a=ssrc:1001 cname:Zk7p2x
    a=ssrc:1002 cname:Zk7p2x

    """
  /// aiortc 1.16: keys by DTLS, which is not for here.
  static let aiortc = """
    v=0
    o=- 4004275700 4004275700 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=group:BUNDLE 0 1
    a=msid-semantic:WMS *
    m=audio 58693 UDP/TLS/RTP/SAVPF 96 9 0 8
    c=IN IP4 192.0.2.2
    a=sendrecv
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=mid:0
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:215463958 cname:8e9360e6-dd4d-4914-8c3d-05bb777977c4
    a=rtpmap:96 opus/48000/2
    a=ice-ufrag:PaNu
    a=ice-pwd:vkBttxGzG34KGopGZiGioc
    a=fingerprint:sha-256 39:6B:69:BB:48:4E:3C:D7:F4:9A:60:DC:49:CF:2B:9B:5F:32:10:A3:E6:AE:6E:75:79:B4:8A:2F:64:35:4F:23
    a=setup:actpass
    m=video 36996 UDP/TLS/RTP/SAVPF 97 98
    c=IN IP4 192.0.2.2
    a=sendrecv
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=mid:1
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc-group:FID 4219196518 890605729
    a=rtpmap:97 VP8/90000
    a=rtcp-fb:97 nack
    a=rtcp-fb:97 nack pli
    a=rtcp-fb:97 goog-remb
    a=rtpmap:98 rtx/90000
    a=fmtp:98 apt=97

    """
}

@Suite struct RTPAgreementTests {
  private func end(legs count: Int = 2, _ profiles: [SRTPProfile]) throws -> RTPDescription.Local {
    var legs: [RTPDescription.Local.Leg] = []
    for place in 0..<count {
      let address = try #require(SocketAddress("0.0.0.0", port: UInt16(7000 + place * 2)))
      var leg = RTPDescription.Local.Leg(local: address, control: address.with(port: address.port + 1))
      for profile in profiles { try leg.protect(profile, key: [UInt8](repeating: 9, count: profile.keySize + profile.saltSize)) }
      legs.append(leg)
    }
    let media: [RTPDescription.Local.Medium] = [.init(.video, ssrc: SSRC(1), retransmissionSSRC: SSRC(2)), .init(.audio, ssrc: SSRC(3))]
    return RTPDescription.Local(id: 5, host: "203.0.113.9", cname: "me", legs: legs, media: media)
  }

  @Test func aBrowsersOfferIsOneLeg() throws {
    let (text, configuration) = try RTPDescription.answer(to: Offer.browser, try end([.aesGCM, .aesCounterSHA1]))
    #expect(configuration.legs.count == 1)
    let leg = try #require(configuration.legs.first)
    // The leg of the first that both take: sound's.
    #expect(leg.local.port == 7002 && leg.localControl == nil && leg.remote?.description == "203.0.113.7:50000" && leg.remoteControl == nil)
    #expect(
      leg.keys?.profile == .aesCounterSHA1 && leg.keys?.theirs.bytes == Array(0..<30)
        && leg.keys?.own.bytes == [UInt8](repeating: 9, count: 30))
    #expect(leg.hasTransportFeedback && leg.hasReducedSize)
    var map = ExtensionMap()
    (map.audioLevel, map.transportSequence, map.mid, map.orientation) = (1, 3, 4, 13)
    #expect(leg.extensions == map)
    #expect(leg.media.map(\.kind) == [.audio, .video] && leg.media.map(\.mid) == ["0", "1"])
    #expect(leg.media[0].receiving == [111: .opus] && !leg.media[0].hasNACK)
    #expect(
      leg.media[1].receiving == [96: .vp8, 97: .retransmission(of: 96)] && leg.media[1].hasNACK
        && leg.media[1].retransmissionSSRC == SSRC(2))
    #expect(leg.media[1].sending?.type == 96 && leg.media[1].direction == .sendReceive)
    #expect(
      text.contains("a=group:BUNDLE 0 1\r\n") && text.contains("m=audio 7002 RTP/SAVPF 111\r\n")
        && text.contains("m=video 7002 RTP/SAVPF 96 97\r\n"))
    #expect(
      text.ranges(of: "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:CQkJ").count == 1 && !text.contains("goog-remb")
        && !text.contains("abs-send-time"))
  }

  @Test func whatComesByICEAndDTLSIsRefused() throws {
    let (text, configuration) = try RTPDescription.answer(to: Offer.aiortc, try end([]))
    #expect(configuration.legs.isEmpty)
    #expect(
      text.contains("m=audio 0 UDP/TLS/RTP/SAVPF 96 9 0 8\r\n") && text.contains("m=video 0 UDP/TLS/RTP/SAVPF 97 98\r\n")
        && !text.contains("BUNDLE"))
  }

  @Test func keysThatBothKnowOrNothing() throws {
    let offer = Offer.browser.replacing("AES_CM_128_HMAC_SHA1_80", with: "AES_256_CM_HMAC_SHA1_80")
    let (text, configuration) = try RTPDescription.answer(to: offer, try end([.aesCounterSHA1]))
    #expect(configuration.legs.isEmpty && text.contains("m=audio 0 ") && text.contains("m=video 0 ") && !text.contains("crypto"))
    #expect(try RTPDescription.answer(to: Offer.browser, try end([])).configuration.legs.isEmpty)
  }

  @Test func numbersThatClashAreRefused() throws {
    func said(_ offer: String) -> String? {
      failure { _ = try RTPDescription.answer(to: offer, try end([.aesCounterSHA1])) }?.text
    }
    #expect(
      said(
        Offer.browser.replacing(
          "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid\na=sendrecv\na=rtpmap:96",
          with: "a=extmap:5 urn:ietf:params:rtp-hdrext:sdes:mid\na=rtpmap:96"))
        == "SDP: media that share a port have two numbers for a header extension, 4 and 5; accepted: one")
    #expect(
      said(Offer.browser.replacing("extmap:13", with: "extmap:1"))
        == "SDP: header extensions have the numbers 4, 1, 3, 1; accepted: 1..14 or 16..255, each once")
    #expect(
      said(Offer.browser.replacing("111", with: "96"))
        == "SDP has two meanings for the payload type 96 of media that share a port; accepted: one")
    // A payload type that looks like RTCP is none.
    let moved = try RTPDescription.answer(to: Offer.browser.replacing("97", with: "72"), try end([.aesCounterSHA1])).configuration
    #expect(moved.legs.first?.media[1].retransmission == nil && moved.legs.first?.media[1].receiving == [96: .vp8])
  }

  @Test func onlyOnePortForControlIsSaid() throws {
    var local = try end(legs: 1, [])
    local.legs[0].control = nil
    let offer = "v=0\no=- 1 1 IN IP4 203.0.113.7\ns=-\nc=IN IP4 203.0.113.7\nm=video 5000 RTP/AVP 96\na=rtpmap:96 VP8/90000\n"
    #expect(
      failure { _ = try RTPDescription.answer(to: offer, local) }?.text
        == "SDP: m=video is without rtcp-mux, and there is no local port for RTCP; accepted: one of them")
    #expect(try RTPDescription.answer(to: offer + "a=rtcp-mux\n", local).configuration.legs.first?.media.count == 1)
  }

  @Test func spoiltOffersAndAnswersDoNoHarm() throws {
    let (local, other) = (try end([.aesCounterSHA1]), try end(legs: 1, [.aesCounterSHA1]))
    let own = try RTPDescription.offer(of: other)
    let answer = try RTPDescription.answer(to: own, local).text
    var (read, refused) = (0, 0)
    func check(_ text: String, _ configuration: () throws(MediaError) -> RTPConfiguration) {
      do throws(MediaError) {
        let configuration = try configuration()
        read += 1
        let isSound = configuration.legs.allSatisfy { leg in
          !leg.media.isEmpty && leg.local.port != 0 && leg.remote?.port != 0 && leg.remoteControl?.port != 0 && leg.keys != nil
            && leg.media.allSatisfy { ($0.sending != nil) == $0.direction.sends && $0.receiving.isEmpty != $0.direction.receives }
        }
        if !isSound { Issue.record("\(text)") }
      } catch {
        refused += 1
        if error.text.isEmpty { Issue.record("\(text)") }
      }
    }
    for (seed, offer) in [Offer.browser, Offer.aiortc, own].enumerated() {
      spoil(offer, seed: UInt64(seed), count: 5_000) { text in
        check(text) { () throws(MediaError) in
          let (answer, configuration) = try RTPDescription.answer(to: text, local)
          // What is written is understood.
          let back = try SessionDescription(parsing: answer)
          if back.media.isEmpty != configuration.legs.isEmpty && back.media.isEmpty { Issue.record("\(text)") }
          return configuration
        }
      }
    }
    spoil(answer, seed: 9, count: 5_000) { text in
      check(text) { () throws(MediaError) in try RTPDescription.accept(text, to: other) }
    }
    #expect(read > 1000 && refused > 1000, "\(read) \(refused)")
  }
}
