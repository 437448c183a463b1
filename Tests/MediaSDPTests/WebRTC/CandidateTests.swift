import MediaCore
import Testing

@testable import MediaSDP

@Suite struct CandidateTests {
  @Test func candidatesAreReadAndWritten() throws {
    // As libwebrtc, aiortc and Janus write them.
    for (text, kind) in [
      (
        "842163049 1 udp 1677729535 198.51.100.7 46154 typ srflx raddr 0.0.0.0 rport 0 generation 0 ufrag EEtu network-cost 999",
        Candidate.Kind.serverReflexive
      ),
      ("3 1 tcp 1518214911 192.0.2.7 9 typ host tcptype active generation 0", .host),
      ("6815297761 1 udp 2130706431 2001:db8::7 58693 typ host", .host),
      ("1 2 udp 41885439 203.0.113.9 22001 typ relay raddr 198.51.100.7 rport 46154", .relayed),
      ("a 1 udp 2122260223 5b4e1d2c-1111-4222-8333-444455556666.local 51000 typ prflx", .peerReflexive)
    ] {
      let candidate = try #require(try Candidate(parsing: text))
      #expect(candidate.kind == kind && candidate.text == text)
      #expect(try Candidate(parsing: "candidate:" + text) == candidate)
    }
    let candidate = try #require(try Candidate(parsing: "1 2 UDP 41885439 203.0.113.9 22001 typ relay raddr ::1 rport 46154 generation 0"))
    #expect(candidate.component == 2 && candidate.transport == "udp" && candidate.priority == 41_885_439 && candidate.port == 22_001)
    #expect(candidate.related == .init("::1", port: 46_154) && candidate.extensions == [.init("generation", "0")])
    #expect(try Candidate(parsing: "1 1 udp 1 192.0.2.7 9 typ quantum") == nil)
  }

  @Test func whatIsWrongIsSaid() {
    let good = "1 1 udp 1 192.0.2.7 9 typ host"
    #expect(failure { _ = try Candidate(parsing: good) } == nil)
    for text in [
      "", "1 1 udp 1 192.0.2.7 9 typ", "1 0 udp 1 192.0.2.7 9 typ host", "1 257 udp 1 192.0.2.7 9 typ host",
      "1 1 udp 0 192.0.2.7 9 typ host",
      "1 1 udp 4294967296 192.0.2.7 9 typ host", "1 1 udp 1 192.0.2.7 65536 typ host", "1 1 udp 1 192.0.2.7 9 type host",
      good + " generation",
      String(repeating: "1", count: 33) + " 1 udp 1 192.0.2.7 9 typ host", good + " x " + String(repeating: "y", count: 1024)
    ] {
      let error = failure { _ = try Candidate(parsing: text) }
      #expect(
        error?.status == .invalid && error?.text.hasPrefix("SDP: a=candidate:") == true && (error?.text.utf8.count ?? 0) < 240, "\(text)")
    }
  }

  @Test func spoiltCandidatesDoNoHarm() {
    var (read, refused) = (0, 0)
    spoil("842163049 1 udp 1677729535 198.51.100.7 46154 typ srflx raddr 0.0.0.0 rport 0 generation 0 ufrag EEtu", seed: 5, count: 10_000) {
      text in
      do {
        guard let candidate = try Candidate(parsing: text) else { return }
        read += 1
        if try Candidate(parsing: candidate.text) != candidate { Issue.record("\(text)") }
      } catch { refused += 1 }
    }
    #expect(read > 1000 && refused > 1000, "\(read) \(refused)")
  }
}
