import MediaCore
import Testing

@testable import MediaTransport

/// A room in the hands of who serves it.
@Suite struct RoomAdministrationTests {
  @Test func whoIsThereIsListedWithWhatTheyPublishAndSay() throws {
    let room = TestRoom()
    let administration = RoomAdministration(room: room.name)
    #expect(administration.participants.isEmpty)
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let (first, second) = (try anna.publish(codec: 7), try anna.publish(codec: 8))
    try anna.transport.setAttribute("hand", "up")
    try room.advance()
    let all = administration.participants
    #expect(all.map(\.member.userID) == ["anna", "bert"])
    #expect(all[0].streams.map(\.id) == [first, second] && all[1].streams.isEmpty)
    #expect(all[0].member.attributes["hand"] == "up" && all[0].member.permissions == .ordinary)
    anna.transport.disconnect()
    try room.advance()
    #expect(administration.participants.map(\.member.userID) == ["bert"])
    room.close(bert)
  }

  @Test func itModeratesWithoutAPermission() throws {
    let room = TestRoom()
    let administration = RoomAdministration(room: room.name)
    #expect(failure { try administration.remove("anna", reason: "", by: "") }?.status == .notFound)
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    #expect(failure { try administration.mute("nobody", true, by: "") }?.status == .notFound)
    try administration.mute("anna", true, by: "bert")
    try administration.mute("anna", false, by: "")
    try room.advance()
    #expect(anna.events.entries.filter { $0.contains("muted by ") } == ["muted by bert: ", "unmuted by : "], "\(anna.events.entries)")
    try administration.remove("anna", reason: "it is late", by: "anna")
    try room.advance()
    #expect(anna.events.entries.last == "disconnected removed" && bert.events.entries.last == "left anna")
    room.close(bert)
  }

  @Test func itsDataReachesThoseWhomItIsFor() throws {
    let room = TestRoom()
    let administration = RoomAdministration(room: room.name)
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance()
    var message = DataMessage(Array("1".utf8))
    administration.send(message, except: [ObjectIdentifier(carl.transport)])
    (message.recipients, message.topic, message.isLossy) = (["bert"], "news", true)
    administration.send(message, except: [])
    try room.advance()
    #expect(anna.data.entries == [": 1 "] && bert.data.entries == [": 1 ", ": 1 news lossy"] && carl.data.entries.isEmpty)
    room.close(anna, bert, carl)
    administration.send(message, except: [])
  }
}
