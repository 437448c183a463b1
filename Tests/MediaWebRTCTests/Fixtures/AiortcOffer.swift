extension Fixtures {
  /// aiortc 1.x, with all of its candidates.
  static let aiortcOffer = """
    v=0
    o=- 4004691579 4004691579 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2
    a=msid-semantic:WMS *
    m=audio 51576 UDP/TLS/RTP/SAVPF 96 9 0 8
    c=IN IP4 192.0.2.2
    a=sendrecv
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=mid:0
    a=msid:7f2331e3-b76d-4325-a181-baeaad867318 560af0b9-a536-49ab-b2fb-9d98107b55d0
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:3619972753 cname:902390d1-8577-47c3-ae10-6002928abca5
    a=rtpmap:96 opus/48000/2
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=candidate:f1 1 udp 2130706431 192.0.2.2 51576 typ host
    a=candidate:f1 1 udp 2130706431 192.0.2.2 37280 typ host
    a=end-of-candidates
    a=ice-ufrag:8Q2B
    a=ice-pwd:EBLO1y72BxRYxHz3wBUCKa
    a=fingerprint:sha-256 29:26:2B:E1:9A:15:73:D3:7C:7A:FE:3E:2B:72:8C:A7:58:CC:49:A9:56:8E:33:B7:BE:48:5D:38:AE:9D:FA:DC
    a=fingerprint:sha-384 D0:F3:60:A6:CE:08:05:11:DF:39:3A:24:4F:7E:4A:4F:69:D2:A7:35:EF:B5:92:3C:0A:5D:B5:1F:A4:EE:56:07:82:3C:E9:12:6F:5B:A2:2E:D6:5F:ED:9A:CD:87:AE:18
    a=fingerprint:sha-512 E3:63:DA:41:3B:15:9A:B9:AE:60:D5:3E:04:2A:FD:06:A6:40:72:16:CF:56:90:3D:58:1C:A1:31:10:E9:8B:D7:91:18:76:10:B2:5A:A4:F1:51:78:0F:A7:E0:62:CC:31:3B:75:06:C8:22:03:0A:DD:EA:87:D0:BC:96:BF:DA:84
    a=setup:actpass
    m=video 41225 UDP/TLS/RTP/SAVPF 97 98 99 100 101 102
    c=IN IP4 192.0.2.2
    a=sendrecv
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=mid:1
    a=msid:7f2331e3-b76d-4325-a181-baeaad867318 a4fa819b-08f6-4928-a467-c35e06722851
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc-group:FID 53474321 1564070597
    a=ssrc:53474321 cname:902390d1-8577-47c3-ae10-6002928abca5
    a=ssrc:1564070597 cname:902390d1-8577-47c3-ae10-6002928abca5
    a=rtpmap:97 VP8/90000
    a=rtcp-fb:97 nack
    a=rtcp-fb:97 nack pli
    a=rtcp-fb:97 goog-remb
    a=rtpmap:98 rtx/90000
    a=fmtp:98 apt=97
    a=rtpmap:99 H264/90000
    a=rtcp-fb:99 nack
    a=rtcp-fb:99 nack pli
    a=rtcp-fb:99 goog-remb
    a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
    a=rtpmap:100 rtx/90000
    a=fmtp:100 apt=99
    a=rtpmap:101 H264/90000
    a=rtcp-fb:101 nack
    a=rtcp-fb:101 nack pli
    a=rtcp-fb:101 goog-remb
    a=fmtp:101 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:102 rtx/90000
    a=fmtp:102 apt=101
    a=candidate:f1 1 udp 2130706431 192.0.2.2 41225 typ host
    a=candidate:f1 1 udp 2130706431 192.0.2.2 40648 typ host
    a=end-of-candidates
    a=ice-ufrag:8Q2B
    a=ice-pwd:EBLO1y72BxRYxHz3wBUCKa
    a=fingerprint:sha-256 29:26:2B:E1:9A:15:73:D3:7C:7A:FE:3E:2B:72:8C:A7:58:CC:49:A9:56:8E:33:B7:BE:48:5D:38:AE:9D:FA:DC
    a=fingerprint:sha-384 D0:F3:60:A6:CE:08:05:11:DF:39:3A:24:4F:7E:4A:4F:69:D2:A7:35:EF:B5:92:3C:0A:5D:B5:1F:A4:EE:56:07:82:3C:E9:12:6F:5B:A2:2E:D6:5F:ED:9A:CD:87:AE:18
    a=fingerprint:sha-512 E3:63:DA:41:3B:15:9A:B9:AE:60:D5:3E:04:2A:FD:06:A6:40:72:16:CF:56:90:3D:58:1C:A1:31:10:E9:8B:D7:91:18:76:10:B2:5A:A4:F1:51:78:0F:A7:E0:62:CC:31:3B:75:06:C8:22:03:0A:DD:EA:87:D0:BC:96:BF:DA:84
    a=setup:actpass
    m=application 49833 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 192.0.2.2
    a=mid:2
    a=sctp-port:5000
    a=max-message-size:262144
    a=candidate:f1 1 udp 2130706431 192.0.2.2 49833 typ host
    a=candidate:f1 1 udp 2130706431 192.0.2.2 56745 typ host
    a=end-of-candidates
    a=ice-ufrag:8Q2B
    a=ice-pwd:EBLO1y72BxRYxHz3wBUCKa
    a=fingerprint:sha-256 29:26:2B:E1:9A:15:73:D3:7C:7A:FE:3E:2B:72:8C:A7:58:CC:49:A9:56:8E:33:B7:BE:48:5D:38:AE:9D:FA:DC
    a=fingerprint:sha-384 D0:F3:60:A6:CE:08:05:11:DF:39:3A:24:4F:7E:4A:4F:69:D2:A7:35:EF:B5:92:3C:0A:5D:B5:1F:A4:EE:56:07:82:3C:E9:12:6F:5B:A2:2E:D6:5F:ED:9A:CD:87:AE:18
    a=fingerprint:sha-512 E3:63:DA:41:3B:15:9A:B9:AE:60:D5:3E:04:2A:FD:06:A6:40:72:16:CF:56:90:3D:58:1C:A1:31:10:E9:8B:D7:91:18:76:10:B2:5A:A4:F1:51:78:0F:A7:E0:62:CC:31:3B:75:06:C8:22:03:0A:DD:EA:87:D0:BC:96:BF:DA:84
    a=setup:actpass
    """
}
