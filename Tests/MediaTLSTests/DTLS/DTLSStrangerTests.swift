import MediaCore
import Testing

@testable import MediaTLS

/// Floods, and what somebody sends who has not the keys, or who has them and makes use of that.
@Suite struct DTLSStrangerTests {
  private func noise(_ random: inout SeededRandom) -> [UInt8] {
    let body = (0..<Int.random(in: 0...400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    guard Int.random(in: 0..<8, using: &random) > 0 else { return body }
    let kind = UInt8.random(in: 19...25, using: &random)
    let epochs: [UInt16] = [0, 1, 1, 2, 65_535]
    let epoch = epochs[Int.random(in: 0..<5, using: &random)]
    return DTLSTalk.record(kind, epoch: epoch, number: UInt64.random(in: 0..<1 << 48, using: &random), body)
  }

  @Test func anOpenConnectionHearsNoStranger() throws {
    let talk = try DTLSTalk()
    talk.run()
    let sent = talk.sent
    var random = SeededRandom(seed: 3)
    for end in 0..<2 {
      // All that was ever sent, both ways; alerts; a new beginning.
      for datagram in sent[0] + sent[1] { talk.give(datagram.bytes, to: end) }
      for alert in [[2, 40], [1, 0], [2, 0], [1, 90], [2], [1, 100]] as [[UInt8]] {
        for epoch in 0...2 as ClosedRange<UInt16> {
          for number in [0, 1, 5, 1 << 40] as [UInt64] { talk.give(DTLSTalk.record(21, epoch: epoch, number: number, alert), to: end) }
        }
      }
      for _ in 0..<3000 { talk.give(noise(&random), to: end) }
      talk.give(try DTLSTalk().client.takeDatagram() ?? [], to: end)
    }
    talk.run()
    #expect(talk.isOpen && talk.heard == [[], []])
    #expect(talk.sent.map(\.count) == sent.map(\.count))
    try talk.say([1], by: 0)
    try talk.say([2], by: 1)
    talk.run()
    #expect(talk.heard == [[[2]], [[1]]])
  }

  @Test func noiseNeverOpensAndIsNotAnswered() throws {
    var random = SeededRandom(seed: 4)
    for end in 0..<2 {
      let talk = try DTLSTalk()
      if end == 0 { _ = talk.client.takeDatagram() }
      for _ in 0..<5000 { talk.give(noise(&random), to: end) }
      #expect(talk.ends[end].state == .handshaking && talk.heard == [[], []])
      #expect(talk.ends[end].takeDatagram() == nil)
    }
  }

  /// Nothing is protected before the handshake is over: an alert then is no more than a hint.
  @Test func aForgedAlertDoesNotEndAHandshake() throws {
    for alert in [[2, 40], [1, 0], [2, 80]] as [[UInt8]] {
      for moment in [0, 30, 60, 90] as [Int64] {
        let talk = try DTLSTalk()
        talk.run(for: moment * 1_000_000)
        for _ in 0..<50 {
          talk.give(DTLSTalk.record(21, alert), to: 0)
          talk.give(DTLSTalk.record(21, alert), to: 1)
        }
        talk.run()
        #expect(talk.isOpen, "\(alert) at \(moment): \(talk.ends.map(\.state))")
      }
    }
  }

  /// However long it takes.
  @Test func anAlertIsForgottenWhenItGoesOn() throws {
    let talk = try DTLSTalk()
    talk.delay = 300_000_000
    talk.give(DTLSTalk.record(21, [2, 40]), to: DTLSTalk.client)
    talk.run()
    #expect(talk.isOpen && talk.opened[DTLSTalk.client] == 2_200_000_000)
  }

  @Test func anAlertAndSilenceEndIt() throws {
    let talk = try DTLSTalk()
    talk.change = { _, _ in [] }
    talk.run(for: 500_000_000)
    talk.give(DTLSTalk.record(21, [1, 90]), to: 0)
    talk.give(DTLSTalk.record(21, [2, 40, 1]), to: 0)
    talk.run(for: 2_000_000_000)
    #expect(talk.client.state == .handshaking)
    talk.give(DTLSTalk.record(21, [2, 40]), to: 0)
    #expect(talk.client.state == .handshaking)
    talk.run(for: 1_000_000_000)
    #expect(talk.error(of: 0)?.text == "DTLS: the other end ended the handshake: handshake failure")
  }

  @Test func aFloodOfClientHellosChangesNothing() throws {
    let talk = try DTLSTalk()
    let hello = try #require(talk.client.takeDatagram())
    talk.give(hello, to: 1)
    for number in 1..<20_000 as Range<UInt64> {
      var again = hello
      // A number of its own, so that it is no replay.
      for place in 0..<6 { again[5 + place] = UInt8(truncatingIfNeeded: number >> (40 - 8 * UInt64(place))) }
      talk.give(again, to: 1)
    }
    // One answer of one flight.
    let answer = try #require(talk.server.takeDatagram())
    #expect(talk.server.takeDatagram() == nil)
    talk.give(answer, to: 0)
    talk.run()
    #expect(talk.isOpen)
  }

  /// Messages in pieces of which the last never come: of all numbers, types and lengths.
  @Test func fragmentsThatNeverCompleteAreBounded() throws {
    var random = SeededRandom(seed: 8)
    for end in 0..<2 {
      let talk = try DTLSTalk()
      if end == 1 { talk.give(try #require(talk.client.takeDatagram()), to: 1) }
      for number in 0..<5000 as Range<UInt64> {
        // Those of the message that comes next are left to the honest end: who sends them first has it (docs/design/dtls.md).
        let message = Int.random(in: 2...65_535, using: &random) % (number % 2 == 0 ? 16 : 65_536)
        let length = Int.random(in: 2...16_777_215, using: &random) % (number % 3 == 0 ? 16_777_216 : 8193)
        let offset = Int.random(in: 0...8000, using: &random)
        let type: UInt8 = [11, 2, 16, 20][Int.random(in: 0..<4, using: &random)]
        let piece = DTLSTalk.fragment(type, length: length, message: max(9, message), offset: offset, [1])
        talk.give(DTLSTalk.record(22, number: 100_000 + number, piece), to: end)
      }
      #expect(talk.ends[end].state == .handshaking)
      talk.run()
      #expect(talk.isOpen, "\(end): \(talk.ends.map(\.state))")
    }
  }

  @Test func soManyRecordsOfAHandshakeAreLookedAt() throws {
    let talk = try DTLSTalk()
    let hello = try #require(talk.client.takeDatagram())
    let piece = DTLSTalk.fragment(11, length: 100, message: 9, offset: 0, [1])
    for number in 0..<255 as Range<UInt64> { talk.give(DTLSTalk.record(22, number: number, piece), to: DTLSTalk.server) }
    let early = try DTLSTalk()
    early.give(hello, to: DTLSTalk.server)
    #expect(early.server.takeDatagram() != nil)
    // One is left, and taken by another stranger.
    talk.give(DTLSTalk.record(22, number: 255, piece), to: DTLSTalk.server)
    talk.give(hello, to: DTLSTalk.server)
    #expect(talk.server.takeDatagram() == nil)
    // The client sends it again after 100 ms, in which 12 have come back.
    talk.run()
    #expect(talk.isOpen && talk.opened[DTLSTalk.client] == 1_200_000_000)
  }

  @Test func whatContradictsItselfIsDropped() throws {
    let talk = try DTLSTalk()
    for bad in [
      DTLSTalk.fragment(2, length: 10, message: 0, offset: 8, [1, 2, 3]), DTLSTalk.fragment(2, length: 8193, message: 0, offset: 0, [1]),
      [2, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 10, 1], [2, 0, 0], DTLSTalk.fragment(2, length: 1, message: 0, offset: 0, [1]) + [1]
    ] as [[UInt8]] {
      for end in 0..<2 { talk.give(DTLSTalk.record(22, bad), to: end) }
    }
    for end in 0..<2 {
      talk.give(DTLSTalk.record(20, [2]), to: end)
      talk.give(DTLSTalk.record(20, [1, 1]), to: end)
      talk.give(DTLSTalk.record(20, [1]), to: end)
      talk.give(DTLSTalk.record(23, [1, 2, 3]), to: end)
    }
    talk.run()
    #expect(talk.isOpen)
  }

  /// Of a server: each costs an answer.
  @Test func requestsForOtherKeysAreRefusedAndCounted() throws {
    let talk = try DTLSTalk()
    talk.run()
    // Its own machine is not to hear the answers.
    talk.change = { from, datagram in from == 0 && datagram[0] == 21 ? [] : [datagram] }
    for round in 1...16 {
      talk.server.renegotiate()
      talk.run(for: 60_000_000)
      #expect(talk.client.state == .open, "\(round): \(talk.client.state)")
      #expect(talk.sent[0].filter { $0.bytes[0] == 21 }.count == round)
    }
    try talk.say([1], by: 0)
    talk.run(for: 60_000_000)
    #expect(talk.heard[1] == [[1]])
    for _ in 0..<3 {
      talk.server.renegotiate()
      talk.run(for: 60_000_000)
    }
    #expect(talk.error(of: 0)?.status == .limit)
  }

  /// Of a client: it gets an alert, and its connection ends by its own doing.
  @Test func aClientGetsNoOtherKeys() throws {
    let talk = try DTLSTalk()
    talk.run()
    talk.client.renegotiate()
    talk.run(for: 60_000_000)
    #expect(talk.sent[1].last?.bytes[0] == 21)
    #expect(talk.server.state == .open)
    // This alert is protected, so it counts at once.
    talk.run(for: 60_000_000)
    #expect(talk.error(of: 1)?.status == .io && talk.error(of: 1)?.text.contains("alert handshake failure") == true)
  }
}
