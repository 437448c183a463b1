extension Fixtures {
  /// LiveKit (pion) to a publisher that offered Opus (mid 0), VP8 in the sizes q, h, f (mid 1) and data channels (mid 2).
  static let liveKitAnswer = """
    v=0
    o=- 2418392042350239342 1700000000 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=msid-semantic:WMS *
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    a=ice-lite
    a=extmap-allow-mixed
    a=group:BUNDLE 0 1 2
    m=audio 9 UDP/TLS/RTP/SAVPF 111
    c=IN IP4 0.0.0.0
    a=setup:passive
    a=mid:0
    a=ice-ufrag:KkXmVdTPzEjsAbCd
    a=ice-pwd:passwordOfLiveKitOf32Characters0
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtcp-fb:111 transport-cc 
    a=rtcp-fb:111 nack 
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=recvonly
    a=candidate:233762139 1 udp 2130706431 198.51.100.7 50000 typ host ufrag KkXmVdTPzEjsAbCd
    a=candidate:233762139 2 udp 2130706431 198.51.100.7 50000 typ host ufrag KkXmVdTPzEjsAbCd
    a=end-of-candidates
    m=video 9 UDP/TLS/RTP/SAVPF 96 97
    c=IN IP4 0.0.0.0
    a=setup:passive
    a=mid:1
    a=ice-ufrag:KkXmVdTPzEjsAbCd
    a=ice-pwd:passwordOfLiveKitOf32Characters0
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb 
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack 
    a=rtcp-fb:96 nack pli
    a=rtcp-fb:96 transport-cc 
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=rid:q recv
    a=rid:h recv
    a=rid:f recv
    a=simulcast:recv q;h;f
    a=recvonly
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 0.0.0.0
    a=setup:passive
    a=mid:2
    a=sendrecv
    a=sctp-port:5000
    a=max-message-size:65535
    a=ice-ufrag:KkXmVdTPzEjsAbCd
    a=ice-pwd:passwordOfLiveKitOf32Characters0
    """
}
