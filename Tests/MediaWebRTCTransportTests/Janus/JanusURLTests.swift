import MediaCore
import MediaSignalling
import Testing

@testable import MediaWebRTCTransport

@Suite struct JanusURLTests {
  private func read(_ url: String) throws -> JanusURL {
    try JanusURL(url, scheme: String(url.prefix { $0 != ":" }), argument: "url")
  }

  @Test func aURLNamesServerRoomAndOptions() throws {
    let url = try read("janus+https://media.example:8089/janus/?room=1234#trickle=0&stun=192.0.2.1:3478&max-bitrate=500000")
    #expect(url.endpoint.text == "https://media.example:8089/janus" && url.room == .number(1234) && !url.isWebSocket)
    #expect(!url.options.trickles && url.options.servers.count == 1 && !url.options.offersLoopback && !url.options.receivesVideo)
    #expect(url.options.isForwarded)
    let socket = try read("janus+wss://[2001:db8::1]:8989/?room=lob%20by")
    #expect(socket.isWebSocket && socket.endpoint.isSecure && socket.room == .text("lob by"))
    #expect(try read("janus+ws://127.0.0.1:8188?room=1").endpoint.text == "http://127.0.0.1:8188/")
    #expect(try read("janus+http://localhost:8088/janus?room=1").options.offersLoopback)
  }

  @Test(arguments: [
    ("janus+http://192.0.2.1/janus?room=1", Status.untrusted), ("janus+ws://media.example/?room=1", .untrusted),
    ("janus+https://a/janus", .invalid), ("janus+https://a/janus?room=", .invalid), ("janus+https://a/janus?room=1&pin=hunter2", .invalid),
    ("janus+https://a/janus?room=1&token=hunter2", .invalid), ("janus+https://a/janus?room=1#secret=hunter2", .invalid),
    ("janus+https://a:99999/janus?room=1", .range), ("janus+https:///janus?room=1", .invalid), ("janus+tcp://a/?room=1", .unsupported),
    ("janus+http://127.0.0.1/?room=1#fingerprint=00", .invalid), ("janus+https://a/?room=%0a", .invalid)
  ]) func whatIsWrongIsRefused(url: String, status: Status) {
    let error = failure { _ = try read(url) }
    #expect(error?.status == status, "\(String(describing: error))")
    #expect(error?.text.contains("hunter2") == false)
  }
}
