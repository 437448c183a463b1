import MediaCore
import Testing

@testable import MediaSignalling

/// Behaviours that the public list of Autobahn's test suite has, and the examples of RFC 6455, section 5.7. The numbers are that list's.
@Suite struct WebSocketMachineTests {
  typealias Opcode = WebSocketFrame.Opcode

  /// Of a client.
  private func frame(_ first: UInt8, _ payload: [UInt8], mask: [UInt8]? = [1, 2, 3, 4]) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketFrame.write(.text, payload, mask: mask, to: &bytes)
    bytes[0] = first
    return bytes
  }

  private func frame(_ first: UInt8, _ payload: String) -> [UInt8] { frame(first, Array(payload.utf8)) }

  private struct Heard: Equatable {
    var events: [WebSocketMachine.Event] = []
    var output: [UInt8] = []

    var close: WebSocketClose? {
      if case .closed(let close) = events.last { return close }
      return nil
    }
    var texts: [String] { events.compactMap { if case .text(let text) = $0 { text } else { nil } } }
  }

  private func hear(_ pieces: [[UInt8]], _ role: WebSocketMachine.Role = .server, limits: WebSocketLimits = WebSocketLimits()) -> Heard {
    let machine = WebSocketMachine(role, limits: limits, random: SeededRandom(seed: 1), now: 0)
    for piece in pieces { piece.withUnsafeBytes { machine.receive($0, now: 0) } }
    return heard(machine)
  }

  private func heard(_ machine: WebSocketMachine) -> Heard {
    var heard = Heard()
    while let event = machine.takeEvent() { heard.events.append(event) }
    machine.takeOutput(&heard.output)
    return heard
  }

  /// The same wherever the bytes are cut.
  private func hear(cutting bytes: [UInt8], _ role: WebSocketMachine.Role = .server) -> Heard {
    let whole = hear([bytes], role)
    everyCut(bytes) { pieces in
      let heard = hear(pieces, role)
      if heard != whole { Issue.record("\(pieces.map(\.count)): \(heard), not \(whole)") }
    }
    return whole
  }

  private func closed(_ code: UInt16) -> [UInt8] { [UInt8(code >> 8), UInt8(code & 255)] }

  @Test func examplesOfTheRFC() {
    let hello = Array("Hello".utf8)
    #expect(hear(cutting: [0x81, 5] + hello, .client).events == [.text("Hello")])
    #expect(hear(cutting: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]).events == [.text("Hello")])
    #expect(hear(cutting: [1, 3, 0x48, 0x65, 0x6C, 0x80, 2, 0x6C, 0x6F], .client).events == [.text("Hello")])
    #expect(hear(cutting: [0x89, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]).output == [0x8A, 5] + hello)
    let long = (0..<65_536).map { UInt8(truncatingIfNeeded: $0) }
    #expect(hear([[0x82, 0x7E, 1, 0] + long[..<256]], .client).events == [.binary(Array(long[..<256]))])
    #expect(hear([[0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + long], .client).events == [.binary(long)])
    var bytes: [UInt8] = []
    WebSocketFrame.write(.text, hello, mask: [0x37, 0xFA, 0x21, 0x3D], to: &bytes)
    #expect(bytes == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
  }

  /// 1 and 9.
  @Test(arguments: [0, 1, 125, 126, 127, 128, 65_535, 65_536, 70_000]) func lengthsOfAllForms(size: Int) throws {
    var (client, server) = (
      WebSocketMachine(.client, random: SeededRandom(seed: 1), now: 0), WebSocketMachine(.server, random: SeededRandom(seed: 2), now: 0)
    )
    let binary = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for _ in 0..<2 {
      try client.send(binary: binary)
      try client.send(text: String(repeating: "*", count: size))
      let output = heard(client).output
      for start in stride(from: 0, to: output.count, by: 997) {
        Array(output[start..<min(start + 997, output.count)]).withUnsafeBytes { server.receive($0, now: 0) }
      }
      #expect(heard(server).events == [.binary(binary), .text(String(repeating: "*", count: size))])
      swap(&client, &server)
    }
  }

  /// 2: all are answered in order, and pongs that nobody asked for are ignored.
  @Test func pingsAreAnswered() {
    let long = [UInt8](repeating: 0xFE, count: 125)
    #expect(hear(cutting: frame(0x89, [])).output == [0x8A, 0])
    #expect(hear([frame(0x89, long)]).output == [0x8A, 125] + long)
    #expect(hear(cutting: frame(0x8A, "unasked")) == Heard())
    #expect(hear((0..<10).map { frame(0x89, [$0]) }).output == (0..<10).flatMap { [0x8A, 1, $0] })
    let client = hear([[0x89, 1, 7]], .client).output
    #expect(client.count == 7 && client[0] == 0x8A && client[1] == 0x81 && client[6] ^ client[2] == 7)
    #expect(hear([frame(0x89, long + [0])]).close?.error?.text.contains("more than 125 bytes") == true)
  }

  /// More than may be asked for: the latest is answered in the end.
  @Test func pingsAreAnsweredWithinARate() {
    let machine = WebSocketMachine(.server, random: SeededRandom(seed: 1), now: 0)
    for number in 0..<100 { frame(0x89, [UInt8(number)]).withUnsafeBytes { machine.receive($0, now: 0) } }
    #expect(heard(machine).output == (0..<32).flatMap { [0x8A, 1, $0] })
    let due = machine.poll(now: 0)
    #expect(due == second / 10)
    #expect(heard(machine).output.isEmpty)
    _ = machine.poll(now: second / 10)
    #expect(heard(machine).output == [0x8A, 1, 99])
    #expect(machine.poll(now: second / 10) == 20 * second)
    // A peer that does not read.
    var limits = WebSocketLimits()
    limits.output = 10
    #expect(hear((0..<30).map { _ in frame(0x89, "12345678") }, limits: limits).output.count == 20)
  }

  /// 3 and 4: no extension was agreed on, permessage-deflate (0x40) neither.
  @Test func reservedBitsAndOpcodesAreRefused() {
    for first: UInt8 in [0xC1, 0xA1, 0x91, 0xF1, 0xC9, 0x83, 0x84, 0x87, 0x8B, 0x8F, 0x03, 0x0B] {
      let heard = hear(cutting: frame(0x81, "before") + frame(first, "x"))
      #expect(heard.texts == ["before"] && heard.close?.code == 1002 && heard.output.starts(with: [0x88]) == true, "\(first)")
      #expect(heard.output[2...3] == [0x03, 0xEA])
    }
    #expect(hear(cutting: frame(0xC1, "x")).close?.error?.text == "WebSocket: a frame has reserved bits, and no extension was agreed on")
  }

  @Test func masksAreAsTheRoleRequires() {
    #expect(hear(cutting: frame(0x81, Array("x".utf8), mask: nil)).close?.error?.text == "WebSocket: a client's frame is not masked")
    #expect(hear(cutting: frame(0x81, "x"), .client).close?.error?.text == "WebSocket: a server's frame is masked")
    let one = WebSocketMachine(.client, random: SeededRandom(seed: 1), now: 0)
    try? one.send(text: "aaaa")
    try? one.send(text: "aaaa")
    let output = heard(one).output
    #expect(output.count == 20 && output[2..<6] != output[12..<16])
  }

  @Test func lengthsHaveOneForm() {
    for head: [UInt8] in [[0x82, 126, 0, 125], [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 1]] {
      #expect(hear([head], .client).close?.code == 1002)
    }
    #expect(hear([[0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]], .client).close?.code == 1002)
    #expect(hear([[0x82, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255]], .client).close?.code == 1009)
    // What is refused by its first bytes waits for no others.
    #expect(hear([[0x89, 126]], .client).close?.code == 1002)
  }

  /// 5.
  @Test func messagesComeInFragments() {
    #expect(
      hear(cutting: frame(1, "a") + frame(0x89, "ping") + frame(0, []) + frame(0x80, "b"))
        == Heard(
          events: [.text("ab")], output: [0x8A, 4] + Array("ping".utf8)))
    #expect(hear(cutting: frame(2, [0xFF]) + frame(0x80, [0xFE]) + frame(0x82, [])).events == [.binary([0xFF, 0xFE]), .binary([])])
    #expect(hear(cutting: frame(1, []) + frame(0, []) + frame(0x80, [])).events == [.text("")])
    for wrong in [
      frame(0x09, "ping"), frame(0x0A, "pong"), frame(0x08, closed(1000)), frame(0x80, "goes on"), frame(0x00, "goes on"),
      frame(1, "a") + frame(0x81, "b"), frame(1, "a") + frame(0x82, "b"), frame(1, "a") + frame(0x80, "b") + frame(0x80, "c")
    ] {
      let heard = hear(cutting: wrong)
      #expect(heard.close?.code == 1002 && heard.close?.error?.status == .corrupt, "\(wrong)")
    }
  }

  /// 6.
  @Test func textIsUTF8() {
    let text = "κόσμε \u{10FFFF} 😀"
    #expect(hear(cutting: frame(0x81, text)).events == [.text(text)])
    // Characters may be cut by fragments.
    let bytes = Array(text.utf8)
    for place in 0...bytes.count {
      #expect(hear([frame(1, Array(bytes[..<place])) + frame(0x80, Array(bytes[place...]))]).events == [.text(text)])
    }
    for wrong in [[0xCE], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80], [0x61, 0xFF]] as [[UInt8]] {
      let heard = hear(cutting: frame(0x81, wrong))
      #expect(heard.events.count == 1 && heard.close?.code == 1007, "\(wrong)")
      #expect(hear(cutting: frame(0x82, wrong)).events == [.binary(wrong)])
    }
    // 6.4: before the message, or even the frame, is complete.
    #expect(hear([frame(1, [0xCE, 0xBA, 0xF4, 0x90])]).close?.code == 1007)
    #expect(hear([Array(frame(0x81, [0x61, 0xFF, 0x62, 0x62, 0x62]).dropLast(3))]).close?.code == 1007)
    #expect(hear([frame(1, [0x61]), frame(0x80, [0xCE])]).close?.code == 1007)
  }

  /// 7.
  @Test func theOtherEndCloses() {
    let normal = frame(0x88, closed(1000) + Array("bye".utf8))
    let heard = hear(cutting: normal + frame(0x81, "after") + frame(0x89, "after"))
    #expect(heard == Heard(events: [.closed(WebSocketClose(code: 1000, reason: "bye", error: nil))], output: [0x88, 2, 3, 0xE8]))
    #expect(
      hear(cutting: frame(0x88, [])) == Heard(events: [.closed(WebSocketClose(code: 1005, reason: "", error: nil))], output: [0x88, 0]))
    // A message that is not complete is dropped.
    #expect(hear([frame(1, "half") + normal]).events.count == 1)
    for code: UInt16 in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] {
      let heard = hear([frame(0x88, closed(code))])
      #expect(heard.close == WebSocketClose(code: code, reason: "", error: nil) && heard.output == [0x88, 2] + closed(code), "\(code)")
    }
    for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
      #expect(hear(cutting: frame(0x88, closed(code))).close?.error?.text == "WebSocket: a close has the code \(code)")
    }
    #expect(hear(cutting: frame(0x88, [3])).close?.code == 1002)
    #expect(hear([frame(0x88, closed(1000) + [UInt8](repeating: 97, count: 123))]).close?.reason.utf8.count == 123)
    #expect(hear([frame(0x88, closed(1000) + [UInt8](repeating: 97, count: 124))]).close?.code == 1002)
    #expect(hear(cutting: frame(0x88, closed(1000) + [0xCE])).close?.code == 1007)
  }

  @Test func thisEndCloses() throws {
    let machine = WebSocketMachine(.server, random: SeededRandom(seed: 1), now: 0)
    machine.close(1001, String(repeating: "é", count: 100), now: 0)
    let said = heard(machine)
    #expect(said.events.isEmpty && said.output.count == 2 + 124 && said.output[2...3] == [0x03, 0xE9] && !machine.isClosed)
    #expect(String(validating: said.output[4...], as: UTF8.self) != nil)
    #expect(refusal { try machine.send(text: "x") }?.status == .closed)
    machine.close(now: 0)
    // What the other end had said before is not wanted any more, and no ping is answered.
    (frame(0x81, "late") + frame(0x89, [])).withUnsafeBytes { machine.receive($0, now: 0) }
    #expect(heard(machine) == Heard() && machine.poll(now: 0) == 5 * second)
    frame(0x88, closed(1001)).withUnsafeBytes { machine.receive($0, now: 0) }
    #expect(heard(machine) == Heard(events: [.closed(WebSocketClose(code: 1001, reason: "", error: nil))]))
    #expect(machine.isClosed && machine.poll(now: .max) == nil)
    let alone = WebSocketMachine(.client, random: SeededRandom(seed: 1), now: 0)
    alone.close(1005, now: 0)
    #expect(alone.poll(now: 5 * second) == nil)
    let end = heard(alone)
    #expect(end.close?.error?.status == .timeout && end.close?.code == 1006)
    #expect(end.output.count == 8 && end.output[6] ^ end.output[2] == 3 && end.output[7] ^ end.output[3] == 0xE8)
  }

  @Test func theConnectionMayEnd() {
    let open = WebSocketMachine(.client, random: SeededRandom(seed: 1), now: 0)
    open.receiveEnd()
    #expect(heard(open).close?.error?.status == .closed)
    let closing = WebSocketMachine(.client, random: SeededRandom(seed: 1), now: 0)
    closing.close(now: 0)
    closing.receiveEnd()
    #expect(heard(closing).close == WebSocketClose(code: 1006, reason: "", error: nil))
    closing.receiveEnd()
    #expect(heard(closing) == Heard())
  }

  @Test func eachBoundIsNamed() {
    var limits = WebSocketLimits()
    (limits.message, limits.fragments) = (10, 3)
    #expect(hear([frame(1, "12345") + frame(0x80, "67890")], limits: limits).texts == ["1234567890"])
    // At the head of the frame already.
    let head = Array(frame(0x80, "678901").prefix(6))
    let heard = hear([frame(1, "12345") + head], limits: limits)
    #expect(
      heard.close?.code == 1009
        && heard.close?.error?.text == "WebSocket: a message has more than 5 bytes, and 6 follow; accepted: at most 10")
    #expect(hear([frame(1, "1") + frame(0, []) + frame(0x80, [])], limits: limits).texts == ["1"])
    #expect(
      hear([frame(1, "1") + frame(0, []) + frame(0, []) + frame(0, [])], limits: limits).close?.error?.text.contains("at most 3") == true)
    limits.output = 10
    let machine = WebSocketMachine(.server, limits: limits, random: SeededRandom(seed: 1), now: 0)
    #expect(refusal { try machine.send(text: "12345678901") }?.status == .full)
    #expect(refusal { try machine.send(text: "12345678") } == nil && refusal { try machine.send(text: "1") }?.status == .full)
    _ = self.heard(machine)
    #expect(refusal { try machine.send(text: "1") } == nil)
  }

  @Test func silenceIsTheEnd() {
    let machine = WebSocketMachine(.server, random: SeededRandom(seed: 1), now: 0)
    #expect(machine.poll(now: 0) == 20 * second && heard(machine) == Heard())
    #expect(machine.poll(now: 20 * second) == 40 * second && heard(machine).output == [0x89, 0])
    // Any byte is a sign of life.
    [0x8A as UInt8].withUnsafeBytes { machine.receive($0, now: 39 * second) }
    #expect(machine.poll(now: 40 * second) == 59 * second)
    frame(0x8A, []).dropFirst().withUnsafeBytes { machine.receive($0, now: 41 * second) }
    #expect(machine.poll(now: 61 * second) == 81 * second)
    #expect(machine.poll(now: 81 * second) == nil && heard(machine).close?.error?.text == "WebSocket: nothing came after a ping")
    var limits = WebSocketLimits()
    limits.pingInterval = nil
    #expect(WebSocketMachine(.server, limits: limits, random: SeededRandom(seed: 1), now: 0).poll(now: 1_000 * second) == nil)
  }

  /// One byte each ten seconds.
  @Test func slowMessagesAreCutOff() {
    let machine = WebSocketMachine(.server, random: SeededRandom(seed: 1), now: 0)
    var now: Int64 = 0
    for byte in frame(1, "a") + frame(0x89, []) + frame(0x80, "b") {
      [byte].withUnsafeBytes { machine.receive($0, now: now) }
      now += 10 * second
      if machine.poll(now: now) == nil { break }
    }
    #expect(now == 60 * second && heard(machine).close?.error?.text == "WebSocket: a message did not come in time")
    // Frames of which each ends with the beginning of the next are not one.
    let talkative = WebSocketMachine(.server, random: SeededRandom(seed: 1), now: 0)
    let ping = frame(0x89, "p")
    for time in 0..<100 {
      (time == 0 ? [] : ping.dropFirst(1) + ping.prefix(1)).withUnsafeBytes { talkative.receive($0, now: Int64(time) * 10 * second) }
      if time == 0 { ping.prefix(1).withUnsafeBytes { talkative.receive($0, now: 0) } }
      #expect(talkative.poll(now: Int64(time) * 10 * second) != nil)
    }
  }

  @Test func manyMessagesMayComeAtOnce() {
    var bytes: [UInt8] = []
    for number in 0..<8_000 { bytes += [0x82, UInt8(number % 3)] + [UInt8](repeating: UInt8(number & 255), count: number % 3) }
    let all = (0..<8_000).map { WebSocketMachine.Event.binary([UInt8](repeating: UInt8($0 & 255), count: $0 % 3)) }
    #expect(hear([bytes], .client).events == all)
  }

  @Test(arguments: 0..<50) func bothEndsAgree(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let client = WebSocketMachine(.client, random: SeededRandom(seed: seed), now: 0)
    let server = WebSocketMachine(.server, random: SeededRandom(seed: seed + 1), now: 0)
    var (sent, got): ([WebSocketMachine.Event], [WebSocketMachine.Event]) = ([], [])
    for _ in 0..<30 {
      let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random) {
        try client.send(binary: bytes)
        sent.append(.binary(bytes))
      } else {
        try client.send(text: text(bytes))
        sent.append(.text(text(bytes)))
      }
      inPieces(heard(client).output, &random) { server.receive($0, now: 0) }
      got += heard(server).events
    }
    #expect(sent == got)
    server.close(4_321, "über", now: 0)
    inPieces(heard(server).output, &random) { client.receive($0, now: 0) }
    let end = heard(client)
    #expect(end.close == WebSocketClose(code: 4_321, reason: "über", error: nil))
    inPieces(end.output, &random) { server.receive($0, now: 0) }
    #expect(heard(server).close == WebSocketClose(code: 4_321, reason: "", error: nil))
  }
}
