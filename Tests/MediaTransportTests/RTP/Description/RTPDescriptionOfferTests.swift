import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP
import Testing

@testable import MediaTransport

@Suite struct RTPDescriptionOfferTests {
  private typealias Local = RTPDescription.Local

  /// An end at 192.0.2.1 or .2, with legs from port 5000 on.
  private func end(_ number: Int, legs count: Int = 1, _ profiles: [SRTPProfile] = [], media: [Local.Medium]? = nil) throws -> Local {
    let host = "192.0.2.\(number)"
    var legs: [Local.Leg] = []
    for place in 0..<count {
      let port = UInt16(5000 + number * 1000 + place * 2)
      let local = try #require(SocketAddress("0.0.0.0", port: port))
      var leg = Local.Leg(local: local, control: local.with(port: port + 1))
      for profile in profiles {
        try leg.protect(profile, key: [UInt8](repeating: UInt8(number * 16 + place), count: profile.keySize + profile.saltSize))
      }
      legs.append(leg)
    }
    let base = UInt32(number * 100)
    let both: [Local.Medium] = [
      .init(.video, ssrc: SSRC(base + 1), retransmissionSSRC: SSRC(base + 2)), .init(.audio, ssrc: SSRC(base + 3))
    ]
    return Local(id: UInt64(number), host: host, cname: "end\(number)", legs: legs, media: media ?? both)
  }

  private func ports(_ configuration: RTPConfiguration) -> [String] {
    configuration.legs.map { leg in
      [leg.local, leg.localControl, leg.remote, leg.remoteControl].map { $0?.description ?? "-" }.joined(separator: " ")
    }
  }

  @Test func theTextOfAnOffer() throws {
    var local = try end(1)
    local.media[0].bandwidth = 2_000_000
    local.media[0].frameRate = FrameRate(30)
    let expected = """
      v=0
      o=- 1 1 IN IP4 192.0.2.1
      s=-
      c=IN IP4 192.0.2.1
      t=0 0
      a=group:BUNDLE 0 1
      m=video 6000 RTP/AVPF 96 97
      b=TIAS:2000000
      a=mid:0
      a=sendrecv
      a=rtcp-mux
      a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
      a=extmap:5 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
      a=extmap:4 urn:3gpp:video-orientation
      a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/color-space
      a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
      a=rtpmap:96 VP8/90000
      a=rtcp-fb:96 nack
      a=rtcp-fb:96 nack pli
      a=rtcp-fb:96 ccm fir
      a=rtcp-fb:96 transport-cc
      a=rtpmap:97 rtx/90000
      a=fmtp:97 apt=96
      a=ssrc-group:FID 101 102
      a=ssrc:101 cname:end1
      a=ssrc:102 cname:end1
      a=rtcp-rsize
      a=framerate:30
      m=audio 0 RTP/AVPF 111
      a=mid:1
      a=sendrecv
      a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
      a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
      a=extmap:5 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
      a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
      a=rtpmap:111 opus/48000/2
      a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1
      a=rtcp-fb:111 nack
      a=rtcp-fb:111 transport-cc
      a=ssrc:103 cname:end1
      a=bundle-only

      """
    #expect(try RTPDescription.offer(of: local) == expected.replacing("\n", with: "\r\n"))
  }

  @Test func plainOffersArePlain() throws {
    var local = try end(1, legs: 2)
    (local.hasFeedback, local.isMultiplexed) = (false, false)
    local.legs[1].control = local.legs[1].local.with(port: 7777)
    let expected = """
      v=0
      o=- 1 1 IN IP4 192.0.2.1
      s=-
      c=IN IP4 192.0.2.1
      t=0 0
      m=video 6000 RTP/AVP 96
      a=sendrecv
      a=extmap:4 urn:3gpp:video-orientation
      a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/color-space
      a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
      a=rtpmap:96 VP8/90000
      a=ssrc:101 cname:end1
      m=audio 6002 RTP/AVP 111
      a=sendrecv
      a=rtcp:7777
      a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
      a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
      a=rtpmap:111 opus/48000/2
      a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1
      a=ssrc:103 cname:end1

      """
    #expect(try RTPDescription.offer(of: local) == expected.replacing("\n", with: "\r\n"))
  }

