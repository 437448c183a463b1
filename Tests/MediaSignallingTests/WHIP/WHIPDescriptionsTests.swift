import MediaCore
import MediaSDP
import Testing

@testable import MediaSignalling

@Suite struct WHIPDescriptionsTests {
  private let sdp =
    "v=0\r\na=ice-ufrag:old1\r\na=ice-pwd:oldold\r\nm=audio 9 X 0\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\na=end-of-candidates\r\n"
    + "m=video 9 X 0\r\na=mid:1\r\n"

  @Test func credentialsAreFound() throws {
    let found = try #require(WHIPDescriptions.credentials(in: sdp))
    #expect(found.user == "old1" && found.password == "oldold")
    #expect(WHIPDescriptions.credentials(in: "v=0\r\na=ice-ufrag:x\r\n") == nil)
    #expect(WHIPDescriptions.credentials(in: "v=0\na=ice-pwd:p\na=ice-ufrag:x\n")?.user == "x")
  }

  @Test func refusalsAreFound() {
    #expect(!WHIPDescriptions.isRefusal(sdp))
    #expect(!WHIPDescriptions.isRefusal("v=0\r\nm=audio 0 X 0\r\nm=video 9 X 0\r\n"))
    #expect(!WHIPDescriptions.isRefusal("v=0\r\n"))
    #expect(WHIPDescriptions.isRefusal("v=0\r\nm=audio 0 X 0\r\nm=video 0 X 0\r\n"))
  }

  @Test func anotherGenerationTakesTheirPlace() throws {
    let candidate = try #require(try Candidate(parsing: "2 1 udp 2 192.0.2.2 8 typ host"))
    let next = WHIPDescriptions.answer(sdp, with: ICEFragment(user: "new1", password: "newnew", candidates: [candidate], isLast: true))
    #expect(
      next
        == "v=0\r\na=ice-ufrag:new1\r\na=ice-pwd:newnew\r\nm=audio 9 X 0\r\na=candidate:2 1 udp 2 192.0.2.2 8 typ host\r\n"
        + "a=end-of-candidates\r\nm=video 9 X 0\r\na=mid:1\r\n")
  }

  @Test func withoutCandidatesThoseOfBeforeStay() {
    let next = WHIPDescriptions.answer(sdp, with: ICEFragment(user: "new1", password: "newnew", isLast: true))
    #expect(next.contains("a=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\na=end-of-candidates\r\nm=video") && next.contains("ufrag:new1"))
  }

  @Test func oneSectionEndsWithTheText() throws {
    let candidate = try #require(try Candidate(parsing: "2 1 udp 2 192.0.2.2 8 typ host"))
    let next = WHIPDescriptions.answer("m=audio 9 X 0\na=ice-pwd:p", with: ICEFragment(user: nil, password: "q", candidates: [candidate]))
    #expect(next == "m=audio 9 X 0\r\na=ice-pwd:q\r\na=candidate:2 1 udp 2 192.0.2.2 8 typ host\r\n")
  }

  @Test func whatIsOfferedAsInactiveIsAnsweredSo() {
    let answer = "v=0\r\nm=audio 9 X 0\r\na=recvonly\r\nm=video 9 X 0\r\na=recvonly\r\n"
    let next = WHIPDescriptions.answer(answer, to: "v=0\r\nm=audio 9 X 0\r\na=sendonly\r\nm=video 9 X 0\r\na=inactive\r\n")
    #expect(next == "v=0\r\nm=audio 9 X 0\r\na=recvonly\r\nm=video 9 X 0\r\na=inactive\r\n")
    #expect(WHIPDescriptions.answer(answer, to: "v=0\r\n") == answer)
  }
}
