import MediaCore
import MediaSDP
import Testing

@testable import MediaSignalling

@Suite struct LiveKitTokenTests {
  private static let secret = "a secret of thirty-two characters"
  private static let noon: Int64 = 1_795_742_822

  private func verify(_ token: String, at now: Int64 = noon, secret: String? = secret) -> Result<LiveKitGrants, MediaError> {
    do throws(MediaError) {
      return .success(try LiveKitToken.verify(token, now: now) { $0 == "key" ? secret : nil })
    } catch {
      return .failure(error)
    }
  }

  private func refusal(_ token: String, at now: Int64 = noon, secret: String? = secret) -> MediaError? {
    if case .failure(let error) = verify(token, at: now, secret: secret) { error } else { nil }
  }

  /// A token of these texts, signed if `secret` is given.
  private func token(_ head: String, _ claims: String, secret: String? = secret) throws -> String {
    let body = Base64.urlEncode(Array(head.utf8)) + "." + Base64.urlEncode(Array(claims.utf8))
    return body + "." + (secret.map { Base64.urlEncode(LiveKitToken.signature(of: body, secret: $0)) } ?? "")
  }

  @Test func whatIsGrantedIsRead() throws {
    var grants = LiveKitGrants(identity: "anna", room: "lobby")
    for change: (inout LiveKitGrants) -> Void in [
      { _ in }, { $0.name = "Anna \"A\" Ünal" }, { $0.metadata = "{}" }, { $0.attributes = ["b": "1", "a": ""] }, { $0.joins = false },
      { $0.isAdministrator = true }, { $0.publishes = false }, { $0.subscribes = false }, { $0.publishesData = false },
      { $0.sources = ["camera", "screen_share"] }, { $0.updatesMetadata = true }, { $0.isHidden = true }, { $0.room = nil }
    ] {
      change(&grants)
      let token = try LiveKitToken.make(grants, key: "key", secret: Self.secret, now: Self.noon, expires: Self.noon + 60)
      #expect(try verify(token).get() == grants)
    }
  }