  @Test func bothEndsLearnTheSame() throws {
    let (first, second) = (try end(1, [.aesGCM, .aesCounterSHA1]), try end(2, legs: 2, [.aesCounterSHA1]))
    let offer = try RTPDescription.offer(of: first)
    #expect(offer.contains("RTP/SAVPF") && offer.components("a=crypto:") == 2)
    let (text, theirs) = try RTPDescription.answer(to: offer, second)
    let ours = try RTPDescription.accept(text, to: first)
    #expect(ports(ours) == ["0.0.0.0:6000 - 192.0.2.2:7000 -"] && ports(theirs) == ["0.0.0.0:7000 - 192.0.2.1:6000 -"])
    // What belongs to the port is said once.
    #expect(
      text.components("a=crypto:2 AES_CM_128_HMAC_SHA1_80 ") == 1 && text.components("a=rtcp-mux") == 1
        && text.components("m=audio 7000 RTP/SAVPF 111") == 1)
    #expect(text.contains("a=group:BUNDLE 0 1\r\n") && !text.contains("bundle-only"))
    let (one, other) = (try #require(ours.legs.first), try #require(theirs.legs.first))
    #expect(
      one.keys?.profile == .aesCounterSHA1 && one.keys?.own == other.keys?.theirs && one.keys?.theirs == other.keys?.own
        && one.keys?.own != one.keys?.theirs)
    #expect(one.extensions == other.extensions && one.extensions == RTPDescription.extensions)
    #expect(one.hasTransportFeedback && other.hasTransportFeedback && one.hasReducedSize && other.hasReducedSize)
    #expect(ours.cname == "end1" && theirs.cname == "end2")
    for (mine, yours) in zip(one.media, other.media) {
      #expect(
        mine.kind == yours.kind && mine.receiving == yours.receiving && mine.sending?.type == yours.sending?.type
          && mine.retransmission == yours.retransmission)
      #expect(mine.mid == yours.mid && mine.mid != nil && mine.hasNACK && yours.hasNACK && mine.direction == .sendReceive)
    }
    #expect(
      one.media.map(\.ssrc) == [SSRC(101), SSRC(103)] && other.media.map(\.ssrc) == [SSRC(201), SSRC(203)]
        && other.media[0].retransmissionSSRC == SSRC(202))
    #expect(one.media[0].receiving == [96: .vp8, 97: .retransmission(of: 96)] && one.media[1].receiving == [111: .opus])
  }

  @Test func legsApartWithoutMultiplexing() throws {
    var (first, second) = (try end(1, legs: 2, [.aesGCM]), try end(2, legs: 2, [.aesGCM]))
    first.isMultiplexed = false
    second.legs[1].control = second.legs[1].local.with(port: 7777)
    let (text, theirs) = try RTPDescription.answer(to: try RTPDescription.offer(of: first), second)
    let ours = try RTPDescription.accept(text, to: first)
    #expect(
      ports(ours) == ["0.0.0.0:6000 0.0.0.0:6001 192.0.2.2:7000 192.0.2.2:7001", "0.0.0.0:6002 0.0.0.0:6003 192.0.2.2:7002 192.0.2.2:7777"])
    #expect(
      ports(theirs) == [
        "0.0.0.0:7000 0.0.0.0:7001 192.0.2.1:6000 192.0.2.1:6001", "0.0.0.0:7002 0.0.0.0:7777 192.0.2.1:6002 192.0.2.1:6003"
      ])
    #expect(ours.legs.map { $0.keys?.own } == theirs.legs.map { $0.keys?.theirs } && ours.legs[0].keys?.own != ours.legs[1].keys?.own)
    // Offered, and not taken.
    first.isMultiplexed = true
    second.isMultiplexed = false
    let (apart, answered) = try RTPDescription.answer(to: try RTPDescription.offer(of: first), second)
    #expect(ports(answered) == ports(theirs) && !apart.contains("rtcp-mux"))
    #expect(ports(try RTPDescription.accept(apart, to: first)) == ports(ours))
    first.legs[0].control = nil
    #expect(
      failure { _ = try RTPDescription.accept(apart, to: first) }?.text
        == "SDP: m=video is without rtcp-mux, and there is no local port for RTCP; accepted: one of them")
    #expect(try RTPDescription.offer(of: first).contains("a=rtcp-mux-only\r\n"))
  }

  @Test func directionsMeet() throws {
    for (offered, wanted, expected) in [
      (RTPMedia.Direction.sendOnly, RTPMedia.Direction.sendReceive, RTPMedia.Direction.receiveOnly),
      (.receiveOnly, .sendReceive, .sendOnly),
      (.sendReceive, .receiveOnly, .receiveOnly), (.inactive, .sendReceive, .inactive), (.sendOnly, .sendOnly, .inactive)
    ] {
      let (first, second) = (
        try end(1, media: [.init(.video, offered, ssrc: SSRC(1))]), try end(2, media: [.init(.video, wanted, ssrc: SSRC(2))])
      )
      let (text, theirs) = try RTPDescription.answer(to: try RTPDescription.offer(of: first), second)
      let ours = try RTPDescription.accept(text, to: first)
      let (mine, yours) = (try #require(ours.legs.first?.media.first), try #require(theirs.legs.first?.media.first))
      #expect(yours.direction == expected && mine.direction == expected.reversed, "\(offered) \(wanted)")
      #expect(
        (yours.sending != nil) == expected.sends && yours.receiving.isEmpty != expected.receives && (yours.ssrc != nil) == expected.sends)
      #expect((mine.sending != nil) == expected.receives && mine.receiving.isEmpty != expected.sends)
    }
  }

  @Test func whoHoldsIsNotSentTo() throws {
    let (first, second) = (try end(1), try end(2, legs: 2))
    let offer = try RTPDescription.offer(of: first)
    let (text, held) = try RTPDescription.answer(to: offer.replacing("c=IN IP4 192.0.2.1", with: "c=IN IP4 0.0.0.0"), second)
    #expect(held.legs.first?.remote == nil && held.legs.first?.media.map(\.direction) == [.receiveOnly, .receiveOnly])
    #expect(text.components("a=recvonly") == 2)
    let (answer, _) = try RTPDescription.answer(to: offer, second)
    let ours = try RTPDescription.accept(answer.replacing("c=IN IP4 192.0.2.2", with: "c=IN IP4 0.0.0.0"), to: first)
    #expect(ours.legs.first?.remote == nil && ours.legs.first?.media.map(\.direction) == [.receiveOnly, .receiveOnly])
    let silent = try RTPDescription.accept(answer.replacing("a=sendrecv", with: "a=inactive"), to: first)
    #expect(silent.legs.first?.media.map(\.direction) == [.inactive, .inactive])
  }

  @Test func whatIsNotWantedIsRefused() throws {
    let first = try end(1)
    let sound = try end(2, media: [.init(.audio, ssrc: SSRC(9))])
    // The medium with the address is refused: the address serves the other nevertheless.
    let (text, theirs) = try RTPDescription.answer(to: try RTPDescription.offer(of: first), sound)
    #expect(
      text.contains("m=video 0 RTP/AVPF 96 97\r\n") && text.contains("m=audio 7000 RTP/AVPF 111\r\n")
        && text.contains("a=group:BUNDLE 1\r\n"))
    let ours = try RTPDescription.accept(text, to: first)
    #expect(
      ports(ours) == ["0.0.0.0:6000 - 192.0.2.2:7000 -"] && ours.legs.first?.media.map(\.kind) == [.audio]
        && theirs.legs.first?.media.map(\.kind) == [.audio])
    // One leg cannot be at two ports.
    let (apart, one) = try RTPDescription.answer(to: try RTPDescription.offer(of: try end(1, legs: 2)), try end(2))
    #expect(apart.contains("m=audio 0 ") && one.legs.count == 1 && one.legs[0].media.map(\.kind) == [.video])
    // Nothing is left.
    let (none, nothing) = try RTPDescription.answer(to: try RTPDescription.offer(of: first), try end(2, [.aesGCM]))
    let accepted = try RTPDescription.accept(none, to: first)
    #expect(nothing.legs.isEmpty && accepted.legs.isEmpty && none.components("m=") == 2)
  }

  @Test func answersSpeakInTheOffersNumbers() throws {
    let offer = """
      v=0
      o=jdoe 2890844526 2890842807 IN IP4 198.51.100.1
      s=-
      c=IN IP4 198.51.100.1
      t=0 0
      m=video 49170 RTP/AVPF 31 120 121 122 123
      b=AS:512
      a=rtpmap:31 H261/90000
      a=rtpmap:120 H264/90000
      a=rtpmap:121 VP8/90000
      a=rtcp-fb:* nack
      a=rtcp-fb:121 goog-remb
      a=rtpmap:122 rtx/90000
      a=fmtp:122 apt=120
      a=rtpmap:123 rtx/90000
      a=fmtp:123 apt=121
      a=framerate:15
      a=extmap:9 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
      m=audio 49180 RTP/AVP 0 101
      c=IN IP4 198.51.100.2
      b=TIAS:48000
      b=AS:64
      a=rtcp:49999 IN IP4 198.51.100.3
      a=rtpmap:101 opus/48000/2
      m=application 9 UDP/DTLS/SCTP webrtc-datachannel

      """
    let (text, configuration) = try RTPDescription.answer(to: offer, try end(2, legs: 2))
    #expect(
      ports(configuration) == [
        "0.0.0.0:7000 0.0.0.0:7001 198.51.100.1:49170 198.51.100.1:49171",
        "0.0.0.0:7002 0.0.0.0:7003 198.51.100.2:49180 198.51.100.3:49999"
      ])
    let media = configuration.legs.flatMap(\.media)
    #expect(
      media[0].sending?.type == 121 && media[0].retransmission == 123 && media[0].receiving == [121: .vp8, 123: .retransmission(of: 121)])
    #expect(media[0].bandwidth == 512_000 && media[0].frameRate == FrameRate(15) && media[0].hasNACK && media[0].mid == nil)
    #expect(media[1].sending?.type == 101 && media[1].bandwidth == 48_000 && !media[1].hasNACK)
    // The extension without the feedback is no promise of reports.
    #expect(
      configuration.legs[0].extensions.transportSequence == 9 && !configuration.legs[0].hasTransportFeedback
        && !configuration.legs[0].hasReducedSize)
    #expect(text.contains("m=video 7000 RTP/AVPF 121 123\r\n") && text.contains("m=audio 7002 RTP/AVP 101\r\n"))
    #expect(
      text.contains("m=application 0 UDP/DTLS/SCTP webrtc-datachannel\r\n") && text.contains("a=rtcp-fb:121 nack\r\n")
        && !text.contains("goog-remb"))
  }

  @Test func answersThatDoNotAnswerAreRefused() throws {
    let (first, second) = (try end(1), try end(2, legs: 2))
    let (answer, _) = try RTPDescription.answer(to: try RTPDescription.offer(of: first), second)
    func said(_ change: (String) -> String, to local: RTPDescription.Local? = nil) -> String? {
      failure { _ = try RTPDescription.accept(change(answer), to: local ?? first) }?.text
    }
    #expect(said { $0 } == nil)
    #expect(said { $0 + "m=video 1 RTP/AVP 96\r\n" } == "SDP: the answer has 3 media; accepted: 2, as offered")
    #expect(said { $0.replacing("m=audio", with: "m=video") } == "SDP: the answer has m=video where m=audio was offered")
    #expect(
      said { $0.replacing("RTP/AVPF", with: "UDP/TLS/RTP/SAVPF") }
        == "SDP: the answer has m=video over UDP/TLS/RTP/SAVPF, which was not offered")
    #expect(said { $0.replacing("RTP/AVPF", with: "RTP/SAVPF") } == "SDP: the answer to RTP/AVP(F) has another transport")
    #expect(said { $0.replacing(":96 VP8", with: ":96 VP9") } == "SDP: the answer has none of the offer's payload types")
    let two =
      "SDP: two media that were offered at one port are answered at two; accepted: one port, by BUNDLE, or port 0 for a refused medium"
    #expect(said { $0.replacing("a=group:BUNDLE 0 1\r\n", with: "").replacing("m=audio 7000", with: "m=audio 7008") } == two)
    #expect(
      said { $0.replacing("c=IN IP4 192.0.2.2", with: "c=IN IP4 239.1.2.3") }
        == "SDP: m=video is at 239.1.2.3, a multicast group; accepted in offer and answer: a unicast address")
    #expect(
      said { $0.replacing("c=IN IP4 192.0.2.2", with: "c=IN IP6 2001:db8::1") }
        == "SDP: m=video is at 2001:db8::1, and the local address is IPv4; accepted: two addresses of one family")
    // By those of RFC 8843 the other media of a group have the port 0.
    let older = try RTPDescription.accept(answer.replacing("m=audio 7000", with: "m=audio 0") + "a=bundle-only\r\n", to: first)
    #expect(older.legs.first?.media.count == 2)
    // What was not offered is not agreed.
    let more = try RTPDescription.accept(answer.replacing("extmap:5", with: "extmap:6").replacing("apt=96", with: "apt=100"), to: first)
    #expect(
      more.legs.first?.extensions.transportSequence == 0 && more.legs.first?.hasTransportFeedback == false
        && more.legs.first?.media.first?.retransmission == nil)
  }

  @Test func keysOfTheWrongLengthAreRefused() throws {
    let (first, second) = (try end(1, [.aesCounterSHA1]), try end(2, legs: 2, [.aesCounterSHA1]))
    let offer = try RTPDescription.offer(of: first)
    let (answer, _) = try RTPDescription.answer(to: offer, second)
    let text = "a key of AES_CM_128_HMAC_SHA1_80 has 27 bytes; accepted: 30, 16 of the key and 14 of the salt"
    let short = { (text: String) in
      text.replacing("ERERERER\r\n", with: "ERER\r\n").replacing("ICAgICAg\r\n", with: "ICAg\r\n").replacing(
        "EBAQEBAQ\r\n", with: "EBAQ\r\n")
    }
    #expect(short(offer) != offer && short(answer) != answer)
    #expect(failure { _ = try RTPDescription.answer(to: short(offer), second) }?.text == text)
    #expect(failure { _ = try RTPDescription.accept(short(answer), to: first) }?.text == text)
    var leg = first.legs[0]
    #expect(
      failure { try leg.protect(.aesGCM, key: [1, 2, 3]) }?.text
        == "a key of AEAD_AES_128_GCM has 3 bytes; accepted: 28, 16 of the key and 12 of the salt")
    #expect(
      failure { _ = try RTPDescription.accept(answer.replacing("a=crypto:1", with: "a=crypto:2"), to: first) }?.text
        == "SDP: the answer's a=crypto is not among the offer's")
  }
}

extension String {
  /// How often it holds another.
  fileprivate func components(_ other: String) -> Int { ranges(of: other).count }
}
