import MediaCore
import Testing

@testable import MediaWebRTCTransport

@Suite struct WebRTCOptionsTests {
  private func options(_ url: String) throws -> WebRTCOptions { try WebRTCOptions(url, argument: "options.url") }

  @Test func nothingNeedBeSaid() throws {
    let options = try options("webrtc:")
    #expect(options.servers.isEmpty && !options.isRelayed && options.trickles && options.isPolite && !options.offersLoopback)
    #expect(options.receivesVideo && options.receivesAudio && options.relayFingerprint == nil && options.bitrates == .init())
  }

  @Test func everythingMayBeSaid() throws {
    let options = try options(
      "webrtc:?stun=stun.example.org,[2001:db8::1]:3479,192.0.2.1:5000&relay=1&trickle=0&polite=0&receive=audio&loopback=1&max-bitrate=800000"
        + "&relay-fingerprint=" + String(repeating: "0f", count: 32))
    #expect(options.servers.map(\.uri) == ["stun:stun.example.org:3478", "stun:[2001:db8::1]:3479", "stun:192.0.2.1:5000"])
    #expect(options.isRelayed && !options.trickles && !options.isPolite && options.offersLoopback)
    #expect(!options.receivesVideo && options.receivesAudio && options.bitrates.maximum == 800_000)
    #expect(options.relayFingerprint?.bytes.first == 15)
  }

  @Test(arguments: [
    ("webrtc://example.org", Status.invalid, "descriptions say where the peer is"), ("webrtc:room", .invalid, "webrtc:?key=value"),
    ("webrtc:?turn=example.org", .invalid, "msdk_session_add_ice_server"),
    ("webrtc:?relay=0&turn=example.org", .invalid, "msdk_session_add_ice_server"),
    ("webrtc:?password=x", .invalid, "msdk_session_add_ice_server"), ("webrtc:?stunt=x", .invalid, "accepted: stun, relay"),
    ("webrtc:?stun=a:b", .invalid, "\"a:b\" in stun; accepted: HOST:PORT"), ("webrtc:?stun=a,,b", .invalid, "accepted: HOST:PORT"),
    ("webrtc:?stun=a,b,c,d,e", .limit, "5 servers in stun; accepted: at most 4"), ("webrtc:?trickle=yes", .invalid, "accepted: 0, 1"),
    ("webrtc:?receive=all", .invalid, "accepted: both, video, audio, none"), ("webrtc:?relay-fingerprint=12", .invalid, "SHA-256"),
    ("webrtc:?min-bitrate=10", .range, "min-bitrate=10"), ("rtp:", .unsupported, "accepted: webrtc:?key=value")
  ]) func errorsNameWhatIsAccepted(_ url: String, _ status: Status, _ words: String) throws {
    let refusal = failure { _ = try options(url) }
    #expect(refusal?.status == status && refusal?.text.contains(words) == true, "\(refusal?.text ?? "none")")
    #expect(refusal?.text.hasPrefix("options.url") == true)
  }
}
