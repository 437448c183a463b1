import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct TransportListTests {
  private static let print = String(repeating: "0A", count: 32)

  @Test(arguments: [
    ("loopback:a", "loopback"), ("rtp://127.0.0.1:5004", "rtp"), ("rtp:", "rtp"), ("webrtc:?polite=0", "webrtc"),
    ("whip+https://[::1]/whip/a?b#trickle=0", "whip+https"), ("whep+http://127.0.0.1:8080/a", "whep+http"),
    ("janus+https://[::1]:8089/janus?room=1#trickle=0", "janus+https"), ("janus+ws://127.0.0.1:8188/?room=a", "janus+ws")
  ])
  func theSchemeSaysWhereASessionConnects(url: String, scheme: String) throws {
    let factory = try Transports.factory(of: url, argument: "url")
    #expect(factory.scheme == scheme)
    _ = try factory.target(url, "url")
  }

  /// The error of an unknown scheme has the form of each that there is, and nothing that may be a secret.
  @Test(arguments: ["https://example.org/?secret", "", "lobby", "RTP://127.0.0.1:5004", " loopback:x"])
  func anUnknownSchemeIsAnsweredWithAllThatThereAre(url: String) {
    let error = failure { _ = try Transports.factory(of: url, argument: "options.url") }
    #expect(error?.status == .unsupported)
    #expect(error?.text.contains("accepted: loopback:NAME, rtp://HOST:PORT, webrtc:, whip+https://HOST") == true)
    #expect(error?.text.contains("secret") == false)
    for factory in Transports.all { #expect(error?.text.contains(factory.form) == true) }
  }

  /// What the list shows as a form has the scheme of that transport, and no scheme stands there twice.
  @Test func formsAndSchemesAgree() {
    for factory in Transports.all { #expect(Transports.factory(of: factory.form)?.scheme == factory.scheme) }
    #expect(Set(Transports.all.map(\.scheme)).count == Transports.all.count)
  }

  @Test func errorsNameTheTransportsWithAFeature() {
    #expect(Transports.schemes(with: .attributes, joinedBy: "and") == "loopback:, livekit+wss: and livekit+ws:")
    let rooms = "janus+https:, janus+wss:, janus+http:, janus+ws:, livekit+wss: or livekit+ws:"
    let servers = "whip+https:, whep+https:, whip+http:, whep+http:, \(rooms)"
    #expect(Transports.schemes(with: .network, joinedBy: "or") == "rtp:, webrtc:, \(servers)")
    #expect(Transports.schemes(with: .descriptions, joinedBy: "or") == "rtp:")
    #expect(Transports.schemes(with: [], joinedBy: "and").hasPrefix("loopback:, rtp:, webrtc:, whip+https:, "))
    #expect(Transports.forms(without: .network) == "loopback:NAME")
    let forms = Transports.forms(with: .network, without: .negotiation)
    #expect(forms.hasPrefix("rtp://HOST:PORT, whip+https://HOST:PORT/PATH"))
  }

  /// What a transport does not have is refused by the session, whatever the transport would do with it.
  @Test func whatATransportHasNotIsRefused() throws {
    let engine = Engine()
    let session = try engine.makeSession(SessionOptions(url: "rtp://127.0.0.1:5004", userID: "anna"))
    let servers = Transports.schemes(with: .accessTokens, joinedBy: "and")
    #expect(servers.hasPrefix("loopback:, whip+https:"))
    #expect(Transports.schemes(with: .preferences, joinedBy: "and").hasPrefix("loopback:, janus+https:"))
    for (error, accepted) in [
      (failure { try session.setAttribute("role", "bot") }, "loopback:, livekit+wss: and livekit+ws:"),
      (failure { try session.setAccessToken(AccessToken("x")) }, servers),
      (failure { try session.require(.preferences, "preferences of receivers") }, Transports.schemes(with: .preferences, joinedBy: "and"))
    ] {
      #expect(error?.status == .unsupported)
      #expect(error?.text.contains("over rtp:") == true && error?.text.hasSuffix("accepted: \(accepted)") == true)
    }
    let other = try engine.makeSession(SessionOptions(url: "loopback:a", userID: "anna"))
    #expect(failure { _ = try other.localDescription() }?.text == "the session's url does not begin with rtp:")
    #expect(failure { try other.setAttribute("role", "bot") } == nil)
    engine.close()
  }
}
