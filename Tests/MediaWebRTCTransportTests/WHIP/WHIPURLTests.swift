import MediaCore
import Testing

@testable import MediaSignalling
@testable import MediaTransport
@testable import MediaWebRTCTransport

@Suite struct WHIPURLTests {
  private func read(_ url: String) throws -> WHIPURL {
    try WHIPURL(url, scheme: String(url.prefix { $0 != ":" }), argument: "url")
  }

  @Test func theServersPartIsTheServers() throws {
    let url = try read("whip+https://example.org:8443/live/room?key=value&x#stun=a,b:99&trickle=0&relay=1&loopback=1&max-bitrate=900000")
    #expect(url.kind == .whip && url.endpoint.text == "https://example.org:8443/live/room?key=value&x")
    #expect(url.options.servers.map(\.uri) == ["stun:a:3478", "stun:b:99"] && !url.options.trickles && url.options.isRelayed)
    #expect(url.options.offersLoopback && url.options.bitrates.maximum == 900_000)
    #expect(!url.options.receivesVideo && !url.options.receivesAudio && url.options.isForwarded && url.fingerprint == nil)
  }

  @Test func nothingNeedBeSaid() throws {
    let url = try read("whep+https://example.org/a")
    #expect(url.kind == .whep && url.endpoint.text == "https://example.org/a" && url.options.trickles && !url.options.isRelayed)
    #expect(url.options.receivesVideo && url.options.receivesAudio && !url.options.offersLoopback && !url.options.isForwarded)
    let audio = try read("whep+https://example.org/a#receive=audio&fingerprint=" + String(repeating: "AB", count: 32))
    #expect(!audio.options.receivesVideo && audio.options.receivesAudio && audio.fingerprint != nil)
  }

  @Test(arguments: ["127.0.0.1:8080", "[::1]", "localhost", "127.9.9.9"]) func onThisMachineWithoutTLS(_ host: String) throws {
    let url = try read("whip+http://\(host)/a")
    #expect(!url.endpoint.isSecure && url.options.offersLoopback)
  }

  @Test(arguments: [
    ("whip+http://example.org/a", Status.untrusted, "accepted: whip+https, or a loopback address"),
    ("whep+http://10.0.0.1/a", .untrusted, "the network could read the token"), ("whip+http://127.0.0.1.example.org/a", .untrusted, ""),
    ("whip+https://u:p@example.org/a", .invalid, "a user before its host"), ("whip+https:example.org", .invalid, "no host"),
    ("whip+https://example.org/a#token=x", .invalid, "the token is the session's access token"),
    ("whip+https://example.org/a#receive=both", .invalid, "unknown key \"receive\""),
    ("whep+https://example.org/a#max-bitrate=900000", .invalid, "unknown key"),
    ("whep+https://example.org/a#receive=none", .invalid, "accepted: both, video, audio"),
    ("whip+https://example.org/a#trickle=2", .invalid, "accepted: 0, 1"),
    ("whip+https://example.org/a#fingerprint=12", .invalid, "SHA-256"),
    ("whip+http://127.0.0.1/a#fingerprint=" + String(repeating: "AB", count: 32), .invalid, "no encryption"),
    ("whip+https://example.org/" + String(repeating: "a", count: 2_100), .limit, "at most 2048"),
    ("whip+https://example.org:0/a", .range, "1..65535")
  ])
  func errorsNameWhatIsAccepted(_ url: String, _ status: Status, _ words: String) throws {
    let refusal = failure { _ = try read(url) }
    #expect(refusal?.status == status, "\(String(describing: refusal))")
    #expect(words.isEmpty || refusal?.text.contains(words) == true, "\(refusal?.text ?? "")")
  }

  @Test func schemesHaveFactories() throws {
    #expect(TransportFactory.whip.map(\.scheme) == ["whip+https", "whep+https", "whip+http", "whep+http"])
    for factory in TransportFactory.whip {
      _ = try factory.target("\(factory.scheme)://127.0.0.1/a", "url")
      #expect(failure { _ = try factory.target("rtp://127.0.0.1/a", "url") }?.status == .unsupported)
    }
  }
}
