import MediaCore
import Testing

@testable import MediaSignalling

/// Which proxy the environment has for a server.
@Suite struct HTTPProxyTests {
  private func proxy(_ host: String, _ variables: [String: String]) throws(MediaError) -> HTTPProxy? {
    try HTTPProxy.of(host, { variables[$0] })
  }

  @Test func theEnvironmentNamesIt() throws {
    #expect(try proxy("media.example", [:]) == nil)
    #expect(try proxy("media.example", ["https_proxy": ""]) == nil)
    let plain = try #require(try proxy("media.example", ["https_proxy": "http://proxy.example:3128/"]))
    #expect(plain.host == "proxy.example" && plain.port == 3128 && "\(plain)" == "the proxy proxy.example:3128")
    #expect(plain.request(to: "media.example", port: 443) == HTTPRequest("CONNECT", "media.example:443", ["Host": "media.example:443"]))
    #expect(plain.request(to: "2001:db8::1", port: 443).target == "[2001:db8::1]:443")
    #expect(try proxy("media.example", ["HTTPS_PROXY": "proxy.example:8080"])?.port == 8080)
    #expect(try proxy("media.example", ["HTTPS_PROXY": "http://[2001:db8::7]"])?.host == "2001:db8::7")
    #expect(try proxy("media.example", ["https_proxy": "HTTP://a", "HTTPS_PROXY": "http://b"])?.host == "a")
  }

  @Test func itMayWantAPassword() throws {
    let proxy = try #require(try proxy("media.example", ["https_proxy": "http://Aladdin:open%20sesame@10.0.0.1:8080"]))
    // RFC 7617, section 2.
    #expect(proxy.request(to: "a", port: 1).fields["Proxy-Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(proxy.host == "10.0.0.1" && !"\(proxy)".contains("open"))
    let user = try #require(try self.proxy("media.example", ["https_proxy": "robot@a"]))
    #expect(user.request(to: "a", port: 1).fields["Proxy-Authorization"] == "Basic cm9ib3Q6")
    let refusal = proxy.refusal(HTTPResponse(407), to: "a:1")
    #expect(refusal.status == .permission && refusal.text.contains("accepted"))
    #expect(proxy.refusal(HTTPResponse(502), to: "a:1").status == .io)
  }

  @Test(arguments: [
    ("media.example", "media.example", true), ("media.example", "example", true), ("media.example", ".example", true),
    ("MEDIA.example", "other, Media.Example", true), ("media.example", "dia.example", false), ("media.example", "media.example.org", false),
    ("media.example", "*", true), ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "3", false), ("2001:db8::1", "2001:DB8:0::1", true),
    ("media.example", ",. ,", false)
  ]) func someAreReachedWithoutIt(host: String, list: String, isExcepted: Bool) throws {
    #expect(try (proxy(host, ["https_proxy": "http://p:1", "NO_PROXY": list]) == nil) == isExcepted)
  }

  @Test(arguments: ["localhost", "127.0.0.1", "127.9.9.9", "::1"]) func thisMachineIs(_ host: String) throws {
    #expect(try proxy(host, ["https_proxy": "socks5://a"]) == nil)
  }

  @Test(arguments: [
    ("socks5://hunter2@a:1080", Status.unsupported), ("https://hunter2@a", .unsupported), ("http://", .invalid), ("http://a b", .invalid),
    ("http://x:hunter2@", .invalid), ("http://x:%zz-hunter2@a", .invalid), ("http://hunter2@a:0", .range), ("a:99999", .range),
    ("http://[::1", .invalid), ("http://" + String(repeating: "a", count: 3000), .limit)
  ]) func whatIsNoneIsRefused(text: String, status: Status) {
    var error: MediaError?
    do throws(MediaError) { _ = try proxy("media.example", ["https_proxy": text]) } catch let refusal { error = refusal }
    #expect(error?.status == status && error?.text.contains("accepted") == true, "\(String(describing: error))")
    #expect(error?.text.contains("https_proxy") == true && error?.text.contains("hunter2") == false)
  }
}
