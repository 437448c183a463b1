import MediaCore
import Testing

@testable import MediaTransport

@Suite struct ScriptedRoomTests {
  @Test func aThousandInOneRoom() throws {
    let room = TestRoom()
    let callers = (0..<1000).map { Caller("member \($0)", room: room.name, loop: room.loop) }
    for caller in callers {
      caller.keeps = false
      caller.transport.connect(caller)
    }
    try room.advance()
    try room.script([NetworkScript.Step(bandwidth: 500_000, delay: 30 * millisecond, jitter: 10 * millisecond, loss: 10_000)])
    let speakers = callers.prefix(3)
    for speaker in speakers { try speaker.publish() }
    callers[999].keeps = true
    try room.advance()
    for caller in callers { caller.subscribe() }
    try room.advance()
    for time in 0..<200 as Range<Int64> {
      for speaker in speakers {
        if time % 3 == 0 { try speaker.speak() }
        if time % 10 == 0 { try speaker.film(1500) }
      }
      try room.advance(milliseconds: 20)
    }
    try room.advance(milliseconds: 500)
    let sent = speakers.map { $0.sent.values.reduce(0) { $0 + $1.count } }
    #expect(sent.allSatisfy { $0 > 80 })
    // What one got all got, but for the speakers, who do not hear themselves.
    #expect(Set(callers.dropFirst(3).map(\.taken)).count == 1)
    #expect(callers[999].taken > sent.reduce(0, +) * 95 / 100)
    #expect(callers[999].came.count == callers[999].taken)
    #expect(speakers.allSatisfy { $0.taken < callers[999].taken && $0.taken > 0 })
    for caller in callers { caller.transport.disconnect() }
    room.close()
  }
}
