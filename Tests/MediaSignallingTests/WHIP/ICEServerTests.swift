import Testing

@testable import MediaSignalling

@Suite struct ICEServerTests {
  @Test func urisAreRead() throws {
    let stun = try #require(ICEServer("stun:stun.example.net"))
    #expect(
      stun.kind == .stun && stun.host == "stun.example.net" && stun.port == 3478 && !stun.isOverTCP
        && "\(stun)" == "stun:stun.example.net:3478")
    let turn = try #require(ICEServer("turn:192.0.2.1:99?transport=tcp", user: "u", password: "p"))
    #expect(turn.kind == .turn && turn.port == 99 && turn.isOverTCP && turn.user == "u" && turn.password == "p")
    #expect("\(turn)" == "turn:192.0.2.1:99?transport=tcp")
    #expect(
      ICEServer("stun:[fe80::1%25eth0]")?.host == "fe80::1%eth0" && ICEServer("stun:[fe80::1%25eth0]")?.uri == "stun:[fe80::1%25eth0]:3478")
    let turns = try #require(ICEServer("TURNS:[2001:db8::1]"))
    #expect(
      turns.kind == .turns && turns.host == "2001:db8::1" && turns.port == 5349 && turns.isOverTCP
        && turns.uri == "turns:[2001:db8::1]:5349")
    #expect(
      ICEServer("turn:a?transport=udp")?.isOverTCP == false && ICEServer("turns:a?transport=udp")?.uri == "turns:a:5349?transport=udp")
    for wrong in [
      "", "stun", "stun:", "http:a", "stun:a?transport=udp", "turn:a?transport=sctp", "turn:a?x", "turn:a:0", "turn:u@a", "turn:a:b:c",
      "stun://a", "turn:a b",
      "turn:" + String(repeating: "a", count: 508)
    ] { #expect(ICEServer(wrong) == nil, "\(wrong)") }
    #expect(ICEServer("stun:a", user: String(repeating: "a", count: 513)) == nil)
  }

  /// RFC 9725, section 4.6.
  @Test func linksAreRead() {
    let fields: HTTPFields = [
      "Link": "<stun:stun.example.net>; rel=\"ice-server\"",
      "link": "<turn:turn.example.net?transport=udp>; rel=\"ice-server\"; username=\"user, \\\"x\\\"; y\"; credential=\"my>Password\"; "
        + "credential-type=\"password\", <turns:t:443>;rel=ICE-Server;username=u;credential=p",
      "LINK": "</style.css>; rel=stylesheet, <stun:other>; rel=\"next ice-server\"; x"
    ]
    #expect(
      ICEServerLinks.read(fields) == [
        ICEServer("stun:stun.example.net"), ICEServer("turn:turn.example.net", user: "user, \"x\"; y", password: "my>Password"),
        ICEServer("turns:t:443", user: "u", password: "p"), ICEServer("stun:other")
      ])
    for other in [
      "", "stun:a; rel=ice-server", "<stun:a; rel=ice-server", "<stun:a>", "<stun:a>; rel=x", "<x:a>; rel=ice-server", "<>; rel=ice-server",
      "<turn:a>; rel=ice-server; credential-type=oauth", "<stun:a>; rel=x; rel=ice-server", "\"<stun:a>; rel=ice-server",
      "<stun:a>; ice-server"
    ] { #expect(ICEServerLinks.read(["Link": other]).isEmpty, "\(other)") }
  }

  @Test func theyAreWrittenAsTheyAreRead() throws {
    let servers = try [#require(ICEServer("stun:a")), #require(ICEServer("turn:b?transport=tcp", user: "q\"\\", password: "a,b;c<>"))]
    var fields = HTTPFields()
    ICEServerLinks.write(servers, to: &fields)
    #expect(ICEServerLinks.read(fields) == servers)
    ICEServerLinks.write(Array(repeating: servers[0], count: 40), to: &fields)
    #expect(fields.list.count == 18 && ICEServerLinks.read(fields).count == 16)
  }
}
