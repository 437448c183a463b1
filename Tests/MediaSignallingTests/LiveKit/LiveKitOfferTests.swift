import Testing

@testable import MediaSignalling

@Suite struct LiveKitOfferTests {
  private let head = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=sendonly\r\n"

  @Test func sectionsAreRead() {
    let offer = LiveKitOffer(
      head + "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=recvonly\r\n"
        + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=sendonly\r\na=msid:- a-track\r\na=mid:1\r\n"
        + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:2\r\n" + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:3\r\na=inactive\r\n"
        + "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:4\r\n")
    #expect(offer.sections.map(\.mid) == ["0", "1", "3", "4"])
    #expect(offer.sections.map(\.isVideo) == [false, true, true, false])
    #expect(offer.sections.map(\.isReceived) == [true, false, false, true])
    #expect(offer.sections.map(\.isSent) == [false, true, false, true])
    #expect(offer.sections.map(\.track) == [nil, "a-track", nil, nil])
  }

  @Test func layersAreReadTheSmallestFirst() {
    func layers(_ lines: String) -> [String]? {
      LiveKitOffer(head + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\n" + lines).sections.first?.layers
    }
    #expect(layers("a=rid:f send\r\na=rid:h send\r\na=rid:q send\r\na=simulcast:send f;h;q\r\n") == ["q", "h", "f"])
    #expect(layers("a=rid:h send\r\na=rid:q send max-width=320\r\n") == ["q", "h"])
    #expect(layers("a=rid:b send\r\na=rid:a send\r\na=rid:c recv\r\n") == ["b", "a"])
    #expect(layers("a=rid:1 send\r\na=rid:2 send\r\na=rid:3 send\r\na=rid:4 send\r\n") == ["1", "2", "3"])
    #expect(layers("") == [] && layers("a=rid:q\r\na=rid:\r\n") == [])
  }

  @Test func whatHasEndedOrHasNoNameIsLeftOut() {
    let offer = LiveKitOffer(head + "m=audio 0 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=recvonly\r\n")
    #expect(offer.sections.isEmpty)
    #expect(LiveKitOffer("").sections.isEmpty && LiveKitOffer("m=\r\na=mid:0\r\nm=audio\r\na=mid:1").sections.isEmpty)
  }
}
