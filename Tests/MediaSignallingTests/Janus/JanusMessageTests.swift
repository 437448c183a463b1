import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct JanusMessageTests {
  private func read(_ text: String) throws -> [JanusMessage] { try JanusMessage.read(Array(text.utf8)) }

  @Test func oneMessageOrSeveralAreRead() throws {
    let one = try read(
      #"{"janus":"event","transaction":"a","session_id":3,"sender":4,"plugindata":{"data":{"videoroom":"event"}},"jsep":{"type":"offer","sdp":"v=0"}}"#
    )
    #expect(one.count == 1 && one[0].kind == "event" && one[0].transaction == "a" && one[0].session == 3 && one[0].sender == 4)
    #expect(one[0].data.member("videoroom")?.string == "event" && one[0].jsep?.type == "offer" && one[0].jsep?.sdp == "v=0")
    #expect(try read(#"[{"janus":"ack"},{"janus":"keepalive"}]"#).map(\.kind) == ["ack", "keepalive"])
    #expect(try read("[]").isEmpty)
  }

  @Test func whatIsNoMessageIsRefused() {
    for text in ["", "{}", "[1]", "<html>", #"{"janus":1}"#, #"{"janus":"ack"}x"#] {
      #expect(refusal { _ = try read(text) }?.status == .corrupt, "\(text)")
    }
  }

  @Test func boundsHold() {
    let many = "[" + Array(repeating: #"{"janus":"ack"}"#, count: JanusMessage.mostTogether + 1).joined(separator: ",") + "]"
    let values = #"{"janus":"x","y":["# + Array(repeating: "0", count: JanusMessage.mostValues).joined(separator: ",") + "]}"
    let long = #"{"janus":"x","y":""# + String(repeating: "y", count: JanusMessage.longest) + "\"}"
    let sdp = #"{"janus":"x","jsep":{"type":"offer","sdp":""# + String(repeating: "y", count: JanusMessage.longestSDP + 1) + "\"}}"
    for text in [many, values, long, sdp] { #expect(refusal { _ = try read(text) }?.status == .limit, "\(text.prefix(40))") }
  }

  @Test func idsAreNumbersOrTexts() throws {
    #expect(JanusID("1234") == .number(1234) && JanusID("lobby") == .text("lobby") && JanusID("-1") == .text("-1"))
    #expect(JanusID("") == nil && JanusID("a\nb") == nil && JanusID(String(repeating: "a", count: 256)) == nil)
    #expect(JanusID(JSON.integer(-1)) == nil && JanusID(JSON.number(1)) == nil && JanusID(JSON.text("1")) == .text("1"))
    #expect("\(JanusID.number(18_446_744_073_709_551_615))" == "18446744073709551615")
  }

  @Test func participantsAreBounded() throws {
    let stream = (0..<40).map { #"{"type":"video","mid":"\#($0)","codec":"vp8"}"# }.joined(separator: ",")
    let text = #"{"id":1,"display":"\#(String(repeating: "ä", count: 200))\u0001","streams":[\#(stream)]}"#
    let one = try #require(JanusParticipant(JSONReader.read(Array(text.utf8), name: "x")))
    #expect(one.name.utf8.count == 254 && one.streams.count == JanusParticipant.mostStreams)
    let odd =
      #"{"id":"x","streams":[{"type":"data","mid":"0"},{"type":"audio"},{"type":"audio","mid":""},{"type":"audio","mid":"1"},{"type":"audio","mid":"1"}]}"#
    #expect(try JanusParticipant(JSONReader.read(Array(odd.utf8), name: "x"))?.streams.map(\.mid) == ["1"])
    #expect(JanusParticipant(.null) == nil)
  }
}
