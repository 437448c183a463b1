import Glibc
import MediaCore
import MediaRTP
import MediaRuntime
import MediaTLS
import Testing

@testable import MediaNetwork
@testable import MediaTransport

/// Each handshake costs the host a signature: strangers have so many in a second, those who come from addresses of members as many of their own,
/// and where a member is they show by their connection or by their media. Without threads: the network thread's clock stands still.
@Suite struct HubHandshakeTests {
  private let clock = VirtualClock()
  private let loop: EventLoop
  private let thread: Reactor
  private let table: HubTable
  private let door: HubListener
  private let certificate: TLSCertificate
  private let room: String
  /// Later than any time that is looked up.
  private let start: Int64 = 3_600_000_000_000
  private static let second: Int64 = 1_000_000_000

  init() throws {
    loop = EventLoop("loop", clock: clock)
    thread = try Reactor(clock: VirtualClock())
    certificate = try TLSCertificate.make()
    room = "handshakes \(StreamID.next().value)"
    table = HubTable(room, HubServer.Options([]), thread, SystemNetwork.shared, loop)
    door = try HubListener(try #require(SocketAddress("127.0.0.1", port: 0)), certificate, table)
  }

  private func prefix(_ host: Int) throws -> AddressPrefix { AddressPrefix(try #require(SocketAddress("10.0.0.\(host)", port: 1))) }

  /// Who has connected and is counted.
  private func guest(from prefix: AddressPrefix) throws -> HubGuest {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    let guest = HubGuest(StreamSocket(taking: descriptor), from: prefix, at: door, certificate, table, now: start)
    #expect(table.add(guest))
    return guest
  }

  private func begins(_ guest: HubGuest, at time: Int64) -> Bool {
    guard table.mayHandshake(guest, now: time) == nil else { return false }
    table.charge(1, of: guest, now: time)
    return true
  }

  /// So many do at that time, of which the first one who does not waits.
  private func flood(from prefix: AddressPrefix, at time: Int64) throws -> (count: Int, next: HubGuest) {
    var count = 0
    while true {
      let guest = try guest(from: prefix)
      guard begins(guest, at: time) else { return (count, guest) }
      table.remove(guest)
      count += 1
      try #require(count < 1000)
    }
  }

  private func member(at prefix: AddressPrefix) throws -> HubPeer {
    let hello = HubRequest.Hello(
      room: room, member: Member(userID: "anna", displayName: ""), token: AccessToken(""), profile: .aesGCM, former: nil)
    let peer = HubPeer(hello, at: door, table)
    try table.add(peer, from: prefix)
    loop.post { peer.place.connect(peer) }
    try clock.advance(by: 0)
    #expect(table.memberCount == 1)
    return peer
  }

  @Test func strangersHaveSoManyAndMembersAddressesTheirOwn() throws {
    let (stranger, home) = (try prefix(1), try prefix(2))
    let peer = try member(at: home)
    let (count, next) = try flood(from: stranger, at: start)
    #expect(Double(count) == HubTable.handshakes.burst)
    // Another stranger comes after those who wait, and whoever comes from a member's address after nobody.
    let (other, back) = (try guest(from: try prefix(3)), try guest(from: home))
    #expect(!begins(other, at: start))
    #expect(begins(back, at: start))
    // The next ones, one after the other, as time goes on.
    let pause = Int64(Double(Self.second) / HubTable.handshakes.perSecond)
    #expect(begins(next, at: start + pause))
    #expect(!begins(other, at: start + pause))
    #expect(begins(other, at: start + 2 * pause))
    peer.end(because: nil)
    for guest in [next, other, back] { guest.drop() }
  }

  /// Many who wait at one address delay another one by one of them.
  @Test func addressesAlternate() throws {
    let crowded = try prefix(1)
    var guests = [try flood(from: crowded, at: start).next]
    for _ in 0..<50 {
      guests.append(try guest(from: crowded))
      #expect(!begins(guests[guests.count - 1], at: start))
    }
    let single = try guest(from: try prefix(2))
    #expect(!begins(single, at: start))
    let pause = Int64(Double(Self.second) / HubTable.handshakes.perSecond)
    #expect(begins(guests[0], at: start + pause))
    #expect(begins(single, at: start + 2 * pause))
    for guest in guests + [single] { guest.drop() }
  }

  /// Who has gone to another network sends from there before their connection is made anew.
  @Test func aMemberIsWhereTheirMediaComesFrom() throws {
    let (home, away) = (try prefix(2), try prefix(4))
    let peer = try member(at: home)
    #expect(table.hasMember(at: home) && !table.hasMember(at: away))
    table.moveMedia(of: peer, to: away)
    #expect(table.hasMember(at: home) && table.hasMember(at: away))
    _ = try flood(from: try prefix(1), at: start)
    let back = try guest(from: away)
    #expect(begins(back, at: start))
    table.move(peer, to: away)
    #expect(!table.hasMember(at: home) && table.hasMember(at: away))
    table.moveMedia(of: peer, to: home)
    #expect(table.hasMember(at: home) && table.hasMember(at: away))
    peer.end(because: nil)
    #expect(!table.hasMember(at: home) && !table.hasMember(at: away))
    back.drop()
  }
}
