import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaTransport

/// Texts as programs of others make them.
enum Announcement {
  /// FFmpeg 5.1, -f rtp of VP8 and of Opus, -sdp_file.
  static let ffmpeg = """
    v=0
    o=- 0 0 IN IP4 127.0.0.1
    s=No Name
    t=0 0
    a=tool:libavformat 59.27.100
    m=video 40000 RTP/AVP 96
    c=IN IP4 127.0.0.1
    b=AS:256
    a=rtpmap:96 VP8/90000
    m=audio 40002 RTP/AVP 111
    c=IN IP4 127.0.0.1
    b=AS:64
    a=rtpmap:111 opus/48000/2

    """
  /// FFmpeg 5.1 with -srtp_out_suite: protected, though it says RTP/AVP.
  static let protected = """
    v=0
    o=- 0 0 IN IP4 127.0.0.1
    s=No Name
    c=IN IP4 127.0.0.1
    t=0 0
    a=tool:libavformat 59.27.100
    m=video 40000 RTP/AVP 96
    b=AS:256
    a=rtpmap:96 VP8/90000
    a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd

    """
  /// As GStreamer's elements name things, to a group.
  static let gstreamer = """
    v=0
    o=- 1188340656180883 1 IN IP4 192.0.2.1
    s=Session streamed with GStreamer
    i=rtsp-server
    t=0 0
    a=tool:GStreamer
    a=type:broadcast
    a=control:*
    a=range:npt=now-
    m=video 5000 RTP/AVPF 96 97
    c=IN IP4 239.1.2.3/16
    b=AS:1024
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 nack pli
    a=rtcp-fb:96 nack
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96;rtx-time=200
    a=framerate:29.97
    a=framesize:96 640-480
    a=ts-refclk:local
    a=mediaclk:sender
    a=ssrc:1234 cname:user1@host-1
    m=audio 5002 RTP/AVP 97
    c=IN IP4 239.1.2.3/16
    a=rtpmap:97 OPUS/48000/2
    a=fmtp:97 sprop-maxcapturerate=48000;sprop-stereo=1
    a=rtcp:6000
    m=application 5004 RTP/AVP 99
    a=rtpmap:99 vnd.onvif.metadata/90000

    """
}

@Suite struct RTPDescriptionAnnouncedTests {
  private func ports(_ configuration: RTPConfiguration) -> [String] {
    configuration.legs.map { leg in
      [leg.local, leg.localControl, leg.remote, leg.remoteControl].map { $0?.description ?? "-" }.joined(separator: " ")
    }
  }

