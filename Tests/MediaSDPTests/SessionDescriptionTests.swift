import MediaCore
import Testing

@testable import MediaSDP

@Suite struct SessionDescriptionTests {
  private let text = """
    v=0\r
    o=- 123 2 IN IP4 192.0.2.1\r
    s=A call\r
    c=IN IP4 192.0.2.1\r
    t=0 0\r
    a=tool:somebody's\r
    m=audio 5004 RTP/AVP 111\r
    a=rtpmap:111 opus/48000/2\r
    m=video 5006 RTP/AVPF 96 97\r
    c=IN IP4 239.1.2.3/16\r
    b=TIAS:2000000\r
    a=sendonly\r

    """

  @Test func aTextIsReadAndWrittenAsItWas() throws {
    let description = try SessionDescription(parsing: text)
    #expect(description.originID == 123 && description.originVersion == 2 && description.name == "A call")
    #expect(description.connection == .init("192.0.2.1"))
    #expect(description.values("tool") == ["somebody's"])
    #expect(description.media.count == 2)
    let video = description.media[1]
    #expect(video.kind == "video" && video.port == 5006 && video.transport == "RTP/AVPF" && video.formats == ["96", "97"])
    #expect(video.connection?.address == "239.1.2.3" && video.connection?.timeToLive == 16)
    #expect(video.bandwidths == [.init("TIAS", "2000000")] && video.has("sendonly") && video.value("rtpmap") == nil)
    #expect(description.text == text)
    #expect(try SessionDescription(parsing: description.text) == description)
  }

  @Test func linesMayEndAsPeopleEndThem() throws {
    #expect(try SessionDescription(parsing: text.replacing("\r\n", with: "\n")) == SessionDescription(parsing: text))
  }

  @Test func addressesOfTheNewFamilyAreNamedSo() throws {
    var description = SessionDescription(id: 1, address: "::1")
    description.connection = .init("2001:db8::1")
    #expect(description.text.contains("o=- 1 1 IN IP6 ::1\r\n") && description.text.contains("c=IN IP6 2001:db8::1\r\n"))
    #expect(try SessionDescription(parsing: description.text) == description)
  }

  @Test func whatIsWrongIsSaidWithItsLine() {
    func said(_ text: String) -> String? { failure { _ = try SessionDescription(parsing: text) }?.text }
    let head = "v=0\no=- 1 1 IN IP4 1.2.3.4\n"
    #expect(said("hello") == "SDP line 1, \"hello\": no letter followed by =")
    #expect(said("s=x") == "SDP line 1, \"s=x\": before v=0")
    #expect(said("v=1") == "SDP line 1, \"v=1\": accepted: v=0")
    #expect(said("v=0\n") == "a description without o=, so it is not SDP")
    #expect(said("") == "a description without v=0, so it is not SDP")
    #expect(said("v=0\no=- x 1 IN IP4 1") == "SDP line 2, \"o=- x 1 IN IP4 1\": accepted: o=name number version IN IP4 address")
    #expect(
      said(head + "m=video 70000 RTP/AVP 96")
        == "SDP line 3, \"m=video 70000 RTP/AVP 96\": accepted: m=kind port transport formats, with the port in 0..65535")
    #expect(said(head + "m=video") == "SDP line 3, \"m=video\": accepted: m=kind port transport formats, with the port in 0..65535")
    #expect(said(head + "c=IN IP4 ::1") == "SDP line 3, \"c=IN IP4 ::1\": an address of another family than IN states")
    #expect(said(head + "c=nothing") == "SDP line 3, \"c=nothing\": accepted: c=IN IP4 address or c=IN IP6 address")
    #expect(said(head + "c=IN IP4 239.0.0.1/300") == "SDP line 3, \"c=IN IP4 239.0.0.1/300\": a time to live outside 0..255")
    #expect(said(head + "m=video 1 RTP/AVP 96\nb=12") == "SDP line 4, \"b=12\": accepted: b=AS:number")
    #expect(said(head + String(repeating: "m=video 1 RTP/AVP 96\n", count: 65))?.hasSuffix("more than 64 media") == true)
    #expect(said(head + String(repeating: "a=x\n", count: 1025))?.hasSuffix("more than 1024 attributes") == true)
    #expect(said(head + "m=video 1 RTP/AVP" + String(repeating: " 96", count: 65))?.hasSuffix("more than 64 formats") == true)
    #expect(said(String(repeating: "a", count: 65_537)) == "a description of 65537 bytes; accepted: at most 65536")
    let many = head + String(repeating: "m=video 1 RTP/AVP 96\n", count: 256) + String(repeating: "a=x\n", count: 1000)
    #expect((try? SessionDescription(parsing: many, .bundled))?.media.count == 256)
    #expect(
      failure { _ = try SessionDescription(parsing: many + "m=video 1 RTP/AVP 96\n", .bundled) }?.text.hasSuffix("more than 256 media")
        == true)
    #expect(failure { _ = try SessionDescription(parsing: String(repeating: "a", count: 1_048_577), .bundled) }?.status == .limit)
    #expect(said(head + "a=x\0y")?.hasSuffix("a NUL") == true)
  }

  @Test func spoiltTextsDoNoHarm() {
    var read = 0
    spoil(text, seed: 11, count: 5_000) { copy in
      guard let description = try? SessionDescription(parsing: copy) else { return }
      read += 1
      for media in description.media { _ = try? RTPMedia(media, in: description) }
      // What is written of it is understood again.
      #expect((try? SessionDescription(parsing: description.text)) != nil, "\(copy)")
    }
    #expect(read > 100)
  }
}
