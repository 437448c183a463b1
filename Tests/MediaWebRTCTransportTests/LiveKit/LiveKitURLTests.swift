import MediaCore
import MediaSignalling
import Testing

@testable import MediaWebRTCTransport

@Suite struct LiveKitURLTests {
  private func read(_ url: String) throws -> LiveKitURL {
    try LiveKitURL(url, scheme: String(url.prefix { $0 != ":" }), argument: "url")
  }

  @Test func aURLNamesServerAndOptions() throws {
    let url = try read("livekit+wss://media.example:7880/#stun=192.0.2.1:3478&max-bitrate=500000")
    #expect(url.endpoint.isSecure && url.endpoint.port == 7880 && url.path.isEmpty)
    #expect(url.options.servers.count == 1 && !url.options.offersLoopback && !url.options.receivesVideo && url.options.isForwarded)
    #expect(try read("livekit+wss://media.example/of/mine").path == "/of/mine")
    let here = try read("livekit+ws://127.0.0.1:7880")
    #expect(!here.endpoint.isSecure && here.options.offersLoopback && here.path.isEmpty)
  }

  @Test(arguments: [
    ("livekit+ws://192.0.2.1", Status.untrusted), ("livekit+wss://a?access_token=hunter2", .invalid),
    ("livekit+wss://a#token=hunter2", .invalid), ("livekit+wss://a:99999", .range), ("livekit+wss://", .invalid),
    ("livekit+https://a", .unsupported), ("livekit+ws://127.0.0.1#fingerprint=00", .invalid)
  ]) func whatIsWrongIsRefused(url: String, status: Status) {
    let error = failure { _ = try read(url) }
    #expect(error?.status == status, "\(String(describing: error))")
    #expect(error?.text.contains("hunter2") == false)
  }
}