  @Test func whatFFmpegAnnouncesIsHeard() throws {
    let configuration = try RTPDescription.announced(Announcement.ffmpeg, cname: "me")
    #expect(ports(configuration) == ["0.0.0.0:40000 0.0.0.0:40001 - -", "0.0.0.0:40002 0.0.0.0:40003 - -"] && configuration.cname == "me")
    let media = configuration.legs.flatMap(\.media)
    #expect(
      media.map(\.kind) == [.video, .audio]
        && media.allSatisfy { $0.direction == .receiveOnly && $0.sending == nil && !$0.hasNACK && $0.bandwidth == nil })
    #expect(media.map(\.receiving) == [[96: .vp8], [111: .opus]] && configuration.legs.allSatisfy { $0.keys == nil })
    let here = try RTPDescription.announced(Announcement.ffmpeg, cname: "me", localHost: "127.0.0.1")
    #expect(ports(here) == ["127.0.0.1:40000 127.0.0.1:40001 - -", "127.0.0.1:40002 127.0.0.1:40003 - -"])
  }

  @Test func keysAreTheirs() throws {
    let keys = try #require(try RTPDescription.announced(Announcement.protected, cname: "me").legs.first?.keys)
    #expect(keys.profile == .aesCounterSHA1 && keys.theirs.bytes == Array(0..<30) && keys.own == keys.theirs)
    let short = Announcement.protected.replacing("GBkaGxwd", with: "GBka")
    #expect(
      failure { _ = try RTPDescription.announced(short, cname: "me") }?.text
        == "a key of AES_CM_128_HMAC_SHA1_80 has 27 bytes; accepted: 30, 16 of the key and 14 of the salt")
    let unknown = Announcement.protected.replacing("AES_CM_128_HMAC_SHA1_80", with: "F8_128_HMAC_SHA1_80")
    #expect(
      failure { _ = try RTPDescription.announced(unknown, cname: "me") }?.text
        == "SDP: m=video is protected; accepted: a=crypto with AES_CM_128_HMAC_SHA1_80, AEAD_AES_128_GCM, AEAD_AES_256_GCM")
    let keyless = Announcement.ffmpeg.replacing("40000 RTP/AVP", with: "40000 RTP/SAVP")
    #expect(failure { _ = try RTPDescription.announced(keyless, cname: "me") }?.text.hasPrefix("SDP: m=video is protected") == true)
  }

  @Test func groupsAreJoined() throws {
    let configuration = try RTPDescription.announced(Announcement.gstreamer, cname: "me")
    #expect(
      ports(configuration) == [
        "239.1.2.3:5000 239.1.2.3:5001 239.1.2.3:5000 239.1.2.3:5001", "239.1.2.3:5002 239.1.2.3:6000 239.1.2.3:5002 239.1.2.3:6000"
      ])
    let media = configuration.legs.flatMap(\.media)
    #expect(
      media[0].receiving == [96: .vp8, 97: .retransmission(of: 96)] && media[0].hasNACK && media[0].frameRate == FrameRate(30_000, 1001))
    #expect(media[1].receiving == [97: .opus] && !media[1].hasNACK)
    let here = try RTPDescription.announced(Announcement.gstreamer, cname: "me", localHost: "192.0.2.9")
    #expect(ports(here)[0] == "192.0.2.9:5000 192.0.2.9:5001 239.1.2.3:5000 239.1.2.3:5001")
  }

  @Test func onePortOneLeg() throws {
    let text = Announcement.ffmpeg.replacing("40002", with: "40000")
    let configuration = try RTPDescription.announced(text, cname: "me")
    #expect(configuration.legs.count == 1 && configuration.legs.first?.media.count == 2)
    #expect(
      failure { _ = try RTPDescription.announced(text.replacing("111", with: "96"), cname: "me") }?.text
        == "SDP has two meanings for the payload type 96 of media that share a port; accepted: one")
    #expect(
      failure { _ = try RTPDescription.announced(text + "a=rtcp-mux\n", cname: "me") }?.text
        == "SDP: media that share the port 40000 differ in their keys or their port for RTCP")
  }

  @Test func nothingKnownIsSaid() {
    let text = "SDP: the announcement has no known media; accepted: VP8/90000 and opus/48000/2 over RTP"
    #expect(failure { _ = try RTPDescription.announced("v=0\no=- 1 1 IN IP4 1.2.3.4\n", cname: "me") }?.text == text)
    let other = Announcement.protected.replacing("VP8", with: "H264")
    #expect(failure { _ = try RTPDescription.announced(other, cname: "me") }?.text == text)
    #expect(
      failure { _ = try RTPDescription.announced(Announcement.protected.replacing("c=IN IP4 127.0.0.1\n", with: ""), cname: "me") }?.text
        == "SDP: m=video has no c= line, and neither has the session")
    #expect(
      failure { _ = try RTPDescription.announced(Announcement.ffmpeg, cname: "me", localHost: "::1") }?.text
        == "the local host is \"::1\"; accepted with this description: an IPv4 address")
  }

  // MARK: What is sent

  private func described(_ url: String, _ keys: RTPURL.Keys? = nil, to remotes: [SocketAddress?] = []) throws -> String {
    let configuration = try RTPURL.configuration(url, cname: "me", keys: keys)
    return try RTPDescription.text(of: configuration, asSentTo: remotes, from: "192.0.2.9", id: 7, version: 2)
  }

  @Test func whatIsSentIsDescribed() throws {
    let text = try described("rtp://192.0.2.1:5004?audio=5006")
    let expected = """
      v=0
      o=- 7 2 IN IP4 192.0.2.9
      s=-
      t=0 0
      m=video 5004 RTP/AVP 96
      c=IN IP4 192.0.2.1
      a=recvonly
      a=rtpmap:96 VP8/90000
      m=audio 5006 RTP/AVP 111
      c=IN IP4 192.0.2.1
      a=recvonly
      a=rtpmap:111 opus/48000/2
      a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1

      """
    #expect(text == expected.replacing("\n", with: "\r\n"))
  }

  @Test func whatIsDescribedIsHeard() throws {
    let keys: RTPURL.Keys = ([UInt8](repeating: 1, count: 30), [UInt8](repeating: 2, count: 30))
    for url in [
      "rtp://127.0.0.1:5004?srtp=AES_CM_128_HMAC_SHA1_80&feedback=1&rtx=97&level=3",
      "rtp://[::1]:5004?rtcp-mux=1&srtp=AES_CM_128_HMAC_SHA1_80&feedback=1&twcc=0",
      "rtp://239.1.2.3:5004?direction=sendonly&audio=5006&srtp=AES_CM_128_HMAC_SHA1_80"
    ] {
      let sent = try RTPURL.configuration(url, cname: "me", keys: keys)
      let heard = try RTPDescription.announced(try described(url, keys), cname: "you")
      #expect(heard.legs.count == sent.legs.count)
      for (sent, heard) in zip(sent.legs, heard.legs) {
        #expect(
          heard.local.port == sent.remote?.port && heard.localControl?.port == sent.remoteControl?.port
            && heard.extensions == sent.extensions)
        #expect(
          heard.keys?.theirs.bytes == keys.own && heard.media.map(\.kind) == sent.media.map(\.kind)
            && heard.remote == (sent.remote?.isMulticast == true ? sent.remote : nil))
        for (sent, heard) in zip(sent.media, heard.media) {
          let type = sent.sending?.type ?? 0
          #expect(heard.receiving[type] == sent.sending?.encoding && heard.hasNACK == sent.hasNACK)
          if let again = sent.retransmission { #expect(heard.receiving[again] == .retransmission(of: type)) }
        }
      }
    }
  }

  @Test func otherEndsAreNamedWhereNoneIsKnown() throws {
    #expect(
      failure { _ = try described("rtp://:5004") }
        == MediaError(.state, "leg 0 has no peer address yet; accepted: a peer address to describe"))
    let text = try described("rtp://:5004?media=video", to: [SocketAddress("192.0.2.5", port: 6000)])
    #expect(text.contains("m=video 6000 RTP/AVP 96\r\nc=IN IP4 192.0.2.5\r\n"))
    #expect(
      failure { _ = try described("rtp://192.0.2.1:5004?direction=recvonly") }
        == MediaError(.state, "the session sends nothing; accepted: a direction of sendrecv or sendonly"))
    #expect(try described("rtp://239.1.2.3:5004?direction=sendonly").contains("c=IN IP4 239.1.2.3/1\r\n"))
    #expect(try described("rtp://[ff15::1]:5004?direction=sendonly").contains("c=IN IP6 ff15::1\r\n"))
    #expect(try described("rtp://192.0.2.1:5004?rtcp-mux=1").contains("a=group:BUNDLE 0 1\r\n"))
  }

  @Test func spoiltAnnouncementsDoNoHarm() {
    var (read, refused) = (0, 0)
    for (seed, text) in [Announcement.ffmpeg, Announcement.protected, Announcement.gstreamer].enumerated() {
      spoil(text, seed: UInt64(seed), count: 7_000) { text in
        do throws(MediaError) {
          let configuration = try RTPDescription.announced(text, cname: "me")
          read += 1
          if configuration.legs.contains(where: { $0.media.isEmpty || $0.local.port == 0 }) { Issue.record("\(text)") }
        } catch {
          refused += 1
          if error.text.isEmpty { Issue.record("\(text)") }
        }
      }
    }
    #expect(read > 1000 && refused > 1000, "\(read) \(refused)")
  }
}
