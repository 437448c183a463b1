import MediaCore
import MediaEmulation
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling

/// How well each is connected, as all are told.
@Suite struct LiveKitQualityTests {
  private let house: ServerHouse

  init() throws { house = try ServerHouse.forLiveKit() }

  /// What a client was told last of somebody, by their sid.
  private func quality(_ end: LiveKitEnd, of sid: String?) -> LiveKitConnectionQuality? {
    end.said.compactMap { if case .qualities(let update) = $0 { update.updates.last { $0.sid == sid }?.quality } else { nil } }.last
  }

  /// Frames of Anna's, while all do what the server says.
  private func call(_ anna: LiveKitEnd, _ ends: [LiveKitEnd], for time: Int64) throws {
    for _ in 0..<(time / (20 * millisecond)) {
      anna.media.send(0, isVideo: false)
      _ = try house.run([anna] + ends, for: 20 * millisecond) { false }
    }
  }

  @Test(arguments: [LiveKitVersion.one, .zero]) func allAreToldHowWellEachIsConnected(version: LiveKitVersion) throws {
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [false], version: version)
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2", version: version)
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    let (first, other) = (anna.join?.participant?.sid, bob.join?.participant?.sid)
    try call(anna, [bob], for: 8 * second)
    for end in [anna, bob] {
      #expect(quality(end, of: first) == .excellent && quality(end, of: other) == .excellent, "\(end.identity)")
    }
    let told = bob.said.count { if case .qualities = $0 { true } else { false } }
    try call(anna, [bob], for: 5 * second)
    #expect(bob.said.count { if case .qualities = $0 { true } else { false } } == told)
    // A third of what Anna sends is lost.
    anna.host.setConditions(up: .init(at: 0, loss: 330_000))
    try call(anna, [bob], for: 10 * second)
    #expect(quality(bob, of: first) == .poor && quality(anna, of: first) == .poor && quality(bob, of: other) == .excellent)
    let late = try LiveKitEnd(house, "late", at: "10.0.0.3", version: version)
    try call(anna, [bob, late], for: 3 * second)
    #expect(quality(late, of: first) == .poor && quality(late, of: other) == .excellent)
    // Her network is gone, and then she is.
    anna.host.setDisconnected(true)
    #expect(try house.run([bob, late], for: 15 * second) { quality(bob, of: first) == .lost })
    for end in [anna, bob, late] { end.close() }
    try house.close()
  }

  /// Though nothing of it has changed.
  @Test func whoComesBackLearnsHowWellEachIsConnected() throws {
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [false])
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try call(anna, [bob], for: 8 * second)
    bob.breakSignalling()
    try call(anna, [], for: second)
    let before = bob.said.count
    try bob.comeBack()
    #expect(
      try house.run([anna, bob]) {
        bob.said[before...].contains { if case .qualities(let update) = $0 { update.updates.count == 2 } else { false } }
      }, "\(bob.said[before...])")
    anna.close()
    bob.close()
    try house.close()
  }
}
