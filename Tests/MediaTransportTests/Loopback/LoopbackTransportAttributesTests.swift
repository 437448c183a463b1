import MediaCore
import Testing

@testable import MediaTransport

@Suite struct LoopbackTransportAttributesTests {
  @Test func othersLearnOfEachChangeInOrder() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna"), room.peer("bert"))
    try anna.transport.setAttribute("a", "0")
    bert.connect()
    anna.connect()
    try room.advance()
    #expect(bert.events.entries == ["connected", "joined anna"])
    #expect(bert.transport.attributes(of: "anna")?["a"] == "0")
    for value in ["1", "1", "2", nil, nil] as [String?] { try anna.transport.setAttribute("a", value) }
    try anna.transport.setAttribute("b", "3")
    try room.advance()
    #expect(bert.events.entries.dropFirst(2) == ["anna a=1", "anna a=2", "anna a=nothing", "anna b=3"])
    #expect(anna.events.entries == ["connected", "joined bert"])
    let carl = room.peer("carl").connect()
    try room.advance()
    #expect(carl.transport.attributes(of: "anna")?.keys == ["b"])
    anna.transport.disconnect()
    try anna.transport.setAttribute("c", "4")
    try room.advance()
    #expect(bert.events.entries.suffix(2) == ["joined carl", "left anna"])
    #expect(carl.transport.attributes(of: "anna") == nil)
    room.close(bert, carl)
  }

  /// Who waits for the verifier comes with what they said meanwhile.
  @Test func whoWaitsBringsThem() throws {
    let room = TestRoom()
    let bert = room.peer("bert").connect()
    try room.script([.init(at: 0, delay: 1_000_000_000)], user: "anna")
    let anna = room.peer("anna").connect()
    try room.advance(milliseconds: 10)
    try anna.transport.setAttribute("a", "1")
    try room.advance(milliseconds: 3000)
    #expect(bert.events.entries.filter { $0.contains("anna") } == ["joined anna"])
    #expect(bert.transport.attributes(of: "anna")?["a"] == "1")
    room.close(anna, bert)
  }
}
