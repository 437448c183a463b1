import MediaCore
import MediaEmulation
import MediaTransport
import Testing

@testable import MediaServer

/// What somebody has sent before they left, at a client to which it is on its way for long.
@Suite struct LiveKitPartingTests {
  private static let messages = 40

  private func narrow(_ end: RoomEnd) {
    var conditions = EmulatedNetwork.Conditions()
    (conditions.bandwidth, conditions.delay) = (1_000_000, 50 * millisecond)
    end.host?.setConditions(down: conditions)
  }

  private func send(_ end: RoomEnd) throws {
    for number in 0..<LiveKitPartingTests.messages {
      try end.link.send(DataMessage([UInt8(number)] + [UInt8](repeating: 7, count: 9_999)))
    }
  }

  /// 400 kB take more than three seconds.
  @Test(arguments: [false, true]) func dataComesBeforeTheNewsThatItsSenderHasLeft(isOfProcess: Bool) throws {
    let house = try ServerHouse()
    let anna = isOfProcess ? try house.member("anna") : try house.session("anna", at: "10.0.0.1")
    let bob = try house.session("bob", at: "10.0.0.2")
    let cleo = try house.session("cleo", at: "10.0.0.3")
    #expect(try house.run(for: 5 * second) { [anna, bob, cleo].allSatisfy { $0.others.count == 2 } })
    try house.run(for: second)
    narrow(bob)
    try send(anna)
    anna.link.disconnect()
    // Whom nothing is on its way to learns it at once.
    #expect(try house.run(for: second) { cleo.has("left anna") } && cleo.data.count == LiveKitPartingTests.messages, "\(cleo.data.count)")
    #expect(!bob.has("left anna"))
    #expect(try house.run(for: 6 * second) { bob.has("left anna") })
    #expect(bob.data.count == LiveKitPartingTests.messages, "\(bob.data.count)")
    for end in [bob, cleo] { end.link.disconnect() }
    try house.close()
  }

  /// Who comes again meanwhile is somebody new.
  @Test func whoComesAgainIsMetAnew() throws {
    let house = try ServerHouse()
    let anna = try house.member("anna")
    let bob = try house.session("bob", at: "10.0.0.2")
    #expect(try house.run(for: 5 * second) { bob.others == ["anna"] && anna.others == ["bob"] })
    try house.run(for: second)
    narrow(bob)
    try send(anna)
    anna.link.disconnect()
    try house.run(for: 200 * millisecond)
    let again = try house.member("anna")
    #expect(try house.run(for: 6 * second) { bob.data.count > 10 && bob.others == ["anna"] && again.others == ["bob"] })
    #expect(bob.events.filter { $0.hasSuffix(" anna") } == ["joined anna", "left anna", "joined anna"], "\(bob.events)")
    // One that never has it all is not kept in the dark for longer than that.
    try send(again)
    bob.host?.setDisconnected(true)
    again.link.disconnect()
    try house.run(for: 6 * second)
    #expect(bob.others == ["anna"])
    bob.link.disconnect()
    try house.close()
  }
}
