extension Fixtures {
  /// Safari that has no VP8: two profiles of H.264, and H.265.
  static let safariOffer = """
    v=0
    o=- 7221393021456378512 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1
    a=extmap-allow-mixed
    a=msid-semantic: WMS safari
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 102 0 8
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:safa
    a=ice-pwd:passwordOfTheSafari12345
    a=ice-options:trickle
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:safari microphone
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:102 ILBC/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=ssrc:3001 cname:safari
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:safa
    a=ice-pwd:passwordOfTheSafari12345
    a=ice-options:trickle
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    a=setup:actpass
    a=mid:1
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:safari camera
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 H264/90000
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtcp-fb:96 ccm fir
    a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:98 H264/90000
    a=rtcp-fb:98 nack
    a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 H265/90000
    a=fmtp:100 level-id=93;profile-id=1;tier-flag=0;tx-mode=SRST
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=ssrc-group:FID 3002 3003
    a=ssrc:3002 cname:safari
    a=ssrc:3003 cname:safari
    """
}
