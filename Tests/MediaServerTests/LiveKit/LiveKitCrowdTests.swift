import MediaCore
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling
@testable import MediaWebRTCTransport

/// Rooms of many members, each on a machine of their own, with a network between them, on one virtual clock.
@Suite(.serialized) struct LiveKitCrowdTests {
  /// All meet, hear and see three of them, most of those whose connections break come back as who they were, and who leaves has left for all.
  @Test func aThousandMembersMeet() throws { try meet(members: 1_000) }

  private func meet(members count: Int) throws {
    let house = try ServerHouse { $0.mostMembers = 1_000 }
    var access = RoomAccess()
    access.capacity = 2_000
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    defer { try? LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock) }
    func address(_ number: Int) -> String { "10.1.\(number / 250).\(number % 250 + 1)" }
    var members: [RoomEnd] = []
    // As many at a time as may wait for the room's answer.
    while members.count < count {
      let first = members.count
      for number in first..<min(first + 50, count) {
        let end = try house.session("member \(number)", at: address(number))
        end.notesOthers = false
        members.append(end)
      }
      let areHere = try house.run(for: 20 * second) { members[first...].allSatisfy(\.isHere) }
      let error = members[first...].compactMap { $0.ending?.text }.first ?? "no error"
      try #require(areHere, "\(first): \(error)")
    }
    #expect(house.web.memberCount == count)
    let publishers = members[..<3]
    for end in publishers {
      try end.publish(isVideo: true)
      try end.publish(isVideo: false)
    }
    #expect(try house.run(for: 20 * second) { publishers.allSatisfy { $0.has("receivers 1") } })
    let hasMet = try house.run(for: 20 * second) { members.allSatisfy { $0.others.count == count - 1 } }
    #expect(hasMet)
    // Of each a key frame a second, until all have a path.
    func sees(_ end: RoomEnd) -> Bool { end.added.count == 6 && end.received(isVideo: true) >= 3 && end.received(isVideo: false) >= 3 }
    for _ in 0..<10 where !members[3...].allSatisfy(sees) {
      for end in publishers {
        end.send(0, isVideo: true, size: 300)
        end.send(1, isVideo: false)
      }
      try house.run(for: second)
    }
    let blind = members[3...].count { !sees($0) }
    #expect(blind == 0)
    // Connections break: to the others nothing happens.
    let broken = members[10..<40]
    for end in broken { end.host?.resetConnections() }
    #expect(try house.run(for: 10 * second) { broken.allSatisfy { $0.has("reconnected") } })
    let leaving = members[40..<50]
    for end in leaving { end.link.disconnect() }
    let rest = members[..<40] + members[50...]
    let knowsWhoLeft = try house.run(for: 10 * second) { rest.allSatisfy { $0.others.count == count - 11 } }
    let isComplete = house.web.memberCount == count - 10 && rest.allSatisfy(\.isHere)
    #expect(knowsWhoLeft && isComplete)
    for end in rest { end.link.disconnect() }
    #expect(try house.run(for: 10 * second) { house.web.memberCount == 0 && house.web.liveKit.counts == (0, 0) })
    try house.close()
  }
}
