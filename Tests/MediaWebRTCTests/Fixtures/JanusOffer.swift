extension Fixtures {
  /// The VideoRoom of Janus to a subscriber.
  static let janusOffer = """
    v=0
    o=- 1700000000000001 1 IN IP4 192.0.2.9
    s=VideoRoom 1234
    t=0 0
    a=group:BUNDLE a1 v1
    a=ice-options:trickle
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    a=extmap-allow-mixed
    a=msid-semantic: WMS *
    m=audio 9 UDP/TLS/RTP/SAVPF 111
    c=IN IP4 192.0.2.9
    a=sendonly
    a=mid:a1
    a=rtcp-mux
    a=ice-ufrag:janu
    a=ice-pwd:passwordOfTheJanus123456
    a=ice-options:trickle
    a=setup:actpass
    a=rtpmap:111 opus/48000/2
    a=fmtp:111 useinbandfec=1
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:4 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=msid:janus janusa1
    a=ssrc:4001 cname:janus
    a=candidate:1 1 udp 2015363327 192.0.2.9 20001 typ host
    a=end-of-candidates
    m=video 9 UDP/TLS/RTP/SAVPF 96 97
    c=IN IP4 192.0.2.9
    a=sendonly
    a=mid:v1
    a=rtcp-mux
    a=ice-ufrag:janu
    a=ice-pwd:passwordOfTheJanus123456
    a=ice-options:trickle
    a=setup:actpass
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:12 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:13 urn:3gpp:video-orientation
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=ssrc-group:FID 4002 4003
    a=msid:janus janusv1
    a=ssrc:4002 cname:janus
    a=ssrc:4003 cname:janus
    a=candidate:1 1 udp 2015363327 192.0.2.9 20001 typ host
    a=end-of-candidates
    """
}