  /// Whatever else the token says.
  @Test func aTokenIsProlongedWithItsKey() throws {
    func prolonged(_ token: String, until expires: Int64, secret: String? = Self.secret) -> String? {
      LiveKitToken.prolonged(token, until: expires) { $0 == "key" ? secret : nil }
    }
    let claims = #"{"iss":"key","sub":"anna","exp":\#(Self.noon + 30),"kind":"agent","video":{"room":"lobby","roomJoin":true}}"#
    let token = try self.token(#"{"alg":"HS256"}"#, claims)
    let longer = try #require(prolonged(token, until: Self.noon + 600))
    #expect(try verify(longer, at: Self.noon + 600).get() == verify(token).get())
    #expect(refusal(longer, at: Self.noon + 660)?.text.contains("expired") == true)
    let text = Base64.urlDecode(String(longer.split(separator: ".")[1])).map { String(decoding: $0, as: UTF8.self) }
    #expect(text?.contains(#""kind":"agent""#) == true)
    // One that lasts as long itself is not, nor is one of a key that is not known.
    #expect(prolonged(longer, until: Self.noon + 600) == nil && prolonged(token, until: Self.noon + 600, secret: nil) == nil)
  }

  /// By PyPI's livekit-api.
  @Test func tokensOfOthersAreRead() throws {
    let token =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJuYW1lIjoiQW5uYSIsIm1ldGFkYXRhIjoibSIsInZpZGVvIjp7InJvb21Kb2luIjp0cnVlLCJyb29tIjoibG9iYnkiLCJjYW"
      + "5QdWJsaXNoIjpmYWxzZSwiY2FuU3Vic2NyaWJlIjp0cnVlLCJjYW5QdWJsaXNoRGF0YSI6dHJ1ZSwiY2FuUHVibGlzaFNvdXJjZXMiOlsiY2FtZXJhIl19LCJhdHRyaWJ1dGVz"
      + "Ijp7ImsiOiJ2In0sInN1YiI6ImFubmEiLCJpc3MiOiJrZXkiLCJuYmYiOjE3OTU3NDI4MjIsImV4cCI6MTc5NTc0NjQyMn0.ul_2Ahet5giVvy2vWzwXkAGQqvlVacOpEjd9Sx"
      + "P-aNw"
    var grants = LiveKitGrants(identity: "anna", room: "lobby")
    (grants.name, grants.metadata, grants.attributes) = ("Anna", "m", ["k": "v"])
    (grants.publishes, grants.publishesData, grants.sources) = (false, true, ["camera"])
    #expect(try verify(token).get() == grants)
  }

  @Test func whatATokenDoesNotSayIsGrantedForMediaAlone() throws {
    let grants = try verify(token(#"{"alg":"HS256"}"#, #"{"iss":"key","sub":"anna","exp":\#(Self.noon + 60)}"#)).get()
    #expect(
      !grants.joins && !grants.isAdministrator && grants.publishes && grants.subscribes && grants.publishesData == nil && grants.room == nil
    )
  }

  @Test func timesAreHeldWithinAMinute() throws {
    let token = try LiveKitToken.make(
      LiveKitGrants(identity: "anna", room: "lobby"), key: "key", secret: Self.secret, now: Self.noon, expires: Self.noon + 100)
    #expect(refusal(token, at: Self.noon + 159) == nil)
    #expect(refusal(token, at: Self.noon + 160)?.text.contains("expired") == true)
    #expect(refusal(token, at: Self.noon - 60) == nil)
    #expect(refusal(token, at: Self.noon - 61)?.text.contains("not valid yet") == true)
    for (claims, why) in [
      (#""exp":null"#, "never expires"), (#""exp":"1""#, "never expires"), (#""exp":1e300,"iat":1e300"#, "not valid yet"),
      (#""exp":\#(Self.noon + 1).5"#, nil), (#""exp":-1"#, "expired")
    ] {
      let error = refusal(try self.token(#"{"alg":"HS256"}"#, #"{"iss":"key",\#(claims)}"#))
      #expect(why.map { error?.text.contains($0) == true } ?? (error == nil), "\(claims): \(String(describing: error))")
    }
  }

  @Test func forgedOnesAreRefused() throws {
    let claims = #"{"iss":"key","exp":\#(Self.noon + 60)}"#
    #expect(refusal(try token(#"{"alg":"HS256"}"#, claims)) == nil)
    for head in [#"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"HS512"}"#, #"{"alg":"RS256"}"#, "{}", #"{"alg":null}"#] {
      #expect(refusal(try token(head, claims))?.text.contains("HS256") == true)
      #expect(refusal(try token(head, claims, secret: nil))?.text.contains("HS256") == true)
    }
    #expect(refusal(try token(#"{"alg":"HS256"}"#, claims, secret: nil))?.status == .permission)
    #expect(refusal(try token(#"{"alg":"HS256"}"#, claims, secret: "another secret of thirty-two chars"))?.status == .permission)
    #expect(refusal(try token(#"{"alg":"HS256"}"#, #"{"iss":"other","exp":9999999999}"#))?.text.contains("not known") == true)
    #expect(refusal(try token(#"{"alg":"HS256"}"#, claims, secret: ""), secret: "")?.text.contains("not known") == true)
    let good = Array(
      try LiveKitToken.make(
        LiveKitGrants(identity: "a", room: "r"), key: "key", secret: Self.secret, now: Self.noon, expires: Self.noon + 60
      ).utf8)
    let last = good.count - 1
    for place in good.indices {
      var spoilt = good
      // The last character of a part has bits that say nothing.
      spoilt[place] = spoilt[place] == UInt8(ascii: "A") ? UInt8(ascii: "w") : UInt8(ascii: "A")
      #expect(refusal(String(decoding: spoilt, as: UTF8.self)) != nil, "\(place) of \(last)")
      #expect(refusal(String(decoding: good[..<place], as: UTF8.self)) != nil)
    }
  }

  @Test(arguments: [
    "", ".", "..", "a.b", "a.b.c", "e30.e30.", "e30.e30.e30.e30", "e+0.e30.", "eyJhbGciOiJIUzI1NiJ9.W10.", "eyJhbGciOiJIUzI1NiJ9.e30=.",
    "ü.ü.ü"
  ])
  func whatIsNoneIsRefused(_ token: String) {
    #expect(refusal(token) != nil)
  }

  @Test func whatCannotBeMadeIsSaid() throws {
    let anna = LiveKitGrants(identity: "anna", room: "lobby")
    func refusal(_ grants: LiveKitGrants, key: String = "key", secret: String = Self.secret, expires: Int64 = Self.noon + 1) -> String? {
      do throws(MediaError) {
        _ = try LiveKitToken.make(grants, key: key, secret: secret, now: Self.noon, expires: expires)
        return nil
      } catch {
        return error.status == .invalid ? error.text : "\(error)"
      }
    }
    #expect(refusal(anna) == nil)
    #expect(refusal(anna, key: "")?.contains("API key is empty") == true)
    #expect(refusal(anna, secret: String(repeating: "s", count: 31))?.contains("31 bytes; accepted: at least 32") == true)
    #expect(refusal(LiveKitGrants(identity: "anna", room: ""))?.contains("room is empty") == true)
    #expect(refusal(anna, expires: Self.noon)?.contains("expires") == true)
    #expect(refusal(LiveKitGrants(identity: "", room: "lobby"))?.contains("0 bytes; accepted: 1 to 256") == true)
    #expect(refusal(LiveKitGrants(identity: String(repeating: "i", count: 257), room: nil))?.contains("257 bytes") == true)
    var long = anna
    long.metadata = String(repeating: "m", count: 4_000)
    #expect(refusal(long)?.contains("accepted: at most 4095") == true)
    #expect(self.refusal(String(repeating: "a", count: 4_096))?.text.contains("4096 bytes; accepted: at most 4095") == true)
  }
}
