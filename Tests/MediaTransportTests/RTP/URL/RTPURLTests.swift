import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaTransport

@Suite struct RTPURLTests {
  private func read(_ url: String, _ keys: RTPURL.Keys? = nil) throws -> RTPConfiguration {
    try RTPURL.configuration(url, cname: "me", keys: keys)
  }

  private func said(_ url: String, _ keys: RTPURL.Keys? = nil) -> String? {
    failure { _ = try read(url, keys) }?.text
  }

  @Test func anAddressIsEnough() throws {
    let configuration = try read("rtp://192.0.2.1:5004")
    #expect(configuration.cname == "me" && configuration.packetSize == 1200 && configuration.bitrates == BandwidthEstimator.Limits())
    let leg = try #require(configuration.legs.first)
    #expect(configuration.legs.count == 1)
    #expect("\(leg.local) \(String(describing: leg.localControl?.description))" == "0.0.0.0:0 Optional(\"0.0.0.0:0\")")
    #expect(leg.remote?.description == "192.0.2.1:5004" && leg.remoteControl?.description == "192.0.2.1:5005")
    #expect(leg.keys == nil && leg.extensions == ExtensionMap() && !leg.hasTransportFeedback && !leg.hasReducedSize)
    #expect(
      leg.media.map(\.kind) == [.video, .audio]
        && leg.media.allSatisfy { $0.direction == .sendReceive && !$0.hasNACK && $0.mid == nil && $0.retransmission == nil })
    #expect(leg.media[0].sending?.type == 96 && leg.media[0].sending?.encoding == .vp8 && leg.media[0].receiving == [96: .vp8])
    #expect(leg.media[1].sending?.type == 111 && leg.media[1].sending?.encoding == .opus && leg.media[1].receiving == [111: .opus])
  }

  @Test func allThatCanBeSaid() throws {
    let configuration = try read(
      "rtp://[2001:db8::1]:5004?local=[::1]:6000&media=both&direction=sendrecv&vp8=100&opus=101&rtx=102&rtcp-mux=1&feedback=1&twcc=3&level=4"
        + "&min-bitrate=50000&start-bitrate=400000&max-bitrate=3000000&mtu=1500&framerate=30000/1001")
    let leg = try #require(configuration.legs.first)
    #expect(
      leg.local.description == "[::1]:6000" && leg.localControl == nil && leg.remote?.description == "[2001:db8::1]:5004"
        && leg.remoteControl == nil)
    #expect(leg.hasTransportFeedback && leg.hasReducedSize && leg.extensions.transportSequence == 3 && leg.extensions.audioLevel == 4)
    #expect(
      leg.media[0].sending?.type == 100 && leg.media[0].retransmission == 102 && leg.media[0].hasNACK
        && leg.media[0].frameRate == FrameRate(30_000, 1001))
    #expect(
      leg.media[0].receiving == [100: .vp8, 102: .retransmission(of: 100)] && leg.media[1].receiving == [101: .opus]
        && leg.media[1].frameRate == nil)
    #expect(configuration.bitrates == .init(minimum: 50_000, start: 400_000, maximum: 3_000_000))
    #expect(configuration.packetSize == 1452)
  }

  @Test func directionsAndMediaLeaveOutTheRest() throws {
    let sending = try read("rtp://192.0.2.1:5004?media=video&direction=sendonly&framerate=30").legs[0]
    #expect(
      sending.media.count == 1 && sending.media[0].receiving.isEmpty && sending.media[0].sending?.type == 96
        && sending.media[0].frameRate == nil)
    let hearing = try read("rtp://192.0.2.1:5004?media=audio&direction=recvonly&level=1").legs[0]
    #expect(
      hearing.media.count == 1 && hearing.media[0].kind == .audio && hearing.media[0].sending == nil
        && hearing.media[0].receiving == [111: .opus])
    #expect(hearing.extensions.audioLevel == 1)
    #expect(try read("rtp://192.0.2.1:5004?media=video&level=1").legs[0].extensions.audioLevel == 0)
    let seeing = try read("rtp://192.0.2.1:5004?audio=5006&orientation=4&color=6").legs
    #expect(seeing[0].extensions.orientation == 4 && seeing[0].extensions.colorSpace == 6 && seeing[1].extensions == ExtensionMap())
    let plain = try read("rtp://192.0.2.1:5004?feedback=1&twcc=0").legs[0]
    #expect(!plain.hasTransportFeedback && plain.extensions.transportSequence == 0 && plain.media[0].hasNACK)
    #expect(try read("rtp://192.0.2.1:5004?feedback=1").legs[0].extensions.transportSequence == 5)
  }

  @Test func keysComeBesideIt() throws {
    let (own, theirs) = ([UInt8](repeating: 1, count: 30), [UInt8](repeating: 2, count: 30))
    let configuration = try read("rtp://192.0.2.1:5004?srtp=AES_CM_128_HMAC_SHA1_80&mtu=1000&audio=5006", (own, theirs))
    for leg in configuration.legs {
      #expect(leg.keys?.profile == .aesCounterSHA1 && leg.keys?.own.bytes == own && leg.keys?.theirs.bytes == theirs)
    }
    #expect(configuration.legs.count == 2 && configuration.packetSize == 1000 - 28 - 10)
    let (small, other) = ([UInt8](repeating: 1, count: 28), [UInt8](repeating: 2, count: 28))
    #expect(try read("rtp://192.0.2.1:5004?srtp=AEAD_AES_128_GCM&mtu=1500", (small, other)).packetSize == 1500 - 28 - 16)
    #expect(
      said("rtp://192.0.2.1:5004?srtp=AEAD_AES_128_GCM", (own, theirs))
        == "a key of AEAD_AES_128_GCM has 30 bytes; accepted: 28, 16 of the key and 12 of the salt")
    #expect(
      said("rtp://192.0.2.1:5004?srtp=AEAD_AES_128_GCM")
        == "url has srtp, but there are no keys: keys are set with msdk_session_set_srtp_keys")
    #expect(
      said("rtp://192.0.2.1:5004", (own, theirs))
        == "url has no srtp, but keys are set; accepted with keys: srtp=AES_CM_128_HMAC_SHA1_80, AEAD_AES_128_GCM, AEAD_AES_256_GCM")
  }

  @Test func secretsAreNeitherTakenNorRepeated() {
    for url in [
      "rtp://192.0.2.1:5004?key=hunter2", "rtp://192.0.2.1:5004?srtp=hunter2", "rtp://192.0.2.1:5004?SRTP-Secret=hunter2",
      "rtp://192.0.2.1:5004?password=hunter2",
      "rtp://hunter2:hunter2@192.0.2.1:5004", "rtp://192.0.2.1:5004?inline:hunter2", "srtp://hunter2@192.0.2.1:5004",
      "rtps:hunter2@192.0.2.1?key=hunter2"
    ] {
      let text = said(url)
      #expect(text?.contains("hunter2") == false, "\(url)")
    }
    #expect(
      said("rtp://192.0.2.1:5004?master-key=AAAA")
        == "url has \"master-key\", but URLs are logged: keys are set with msdk_session_set_srtp_keys")
  }

  @Test func bitratesThatAreNotSaidGiveWay() throws {
    func limits(_ query: String) throws -> BandwidthEstimator.Limits { try read("rtp://192.0.2.1:5004?\(query)").bitrates }
    #expect(try limits("max-bitrate=100000") == .init(minimum: 30_000, start: 100_000, maximum: 100_000))
    #expect(try limits("max-bitrate=10000") == .init(minimum: 10_000, start: 10_000, maximum: 10_000))
    #expect(try limits("min-bitrate=1000000") == .init(minimum: 1_000_000, start: 1_000_000, maximum: 20_000_000))
    #expect(try limits("start-bitrate=50000000") == .init(minimum: 30_000, start: 50_000_000, maximum: 50_000_000))
    #expect(try limits("start-bitrate=8000") == .init(minimum: 8_000, start: 8_000, maximum: 20_000_000))
    #expect(
      said("rtp://192.0.2.1:5004?min-bitrate=9000&max-bitrate=8000")
        == "url has bitrates of 9000, 8000 and 8000; accepted: min-bitrate at most start-bitrate at most max-bitrate")
  }

  @Test func whatMakesNoSenseIsSaid() {
    func ends(_ query: String, _ end: String) {
      let text = said("rtp://192.0.2.1:5004?\(query)")
      #expect(text == "url has \(end)", "\(query)")
    }
    ends("twcc=3", "twcc without feedback=1, which it needs")
    ends("rtx=97", "rtx without feedback=1, which it needs")
    ends("feedback=1&level=5", "5 for level and for twcc; accepted: two different numbers")
    ends("color=4&orientation=4", "4 for color and for orientation; accepted: two different numbers")
    ends("feedback=1&color=5", "5 for color and for twcc; accepted: two different numbers")
    ends("feedback=1&rtx=96", "the payload type 96 for vp8 and for rtx; accepted: two different numbers")
    ends("opus=96", "two meanings for the payload type 96 of media that share a port; accepted: one")
    ends("direction=both", "direction=both; accepted: sendrecv, sendonly, recvonly")
    ends("feedback=yes", "feedback=yes; accepted: 0, 1")
    #expect(failure { _ = try read("rtp://192.0.2.1:5004?opus=96&audio=5006") } == nil)
    #expect(said("rtp://239.1.2.3:5004") == "url has the multicast address 239.1.2.3; accepted with it: direction=recvonly or sendonly")
  }

  @Test func spoiltURLsDoNoHarm() {
    let valid = [
      "rtp://[2001:db8::1]:5004?local=[::1]:6000&vp8=100&opus=101&rtx=102&rtcp-mux=1&feedback=1&twcc=3&level=4&min-bitrate=50000&mtu=1500",
      "rtp://239.1.2.3:5004?audio=5006&direction=recvonly&framerate=30000/1001&max-bitrate=3000000",
      "rtp://:5004?local-audio=127.0.0.1:7000&audio=7000&media=both"
    ]
    var (read, refused) = (0, 0)
    for (seed, url) in valid.enumerated() {
      spoil(url, seed: UInt64(seed), count: 20_000) { text in
        do throws(MediaError) {
          let configuration = try RTPURL.configuration(text, cname: "me")
          read += 1
          let isSound =
            configuration.legs.allSatisfy { !$0.media.isEmpty && $0.remote?.port != 0 } && (1...2).contains(configuration.legs.count)
          if !isSound { Issue.record("\(text)") }
        } catch {
          refused += 1
          if error.text.isEmpty { Issue.record("\(text)") }
        }
      }
    }
    #expect(read > 1000 && refused > 1000, "\(read) \(refused)")
  }
}
