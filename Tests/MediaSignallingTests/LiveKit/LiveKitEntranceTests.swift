import MediaCore
import MediaSDP
import Testing

@testable import MediaSignalling

@Suite struct LiveKitEntranceTests {
  /// Packed by another implementation.
  private let packed = "CAESJR-LCAAAAAAAAgPjYhZiNBRi4mC0YPRiCXCMrwAAd2NYtxEAAAA="
  /// Of 196,609 bytes.
  private let bomb =
    "CAES4QEfiwgAAAAAAAID7cExAQAAAMKg9U_tawigAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAOAMmp8C3gEAAwA"

  private func get(_ target: String, _ fields: HTTPFields = [:]) throws -> LiveKitEntrance? {
    try LiveKitEntrance(HTTPRequest("GET", target, fields))
  }

  @Test func pathsSayWhatIsAskedFor() throws {
    #expect(try get("/rtc/v1?join_request=\(packed)")?.purpose == .join(.one))
    #expect(try get("/rtc/v1/validate")?.purpose == .validate && get("/rtc/validate")?.purpose == .validate)
    for other in ["/rtc/", "/rtc/v2", "/rtc/v1/", "/", "/whip/rtc"] { #expect(try get(other) == nil, "\(other)") }
  }

  @Test func theTokenIsInTheHeadOrInTheQuery() throws {
    #expect(try get("/rtc/v1", ["Authorization": "Bearer a.b.c"])?.token == "a.b.c")
    #expect(try get("/rtc/v1?x=1&access_token=a.b.c")?.token == "a.b.c")
    #expect(try get("/rtc/v1?access_token=q", ["Authorization": "Bearer h"])?.token == "h")
    #expect(try get("/rtc/v1")?.token == "")
    #expect(throws: MediaError.self) { try get("/rtc/v1", ["Authorization": "Basic abc"]) }
  }

  @Test func whatTheClientComesWithIsUnpacked() throws {
    for text in [packed, String(packed.dropLast())] {
      let joining = try #require(try get("/rtc/v1?join_request=\(text)")).joining()
      #expect(joining.resumed == "PA_x" && joining.request.settings?.isSubscribing == true)
    }
    var plain = LiveKitWrappedJoin()
    plain.request = LiveKitJoinRequest().encoded
    let text = Base64.urlEncode([8, 0] + plain.encoded)
    #expect(try get("/rtc/v1?join_request=\(text)")?.joining().resumed == nil)
  }

  @Test func capabilitiesAreInTheQueryOrInTheRequest() throws {
    func takes(_ target: String) throws -> Bool {
      let joining = try #require(try get(target)).joining()
      return joining.request.client?.capabilities.contains(.packetTrailer) ?? false
    }
    #expect(try takes("/rtc?capabilities=CAP_PACKET_TRAILER,CAP_COMPRESSION_DEFLATE_RAW"))
    #expect(try takes("/rtc?capabilities=CAP_UNUSED%2CCAP_PACKET_TRAILER"))
    for other in ["", "?capabilities=", "?capabilities=CAP_PACKET", "?capabilities=XCAP_PACKET_TRAILER"] {
      #expect(try !takes("/rtc\(other)"))
    }
    for capabilities in [[], [LiveKitCapability.packetTrailer]] {
      var (plain, request) = (LiveKitWrappedJoin(), LiveKitJoinRequest())
      request.client = LiveKitClientInfo()
      request.client?.capabilities = capabilities
      plain.request = request.encoded
      #expect(try takes("/rtc/v1?join_request=\(Base64.urlEncode(plain.encoded))") == !capabilities.isEmpty)
    }
  }

  @Test func nothingUnpacksWithoutBounds() throws {
    let entrance = try #require(try get("/rtc/v1?join_request=\(bomb)"))
    let error = #expect(throws: MediaError.self) { try entrance.joining() }
    #expect(error?.status == .corrupt && error?.text.contains("196608") == true, "\(error?.text ?? "")")
  }

  @Test func whatIsDamagedIsRefused() throws {
    for text in ["****", "AA", String(packed.prefix(20)), "CAESAA"] {
      #expect(throws: MediaError.self, "\(text)") { try get("/rtc/v1?join_request=\(text)")?.joining() }
    }
    #expect(throws: MediaError.self) { try get("/rtc/v1")?.joining() }
    // Every byte, changed.
    let bytes = Array(packed.utf8.prefix { $0 != UInt8(ascii: "=") })
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] = damaged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let joining = try? get("/rtc/v1?join_request=\(String(decoding: damaged, as: UTF8.self))")?.joining()
      #expect((joining?.request.sid.utf8.count ?? 0) <= LiveKitEntrance.longest)
    }
  }
}
