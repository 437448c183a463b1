import MediaCore
import Testing

@testable import MediaSDP

@Suite struct TransportLinesTests {
  private let head = "v=0\no=- 1 1 IN IP4 192.0.2.1\ns=-\nt=0 0\n"
  private let bytes = (0..<32).map { UInt8($0 * 8) }
  private let print = "sha-256 00:08:10:18:20:28:30:38:40:48:50:58:60:68:70:78:80:88:90:98:A0:A8:B0:B8:C0:C8:D0:D8:E0:E8:F0:F8"

  private func read(_ lines: String, session: String = "") throws -> TransportLines {
    let description = try SessionDescription(parsing: head + session + "m=video 9 UDP/TLS/RTP/SAVPF 96\n" + lines)
    return try TransportLines(description.media[0], in: description)
  }

  @Test func linesBecomeTypesAndLines() throws {
    let lines = """
      a=ice-ufrag:PaNu
      a=ice-pwd:vkBttxGzG34KGopGZiGioc
      a=ice-options:trickle renomination
      a=fingerprint:\(print)
      a=setup:actpass
      a=tls-id:91bbf309c0990a6bec11e38ba2933cee
      a=candidate:1 1 udp 2130706431 192.0.2.7 40000 typ host generation 0
      a=candidate:2 1 udp 1694498815 198.51.100.7 40000 typ srflx raddr 0.0.0.0 rport 9
      a=end-of-candidates

      """
    let transport = try read(lines)
    #expect(transport.user == "PaNu" && transport.password == "vkBttxGzG34KGopGZiGioc" && transport.options == ["trickle", "renomination"])
    #expect(transport.fingerprints == [.init("sha-256", bytes)] && transport.setup == .either && transport.hasAllCandidates)
    #expect(transport.candidates.map(\.kind) == [.host, .serverReflexive] && transport.connectionID?.utf8.count == 32)
    var media = SessionDescription.Media("video", port: 9, transport: "UDP/TLS/RTP/SAVPF", formats: ["96"])
    media.attributes = transport.attributes
    var description = SessionDescription(id: 1, address: "192.0.2.1")
    description.media = [media]
    #expect(description.text.hasSuffix(lines.replacing("\n", with: "\r\n")))
    let back = try SessionDescription(parsing: description.text)
    #expect(try TransportLines(back.media[0], in: back) == transport)
    #expect(try read("") == TransportLines() && TransportLines().attributes.isEmpty)
  }

  @Test func whatTheMediumDoesNotSayTheSessionSays() throws {
    let session = "a=ice-ufrag:aaaa\na=ice-pwd:aaaaaaaaaaaaaaaaaaaaaa\na=fingerprint:\(print)\na=setup:active\na=candidate:x\n"
    let whole = try read("", session: session)
    #expect(whole.user == "aaaa" && whole.fingerprints.count == 1 && whole.setup == .active && whole.candidates.isEmpty)
    let own = try read("a=ice-ufrag:bbbb\na=setup:passive\n", session: session)
    #expect(own.user == "bbbb" && own.setup == .passive && own.password == whole.password)
  }

  @Test func whatIsWrongIsSaid() {
    func said(_ lines: String) -> String? { failure { _ = try read(lines) }?.text }
    #expect(said("a=ice-ufrag:abc\n") == "SDP: a=ice-ufrag has 3 bytes; accepted: 4..256 letters, digits, + and /")
    // A password is not repeated.
    #expect(said("a=ice-pwd:hunter2hunter2 hunter2\n") == "SDP: a=ice-pwd has 22 bytes; accepted: 22..256 letters, digits, + and /")
    #expect(said("a=ice-pwd:\(String(repeating: "a", count: 257))\n")?.contains("257 bytes") == true)
    #expect(said("a=ice-pwd:\(String(repeating: "a", count: 256))\n") == nil)
    #expect(said("a=setup:both\n") == "SDP: a=setup:both; accepted: active, passive, actpass, holdconn")
    for line in [
      "sha-256", "sha-256 0", "sha-256 \(print.suffix(44))", "\(print):", "\(print):1", "\(print):+1", "\(print) x",
      "sha-256 " + String(repeating: "00:", count: 64) + "00"
    ] {
      #expect(said("a=fingerprint:\(line)\n")?.contains("accepted: a hash and its bytes in hexadecimal with colons") == true, "\(line)")
    }
    #expect(said(String(repeating: "a=fingerprint:\(print)\n", count: 9))?.hasSuffix("at most 8 times") == true)
    #expect(said(String(repeating: "a=fingerprint:\(print.lowercased())\n", count: 8)) == nil)
    let candidate = "a=candidate:1 1 udp 1 192.0.2.7 9 typ host\n"
    #expect(said(String(repeating: candidate, count: 129)) == "SDP: more than 128 candidates for m=video")
    #expect(said(String(repeating: candidate, count: 128)) == nil)
  }
}
