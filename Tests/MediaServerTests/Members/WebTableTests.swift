import MediaCore
import MediaNetwork
import Testing

@testable import MediaServer

@Suite struct WebTableTests {
  private final class Newcomer: WebParticipant, WebPathSeeker {
    let prefix = AddressPrefix(SocketAddress("10.0.0.1", port: 9)!)
    let hasPage = true
    var id: ObjectIdentifier { ObjectIdentifier(self) }
    func leave(_ error: MediaError?) {}
    func end(_ error: MediaError) {}
  }

  /// Who comes in on the loop while another thread closes the server may not have seen yet that they were put out.
  @Test func whatIsClosedHoldsNobody() throws {
    let house = try ServerHouse()
    let table = try WebTable(house.room, WebServer.Options([]), house.host, house.host, house.loop)
    weak var seen: Newcomer?
    do {
      let newcomer = Newcomer()
      seen = newcomer
      table.close()
      table.begins(newcomer, of: newcomer)
    }
    #expect(seen == nil)
    try house.close()
  }
}
