import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct SessionAttributesTests {
  @Test func theListOfParticipantsHasThem() throws {
    let call = try Call()
    try call.anna.setAttribute("mood", "good")
    _ = try call.connect()
    #expect(call.bert.participants.map { $0.member.attributes["mood"] } == [nil, "good"])
    #expect(call.anna.participants[0].member.attributes["mood"] == "good")
    try call.anna.setAttribute("mood", "better")
    try call.anna.setAttribute("hand", "up")
    try call.anna.setAttribute("mood", nil)
    try call.advance()
    #expect(call.events(call.bert) == ["anna changed mood", "anna changed hand", "anna changed mood"])
    #expect(call.events(call.anna).isEmpty)
    #expect(try call.bert.attributes(of: "anna").keys == ["hand"])
    #expect(failure { _ = try call.bert.attributes(of: "carl") }?.status == .notFound)
    call.anna.disconnect()
    try call.advance()
    #expect(failure { _ = try call.bert.attributes(of: "anna") }?.status == .notFound)
    #expect(try call.anna.attributes(of: "anna").keys == ["hand"])
    call.anna.close()
    #expect(failure { try call.anna.setAttribute("mood", "") }?.status == .closed)
  }
}
