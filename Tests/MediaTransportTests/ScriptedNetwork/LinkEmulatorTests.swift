import CMediaSDK
import MediaCore
import MediaRTP
import Testing

@testable import MediaTransport

/// What goes over in packets and what in one piece, and what becomes of it when scripts and streams come and go.
@Suite struct LinkEmulatorTests {
  private let slow = NetworkScript.Step(delay: 50 * millisecond)

  /// Pictures, ten a second, that came by then.
  private func film(_ call: ScriptedCall, _ count: Int) throws -> [FrameID] {
    for _ in 0..<count {
      try call.anna.film(500)
      try call.room.advance(milliseconds: 100)
    }
    return call.bert.came.map(\.id)
  }

  @Test func aPictureTakesAsLongAsTheScriptSays() throws {
    let call = try ScriptedCall(#function, [slow], seed: 1)
    try call.anna.film(500)
    try call.room.advance(milliseconds: 49)
    #expect(call.bert.came.isEmpty)
    try call.room.advance(milliseconds: 2)
    #expect(call.bert.came.map(\.time) == [call.start + 50 * millisecond])
    #expect(call.anna.transport.stats.packetsSent == 1)
    #expect(call.bert.transport.stats.packetsReceived == 1)
    call.close()
  }

  @Test func picturesGoOverToPacketsWithAKeyFrame() throws {
    let call = try ScriptedCall(#function, [], seed: 1)
    let video = try #require(call.anna.video)
    let handed = try film(call, 2)
    #expect(handed == [1, 2])
    try call.room.script([slow], user: "anna")
    // In one piece until one comes that was asked for.
    let inPieces = try film(call, 4)
    #expect(inPieces == [1, 2, 3, 4, 5, 6])
    #expect(call.bert.transport.look(receiving: video) == nil)
    let asked = call.anna.events.filter { $0.hasSuffix("key frame") }.count
    let all = try film(call, 6)
    #expect(all == Array(1...12))
    #expect(call.anna.events.filter { $0.hasSuffix("key frame") }.count > asked)
    #expect(call.bert.faults(.picture, of: call.anna) == [])
    #expect(call.bert.transport.look(receiving: video)?.stream.keyFramesReceived == 1)
    // Without a script they are handed over at once, and with the next one it begins anew.
    try call.room.script([], user: "anna")
    try call.anna.film(500)
    #expect(call.bert.came.last?.id == 13)
    #expect(call.bert.transport.look(receiving: video) == nil)
    #expect(call.anna.transport.look(sending: video) == nil)
    #expect(call.anna.estimates.last?.bits ?? 0 == 0)
    call.close()
  }

  @Test func theWayHasFiguresWhileItIsThere() throws {
    let call = try ScriptedCall(#function, [slow], seed: 1)
    let (anna, bert) = (call.anna.transport, call.bert.transport)
    #expect(anna.networkFigures == NetworkFigures() && anna.statsEntries(at: 0).isEmpty)
    try call.play(milliseconds: 3000) { 3000 }
    /// As it is rendered, of all entries of that type.
    func values(_ transport: LoopbackTransport, _ type: String, _ name: String) -> [String] {
      transport.statsEntries(at: 5).compactMap { entry in
        guard case .object(let pairs) = entry, pairs.contains(where: { $0.0 == "type" && $0.1.rendered() == "\"\(type)\"" }) else {
          return nil
        }
        return pairs.first { $0.0 == name }?.1.rendered()
      }
    }
    #expect(values(anna, "transport", "id") == ["\"transport-0\""] && values(anna, "inbound-rtp", "id") == [])
    #expect(values(anna, "outbound-rtp", "framesSent").sorted() == ["0", "30"])
    // Bert sends nothing: of him there is only what comes.
    #expect(values(bert, "transport", "id") == ["\"transport-1\""] && values(bert, "outbound-rtp", "id") == [])
    #expect(values(bert, "inbound-rtp", "framesReceived") == ["30"])
    #expect(values(bert, "inbound-rtp", "transportId") == ["\"transport-1\"", "\"transport-1\""])
    let (out, into) = (try #require(anna.networkFigures), try #require(bert.networkFigures))
    #expect(out.packetsSent > 100 && out.packetsReported > 0 && out.reportedLost == 0 && out.packetsReceived == 0)
    #expect((out.roundTrip ?? 0) >= 100 * millisecond)
    #expect(into.packetsReceived > 100 && into.packetsLost == 0 && into.packetsSent == 0 && into.roundTrip == nil)
    try call.room.script([], user: "anna")
    #expect(anna.networkFigures == nil && bert.networkFigures == nil && anna.statsEntries(at: 0).isEmpty)
    call.close()
  }

  @Test func rawFramesAndPacketsShareTheQueue() throws {
    // 12,500 bytes take 100 ms.
    let call = try ScriptedCall(#function, [NetworkScript.Step(bandwidth: 1_000_000)], seed: 1)
    let (raw, format) = (call.anna.transport.makeStreamID(), VideoFormat(.gray8, width: 125, height: 100, frameRate: FrameRate(30)))
    try call.anna.transport.publish(raw, codec: 0, format: .video(format, kind: 1))
    try call.room.advance()
    call.bert.subscribe()
    try call.room.advance()
    let frame = try VideoFrame.make(format)
    #expect(call.anna.transport.send(frame, 1, on: raw) == .sent)
    frame.release()
    try call.anna.film(500)
    try call.room.advance(milliseconds: 90)
    #expect(call.bert.came.isEmpty && call.bert.taken == 0)
    try call.room.advance(milliseconds: 50)
    #expect(call.bert.taken == 2)
    #expect(call.bert.came.allSatisfy { $0.time >= call.start + 100 * millisecond })
    call.close()
  }

  @Test func aStreamThatComesAfterAnotherTakesItsPlace() throws {
    let call = try ScriptedCall(#function, [slow], seed: 1)
    _ = try film(call, 5)
    let first = try #require(call.anna.video)
    call.anna.transport.unpublish(first)
    #expect(call.anna.transport.look(sending: first) == nil)
    try call.anna.publish()
    try call.room.advance()
    call.bert.subscribe()
    try call.room.advance()
    let before = call.bert.came.count
    #expect(before == 5)
    for _ in 0..<5 {
      try call.anna.film(500)
      try call.room.advance(milliseconds: 100)
    }
    #expect(call.bert.came.count == before + 5)
    #expect(call.bert.came.dropFirst(before).first?.isKeyFrame == true)
    call.close()
  }

  @Test func theRequestOfAReceiverTakesTheWayBack() throws {
    let call = try ScriptedCall(#function, [slow], seed: 1)
    _ = try film(call, 20)
    let video = try #require(call.anna.video)
    let asked = call.anna.events.count
    call.bert.transport.requestKeyFrame(of: video)
    try call.room.advance(milliseconds: 49)
    #expect(call.anna.events.count == asked)
    try call.room.advance(milliseconds: 2)
    #expect(call.anna.events.count == asked + 1 && call.anna.events.last?.hasSuffix("key frame") == true)
    call.close()
  }

  @Test func theEstimateBeginsWithWhatTheScriptGives() throws {
    let call = try ScriptedCall(#function, [NetworkScript.Step(bandwidth: 400_000)], seed: 1)
    #expect(call.anna.estimates.map(\.bits) == [400_000])
    try call.anna.film(500)
    try call.room.advance(milliseconds: 10)
    #expect(call.anna.estimates.map(\.bits) == [400_000])
    call.close()
    // As much as can be measured is no bound where the script has none.
    let wide = try ScriptedCall("\(#function) wide", [slow], seed: 1)
    _ = try film(wide, 20)
    #expect(wide.anna.estimates.isEmpty)
    wide.close()
  }

  @Test func whoeverLeavesTakesHisWayWithHim() throws {
    weak var weakTransport: LoopbackTransport?
    do {
      let call = try ScriptedCall(#function, [NetworkScript.Step(delay: 500 * millisecond)], seed: 1)
      weakTransport = call.anna.transport
      _ = try film(call, 10)
      call.anna.transport.disconnect()
      let came = call.bert.came.count
      try call.room.advance(milliseconds: 5000)
      #expect(call.bert.came.count == came)
      call.bert.transport.disconnect()
    }
    #expect(weakTransport == nil)
  }
}
