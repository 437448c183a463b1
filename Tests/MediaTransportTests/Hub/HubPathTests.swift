import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSRTP
import Testing

@testable import MediaTransport

/// A member's media goes where that member is, whoever sends copies of their packets from elsewhere.
@Suite struct HubPathTests {
  private final class Place {
    let socket: InstantPort
    let address: SocketAddress
    private let rows = DatagramRows()

    init(_ network: InstantNetwork) throws {
      socket = try network.makePort()
      address = socket.address
    }

    /// What has come.
    func take() -> [[UInt8]] {
      var datagrams: [[UInt8]] = []
      while socket.receive(rows, { bytes, _ in datagrams.append(Array(bytes)) }) > 0 {}
      return datagrams
    }
  }

  private let (hubPlace, memberPlace, elsewhere): (Place, Place, Place)
  private let (hub, member): (HubMedia, HubMedia)
  private let clock = VirtualClock()
  private var now: Int64 { clock.now() }

  init() throws {
    let network = InstantNetwork()
    (hubPlace, memberPlace, elsewhere) = (try Place(network), try Place(network), try Place(network))
    let terms = try MediaParameters.make(port: hubPlace.address.port, base: 0x1234_5600, profile: .aesGCM)
    hub = try HubMedia(terms, isHub: true, over: HubSocket(hubPlace.socket), to: nil, bitrates: .init(), clock: clock)
    member = try HubMedia(terms, isHub: false, over: HubSocket(memberPlace.socket), to: hubPlace.address, bitrates: .init(), clock: clock)
  }

  /// Brings what has come at the hub's socket to it, as from there.
  private func toHub(from address: SocketAddress, after milliseconds: Int64 = 0) {
    for datagram in hubPlace.take() { datagram.withUnsafeBytes { _ = hub.receive($0, from: address, now: now + milliseconds * 1_000_000) } }
  }

  /// Brings what has come at a place to the member; how many bytes.
  private func toMember(at place: Place) -> Int {
    place.take().reduce(0) { count, datagram in
      datagram.withUnsafeBytes { _ = member.receive($0, from: hubPlace.address, now: now) }
      return count + datagram.count
    }
  }

  private func meet() {
    member.greet()
    toHub(from: memberPlace.address)
    _ = toMember(at: memberPlace)
    toHub(from: memberPlace.address)
  }

  @Test func whereAMemberIsIsShownBeforeAnythingIsSentThere() {
    member.greet()
    #expect(hub.remote == nil)
    toHub(from: memberPlace.address)
    #expect(hub.remote == nil)
    hub.greet()
    let challenge = memberPlace.take()
    #expect(challenge.count == 1)
    // That alone is no word of the hub's by which the member knows that the hub hears it.
    for datagram in challenge { #expect(!datagram.withUnsafeBytes { member.receive($0, from: hubPlace.address, now: now) }) }
    toHub(from: memberPlace.address)
    #expect(hub.remote == memberPlace.address)
    let greeting = memberPlace.take()
    #expect(greeting.count == 1)
    for datagram in greeting { #expect(datagram.withUnsafeBytes { member.receive($0, from: hubPlace.address, now: now) }) }
  }

  @Test func aPacketFromElsewhereDivertsNothing() {
    meet()
    #expect(hub.remote == memberPlace.address)
    _ = memberPlace.take()
    var came = 0
    for round in 0..<20 {
      member.greet()
      for datagram in hubPlace.take() {
        came += datagram.count
        datagram.withUnsafeBytes { _ = hub.receive($0, from: elsewhere.address, now: now + Int64(round) * 100_000_000) }
      }
      for _ in 0..<10 { hub.greet() }
    }
    #expect(hub.remote == memberPlace.address)
    let sent = elsewhere.take().reduce(0) { $0 + $1.count }
    #expect(sent > 0 && sent <= 3 * came)
    #expect(memberPlace.take().count > 0)
  }

  @Test func aMemberWhoMovedIsFollowed() {
    meet()
    _ = memberPlace.take()
    member.greet()
    toHub(from: elsewhere.address, after: 100)
    #expect(hub.remote == memberPlace.address)
    #expect(toMember(at: elsewhere) > 0)
    toHub(from: elsewhere.address, after: 120)
    #expect(hub.remote == elsewhere.address)
  }
}
