import MediaCore
import Testing

@testable import MediaWebRTCTransport

@Suite struct AddressClaimsTests {
  private final class Owner {}

  private func address(_ number: Int) throws -> SocketAddress {
    try #require(SocketAddress("10.0.\(number >> 8).\(number & 255)", port: 1_000))
  }

  private func isSame(_ owners: [Owner], _ expected: [Owner]) -> Bool {
    owners.map { ObjectIdentifier($0) } == expected.map { ObjectIdentifier($0) }
  }

  @Test func whoHasProvenToBeThereComesFirst() throws {
    var claims = AddressClaims<Owner>()
    let (one, two, three, place) = (Owner(), Owner(), Owner(), try address(1))
    for owner in [one, two, one, three] { claims.add(owner, place) }
    #expect(isSame(claims.owners(of: place), [one, two, three]))
    claims.prefer(three, place)
    #expect(isSame(claims.owners(of: place), [three, one, two]))
    claims.prefer(three, place)
    claims.remove(three)
    #expect(isSame(claims.owners(of: place), [one, two]))
    #expect(claims.owners(of: try address(2)).isEmpty)
    claims.prefer(two, try address(2))
    #expect(isSame(claims.owners(of: try address(2)), [two]))
  }

  /// However many claim an address, who is first there stays; and one more is heard.
  @Test func ownersOfAnAddressAreBounded() throws {
    var claims = AddressClaims<Owner>()
    let place = try address(1)
    let owners = (0..<20).map { _ in Owner() }
    for owner in owners { claims.add(owner, place) }
    #expect(isSame(claims.owners(of: place), [owners[0]] + owners[13...]))
    claims.prefer(owners[5], place)
    #expect(isSame(claims.owners(of: place), [owners[5], owners[0]] + owners[14...]))
    for owner in owners { claims.remove(owner) }
    #expect(claims.owners(of: place).isEmpty)
  }

  @Test func addressesOfAnOwnerAreBounded() throws {
    var claims = AddressClaims<Owner>()
    let (one, other) = (Owner(), Owner())
    claims.add(other, try address(0))
    for number in 0..<300 { claims.add(one, try address(number)) }
    let known = try (0..<300).filter { number in claims.owners(of: try address(number)).contains { $0 === one } }
    #expect(known == Array(172..<300))
    #expect(isSame(claims.owners(of: try address(0)), [other]))
    claims.remove(one)
    #expect(try (1..<300).allSatisfy { claims.owners(of: try address($0)).isEmpty })
  }
}
