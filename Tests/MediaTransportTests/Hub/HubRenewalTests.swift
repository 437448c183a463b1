import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// The token says what is granted: "read", "brief"; anything else that is not "no", everything.
private final class TokenClerk: AccessVerifier {
  let renewals = Monitor(0)

  func verify(_ request: AccessRequest) {
    renewals.withLock { $0 += request.isRenewal ? 1 : 0 }
    switch request.token.value {
    case "no": request.answer(.failure(.refused(request, "not now")))
    case "read": request.answer(.success(AccessGrant([.receive])))
    case "brief": request.answer(.success(AccessGrant(.ordinary, lifetime: 2_000_000_000)))
    default: request.answer(.success(AccessGrant(.ordinary, lifetime: 3600_000_000_000)))
    }
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}

/// Members of a hub whose access ends, or is renewed.
@Suite(.serialized) struct HubRenewalTests {
  private func house(_ name: String = #function) throws -> (HubHouse, TokenClerk) {
    var access = RoomAccess()
    let clerk = TokenClerk()
    access.verifier = clerk
    return (try HubHouse(name, access: access), clerk)
  }

  @Test func accessIsRenewedAndEnds() throws {
    let (house, _) = try house()
    let (anna, bert) = (try house.remote("anna"), try house.remote("bert"))
    #expect(anna.sees("joined bert") || bert.sees("joined anna"))
    _ = try anna.publishSound()
    #expect(bert.sees("added by anna"))
    anna.transport.renew(AccessToken("no"))
    #expect(anna.sees("renewed: permission"))
    anna.transport.renew(AccessToken("read"))
    #expect(anna.sees("renewed") && anna.sees("permissions of anna 8"))
    #expect(bert.sees("removed") && bert.sees("permissions of anna 8"))
    #expect(failure { _ = try anna.publishSound() }?.status == .permission)
    bert.transport.renew(AccessToken("brief"))
    #expect(bert.sees("renewed") && bert.sees("disconnected permission"))
    #expect(bert.events.contains { $0.hasPrefix("expires in") })
    #expect(anna.sees("left bert"))
    #expect(!anna.events.contains { $0.hasPrefix("disconnected") })
    house.close()
  }

  /// What a member asks for before they know that they may not any more is no lie of theirs.
  @Test func whatCrossesTheRefusalOnItsWayEndsNobody() throws {
    let (house, _) = try house()
    let (anna, bert) = (try house.remote("anna"), try house.remote("bert"))
    #expect(anna.sees("connected") && bert.sees("connected"))
    for _ in 0..<20 {
      anna.transport.renew(AccessToken("read"))
      let id = anna.transport.makeStreamID()
      let format = StreamFormat.audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: 1)
      if (try? anna.transport.publish(id, codec: UInt32(MSDK_CODEC_OPUS), format: format)) != nil {
        anna.transport.setMuted(id, true)
        anna.transport.unpublish(id)
      }
      anna.transport.renew(AccessToken(""))
      #expect(house.isTrueSoon { (anna.transport as? HubTransport)?.guarded.withLock { $0.permissions } == .ordinary })
    }
    #expect(!anna.events.contains { $0.hasPrefix("disconnected") })
    house.close()
  }

  /// As fast as a connection takes them: the verifier is asked a hundred times a second at most, after a burst, and the others are served.
  @Test func aFloodOfTokensIsSlowedDown() throws {
    let (house, clerk) = try house()
    let (flooder, bert) = (try house.remote("flooder"), try house.remote("bert"))
    #expect(flooder.sees("connected") && bert.sees("connected"))
    let begin = house.clock.now()
    for number in 0..<20_000 { flooder.transport.renew(AccessToken("\(number)")) }
    let anna = try house.remote("anna")
    #expect(anna.sees("connected") && bert.sees("joined anna"))
    bert.transport.renew(AccessToken("read"))
    #expect(bert.sees("renewed"))
    let (asked, seconds) = (clerk.renewals.withLock { $0 }, Double(house.clock.now() - begin) / 1e9)
    #expect(Double(asked) <= 501 + 100 * (seconds + 1), "\(asked) in \(seconds) s")
    for peer in house.peers { #expect(peer.guarded.withLock { $0.log.bytes } < 500_000) }
    #expect(!bert.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
    house.close()
  }
}
