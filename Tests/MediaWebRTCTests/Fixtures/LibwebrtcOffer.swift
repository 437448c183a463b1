extension Fixtures {
  /// libwebrtc (M152), audio, video and data without tracks.
  static let libwebrtcOffer = """
    v=0
    o=- 1801042593085349851 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2
    a=extmap-allow-mixed
    a=cryptex
    a=msid-semantic: WMS
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:Mm8F
    a=ice-pwd:A334pz5Z0PLgsFRsRcOYFPFX
    a=ice-options:trickle
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:- e6f2d889-b19a-4da6-b862-ec3a4470aa2f
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtcp-fb:111 rrtr
    a=rtcp-fb:63 rrtr
    a=rtcp-fb:9 rrtr
    a=rtcp-fb:0 rrtr
    a=rtcp-fb:8 rrtr
    a=rtcp-fb:13 rrtr
    a=rtcp-fb:110 rrtr
    a=rtcp-fb:126 rrtr
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
    a=rtpmap:126 telephone-event/8000
    a=ssrc:693751446 cname:kgtSzHWQ0Q8+Jq+s
    a=ssrc:693751446 msid:- e6f2d889-b19a-4da6-b862-ec3a4470aa2f
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 39 40 102 103 104
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:Mm8F
    a=ice-pwd:A334pz5Z0PLgsFRsRcOYFPFX
    a=ice-options:trickle
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    a=setup:actpass
    a=mid:1
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
    a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/video-timing
    a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=sendrecv
    a=msid:- b2221bb8-8b23-40cc-a7ee-7d544e57f06c
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtcp-fb:96 rrtr
    a=rtcp-fb:97 rrtr
    a=rtcp-fb:98 rrtr
    a=rtcp-fb:99 rrtr
    a=rtcp-fb:100 rrtr
    a=rtcp-fb:101 rrtr
    a=rtcp-fb:39 rrtr
    a=rtcp-fb:40 rrtr
    a=rtcp-fb:102 rrtr
    a=rtcp-fb:103 rrtr
    a=rtcp-fb:104 rrtr
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
    a=rtpmap:100 VP9/90000
    a=rtcp-fb:100 goog-remb
    a=rtcp-fb:100 transport-cc
    a=rtcp-fb:100 ccm fir
    a=rtcp-fb:100 nack
    a=rtcp-fb:100 nack pli
    a=fmtp:100 profile-id=2
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=rtpmap:39 AV1/90000
    a=rtcp-fb:39 goog-remb
    a=rtcp-fb:39 transport-cc
    a=rtcp-fb:39 ccm fir
    a=rtcp-fb:39 nack
    a=rtcp-fb:39 nack pli
    a=fmtp:39 level-idx=5;profile=0;tier=0
    a=rtpmap:40 rtx/90000
    a=fmtp:40 apt=39
    a=rtpmap:102 red/90000
    a=rtpmap:103 rtx/90000
    a=fmtp:103 apt=102
    a=rtpmap:104 ulpfec/90000
    a=ssrc-group:FID 57668460 2410345068
    a=ssrc:57668460 cname:kgtSzHWQ0Q8+Jq+s
    a=ssrc:57668460 msid:- b2221bb8-8b23-40cc-a7ee-7d544e57f06c
    a=ssrc:2410345068 cname:kgtSzHWQ0Q8+Jq+s
    a=ssrc:2410345068 msid:- b2221bb8-8b23-40cc-a7ee-7d544e57f06c
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 0.0.0.0
    a=ice-ufrag:Mm8F
    a=ice-pwd:A334pz5Z0PLgsFRsRcOYFPFX
    a=ice-options:trickle
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    a=setup:actpass
    a=mid:2
    a=sctp-port:5000
    a=max-message-size:262144
    """
}
