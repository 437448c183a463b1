import MediaCore
import MediaSDP
import Testing

@testable import MediaSignalling

@Suite struct ICEFragmentTests {
  private let line = "1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0"
  private func fragment(_ text: String) throws -> ICEFragment { try ICEFragment(parsing: Array(text.utf8)) }

  /// RFC 8840, section 9, and what RFC 9725 shows.
  @Test func itIsRead() throws {
    let read = try fragment(
      "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=group:BUNDLE 0 1\r\nm=audio 9 RTP/AVP 0\r\n"
        + "a=mid:0\r\na=candidate:\(line)\r\n"
        + "m=video 9 RTP/AVP 0\na=mid:1\na=ice-ufrag:EsAw\na=candidate:2 2 udp 1 192.0.2.1 9 typ host\n"
        + "a=candidate:3 1 udp 1 192.0.2.1 9 typ quic\n\n"
        + "a=end-of-candidates")
    #expect(read.user == "EsAw" && read.password == "P2uYro0UCOQ4zxjKXaWCBui1" && read.isLast)
    // Another component and another kind are skipped.
    #expect(read.candidates.map(\.text) == [line])
    #expect(try fragment("") == ICEFragment(user: nil, password: nil))
  }

  @Test func itIsWrittenAsItIsRead() throws {
    let candidate = try #require(try Candidate(parsing: line))
    let whole = ICEFragment(user: "abcd", password: "abcdefghijklmnopqrstuv", candidates: [candidate, candidate], isLast: true)
    let section = ICEFragment.Section(
      firstOf:
        "v=0\r\na=ice-lite\r\na=ice-options:trickle ice2\r\na=group:BUNDLE v0 a\r\na=mid:session\r\nm=video 9 UDP/TLS/RTP/SAVPF 96 97\r\n"
        + "a=ice-ufrag:x\r\na=mid:v0\r\nm=audio 9 X 0\r\na=mid:a\r\n")
    let plain = ICEFragment.Section(firstOf: "v=0\r\nm=audio 9 X 0\r\nm=video 9 Y 9\r\na=mid:1\r\n")
    #expect(text(ICEFragment(user: nil, password: nil).bytes(in: plain)) == "m=audio 9 X 0\r\n")
    let bytes = whole.bytes(in: section)
    #expect(
      text(bytes) == "a=ice-lite\r\na=ice-options:trickle ice2\r\na=group:BUNDLE v0 a\r\nm=video 9 UDP/TLS/RTP/SAVPF 96 97\r\na=mid:v0\r\n"
        + "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"
        + "a=candidate:\(line)\r\na=candidate:\(line)\r\na=end-of-candidates\r\n")
    #expect(try ICEFragment(parsing: bytes) == whole)
    #expect(
      text(ICEFragment(user: nil, password: nil).bytes(in: ICEFragment.Section(firstOf: "v=0"))) == "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\n")
  }

  @Test(arguments: [
    "x", "a", "a candidate", "a=candidate:x", "a=ice-ufrag:abc", "a=ice-ufrag:ab cd", "a=ice-pwd:short",
    "a=ice-ufrag:abcd\na=ice-ufrag:efgh",
    "a=candidate:1 1 udp 1 192.0.2.1 9 typ host x y\rz", "a=ice-ufrag:abcd\0"
  ])
  func othersAreRefused(text: String) {
    #expect(refusal { _ = try fragment(text) }?.status == .invalid, "\(text)")
  }

  @Test func itIsBounded() throws {
    let many = String(repeating: "a=candidate:\(line)\n", count: 128)
    #expect(try fragment(many).candidates.count == 128)
    #expect(refusal { _ = try fragment(many + "a=candidate:\(line)\n") }?.status == .limit)
    #expect(refusal { _ = try fragment(String(repeating: "\n", count: 65_537)) }?.status == .limit)
    #expect(refusal { _ = try ICEFragment(parsing: [0xFF]) }?.status == .invalid)
  }
}
