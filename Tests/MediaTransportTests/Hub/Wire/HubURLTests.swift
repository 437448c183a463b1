import MediaCore
import MediaSRTP
import MediaTLS
import Testing

@testable import MediaTransport

@Suite struct HubURLTests {
  private static let hex = String(repeating: "0A", count: 32)

  @Test func theWholeOfItIsRead() throws {
    let url = try HubURL("hub://192.0.2.7:5004/a room/of ours?fingerprint=\(Self.hex)&srtp=AES_CM_128_HMAC_SHA1_80", argument: "url")
    #expect("\(url.host)" == "192.0.2.7:5004")
    #expect(url.room == "a room/of ours")
    #expect(url.profile == .aesCounterSHA1)
    guard case .fingerprint(let fingerprint) = url.trust else { throw MediaError(.fail, "no fingerprint") }
    #expect(fingerprint.bytes == [UInt8](repeating: 10, count: 32))
    let other = try HubURL("hub://[2001:db8::1]:1/x?fingerprint=\(fingerprint)", argument: "url")
    #expect("\(other.host)" == "[2001:db8::1]:1")
    // As libraries write colons in a query.
    let escaped = try HubURL("hub://[2001:db8::1]:1/x@y#%20?fingerprint=\("\(fingerprint)".replacing(":", with: "%3A"))", argument: "url")
    #expect(escaped.room == "x@y#%20")
    guard case .fingerprint(fingerprint) = escaped.trust else { throw MediaError(.fail, "another fingerprint") }
    #expect(other.profile == .aesGCM)
    #expect("\(try HubURL("hub://Hub.Example:1/x?fingerprint=\(fingerprint)", argument: "url").host)" == "hub.example:1")
  }

  @Test(arguments: [
    ("rtp://127.0.0.1:1/x", "begins with \"rtp\""), ("hub://127.0.0.1:1", "names no room"), ("hub://127.0.0.1:1/", "room name of 0 bytes"),
    ("hub://127.0.0.1/x", "has \"127.0.0.1\" for address and port"), ("hub:x", "begins with \"hub\""),
    ("hub://127.0.0.1:1#/x", "names no room"), ("hub://127.0.0.1:0/x", "port is \"0\""), ("hub://127.0.0.1:70000/x", "port is \"70000\""),
    ("hub://local_host:1/x", "RFC 1123"), ("hub://::1:1/x", "has \"::1:1\" for address and port"), ("hub://[127.0.0.1]:1/x", "RFC 1123"),
    ("hub://[localhost]:1/x", "RFC 1123"), ("hub://127.0.0.256:1/x", "RFC 1123"), ("hub://localhost%25lo:1/x", "RFC 1123"),
    ("hub://:1/x", "RFC 1123"), ("hub://0.0.0.0:1/x", "RFC 1123"), ("hub://239.1.1.1:1/x", "RFC 1123"),
    ("hub://me@127.0.0.1:1/x", "has a user"),
    ("hub://127.0.0.1:1/x", "has no fingerprint"), ("hub://127.0.0.1:1/x?fingerprint=AA", "64 hexadecimal digits"),
    ("hub://127.0.0.1:1/x?secret", "parameter, number 1"), ("hub://127.0.0.1:1/x?token=abc", "the token apart from the url"),
    ("hub://127.0.0.1:1/x?srtp=NONE", "accepted: AES_CM_128_HMAC_SHA1_80, AEAD_AES_128_GCM"),
    ("hub://127.0.0.1:1/x?fingerprint=\(hex)&fingerprint=\(hex)", "twice"), ("hub://127.0.0.1:1/x?srtp=A&srtp=B", "twice"),
    ("hub://127.0.0.1:1/x?fingerprint=", "without a value"), ("hub://127.0.0.1:1/x?fingerprint=%3", "two hexadecimal digits")
  ])
  func whatIsWrongIsNamed(url: String, words: String) {
    let error = failure { _ = try HubURL(url, argument: "options.url") }
    #expect(error?.text.contains(words) == true, "\(error?.text ?? "accepted")")
    #expect(error?.text.hasPrefix("options.url") == true)
    #expect(error?.text.contains("abc") != true && error?.text.contains("secret") != true)
  }
}
