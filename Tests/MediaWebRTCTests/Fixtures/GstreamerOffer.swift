extension Fixtures {
  /// GStreamer's webrtcbin with max-bundle: capital letters, no header extensions, no retransmissions.
  static let gstreamerOffer = """
    v=0
    o=- 8145127103242315876 0 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=ice-options:trickle
    a=group:BUNDLE video0 audio1
    m=video 9 UDP/TLS/RTP/SAVPF 96
    c=IN IP4 0.0.0.0
    a=setup:actpass
    a=ice-ufrag:gstreamerUserNameOf32Characters0
    a=ice-pwd:passwordOfGStreamer12345
    a=rtcp-mux
    a=rtcp-rsize
    a=sendrecv
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 nack pli
    a=ssrc:5001 msid:user5001@host webrtctransceiver0
    a=ssrc:5001 cname:user5001@host
    a=mid:video0
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    m=audio 0 UDP/TLS/RTP/SAVPF 97
    c=IN IP4 0.0.0.0
    a=setup:actpass
    a=ice-ufrag:gstreamerUserNameOf32Characters0
    a=ice-pwd:passwordOfGStreamer12345
    a=bundle-only
    a=rtcp-mux
    a=rtcp-rsize
    a=sendrecv
    a=rtpmap:97 OPUS/48000/2
    a=rtcp-fb:97 nack pli
    a=fmtp:97 sprop-maxcapturerate=48000;sprop-stereo=0
    a=ssrc:5002 msid:user5002@host webrtctransceiver1
    a=ssrc:5002 cname:user5002@host
    a=mid:audio1
    a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
    """
}
