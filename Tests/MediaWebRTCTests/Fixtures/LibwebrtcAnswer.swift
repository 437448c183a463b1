extension Fixtures {
  /// libwebrtc (M152) to Opus, all codecs of video, and VP8 in three sizes, of which it takes one; with data channels.
  static let libwebrtcAnswer = """
    v=0
    o=- 6805286316188538826 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2 3
    a=cryptex
    a=msid-semantic: WMS
    m=audio 9 UDP/TLS/RTP/SAVPF 111
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:s/ap
    a=ice-pwd:4/6xP0L0XsUGl6wUG1goUZSG
    a=ice-options:trickle
    a=fingerprint:sha-256 92:ED:60:24:B4:C6:F4:89:7B:81:BA:52:42:8D:3A:D8:46:5F:C6:99:B5:DE:AE:2E:A9:C3:B2:B2:4B:03:79:CF
    a=setup:active
    a=mid:0
    a=extmap-allow-mixed
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 45 46
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:s/ap
    a=ice-pwd:4/6xP0L0XsUGl6wUG1goUZSG
    a=ice-options:trickle
    a=fingerprint:sha-256 92:ED:60:24:B4:C6:F4:89:7B:81:BA:52:42:8D:3A:D8:46:5F:C6:99:B5:DE:AE:2E:A9:C3:B2:B2:4B:03:79:CF
    a=setup:active
    a=mid:1
    a=extmap-allow-mixed
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:98 VP9/90000
    a=rtcp-fb:98 goog-remb
    a=rtcp-fb:98 transport-cc
    a=rtcp-fb:98 ccm fir
    a=rtcp-fb:98 nack
    a=rtcp-fb:98 nack pli
    a=fmtp:98 profile-id=0
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:45 AV1/90000
    a=rtcp-fb:45 goog-remb
    a=rtcp-fb:45 transport-cc
    a=rtcp-fb:45 ccm fir
    a=rtcp-fb:45 nack
    a=rtcp-fb:45 nack pli
    a=fmtp:45 level-idx=5;profile=0;tier=0
    a=rtpmap:46 rtx/90000
    a=fmtp:46 apt=45
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 45 46
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:s/ap
    a=ice-pwd:4/6xP0L0XsUGl6wUG1goUZSG
    a=ice-options:trickle
    a=fingerprint:sha-256 92:ED:60:24:B4:C6:F4:89:7B:81:BA:52:42:8D:3A:D8:46:5F:C6:99:B5:DE:AE:2E:A9:C3:B2:B2:4B:03:79:CF
    a=setup:active
    a=mid:2
    a=extmap-allow-mixed
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:98 VP9/90000
    a=rtcp-fb:98 goog-remb
    a=rtcp-fb:98 transport-cc
    a=rtcp-fb:98 ccm fir
    a=rtcp-fb:98 nack
    a=rtcp-fb:98 nack pli
    a=fmtp:98 profile-id=0
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:45 AV1/90000
    a=rtcp-fb:45 goog-remb
    a=rtcp-fb:45 transport-cc
    a=rtcp-fb:45 ccm fir
    a=rtcp-fb:45 nack
    a=rtcp-fb:45 nack pli
    a=fmtp:45 level-idx=5;profile=0;tier=0
    a=rtpmap:46 rtx/90000
    a=fmtp:46 apt=45
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 0.0.0.0
    a=ice-ufrag:s/ap
    a=ice-pwd:4/6xP0L0XsUGl6wUG1goUZSG
    a=ice-options:trickle
    a=fingerprint:sha-256 92:ED:60:24:B4:C6:F4:89:7B:81:BA:52:42:8D:3A:D8:46:5F:C6:99:B5:DE:AE:2E:A9:C3:B2:B2:4B:03:79:CF
    a=setup:active
    a=mid:3
    a=sctp-port:5000
    """
}
