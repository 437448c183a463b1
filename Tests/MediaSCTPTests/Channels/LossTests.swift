import MediaCore
import Testing

@testable import MediaSCTP

/// Over networks that lose, reorder and double packets.
@Suite struct LossTests {
  private func talk(_ seed: UInt64) throws -> DataTalk {
    let talk = try DataTalk(seed: seed)
    talk.lost = [0, 5, 15, 25][Int(seed % 4)]
    talk.doubled = [0, 10, 30][Int(seed % 3)]
    talk.jitter = [0, 10_000_000, 60_000_000][Int(seed / 4 % 3)]
    return talk
  }

  private static let sizes = [1, 10, 1000, 1135, 1136, 5000, 40_000]

  @Test(arguments: 0..<24 as Range<UInt64>) func whatIsReliableArrivesInOrder(seed: UInt64) throws {
    let talk = try talk(seed)
    let (id, theirs) = try talk.channel()
    let messages = (0..<40).map { DataTalk.message($0, size: LossTests.sizes[$0 % 7]) }
    for message in messages {
      try talk.client.send(message, isText: false, on: id, now: talk.now)
      try talk.server.send(message, isText: true, on: theirs, now: talk.now)
    }
    talk.run(for: 600 * DataTalk.second) { talk.messages(0).count == 40 && talk.messages(1).count == 40 }
    #expect(talk.messages(1, of: theirs) == messages)
    #expect(talk.messages(0, of: id) == messages)
    talk.run(for: 60 * DataTalk.second)
    #expect(talk.client.bufferedAmount(of: id) == 0)
  }

  @Test(arguments: 0..<12 as Range<UInt64>) func whatIsUnorderedArrivesOnce(seed: UInt64) throws {
    let talk = try talk(seed)
    let (id, _) = try talk.channel(isOrdered: false)
    let messages = (0..<60).map { DataTalk.message($0, size: LossTests.sizes[$0 % 7]) }
    for message in messages { try talk.client.send(message, isText: false, on: id, now: talk.now) }
    talk.run(for: 600 * DataTalk.second) { talk.messages(1).count >= 60 }
    talk.run(for: 30 * DataTalk.second)
    #expect(Set(talk.messages(1)) == Set(messages))
    #expect(talk.messages(1).count == 60)
  }

  @Test func whatIsUnorderedIsNotHeldBack() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel(isOrdered: false)
    var isFirst = true
    // The first packet with data gets lost.
    talk.change = { from, packet in
      if from == 0, packet[12] == 0, isFirst {
        isFirst = false
        return []
      }
      return [packet]
    }
    for number in 0..<10 {
      try talk.client.send([UInt8(number)], isText: false, on: id, now: talk.now)
      talk.run(for: 1_000_000)
    }
    talk.run(for: 30 * DataTalk.second)
    #expect(talk.messages(1) == (1..<10).map { [UInt8($0)] } + [[0]])
  }

  /// What opens a channel may get lost, and nothing that follows may come before it (RFC 8832, section 6).
  @Test func nothingOvertakesTheMessageThatOpens() throws {
    let talk = try DataTalk()
    _ = try talk.channel("first")
    var isFirst = true
    talk.change = { from, packet in
      if from == 0, packet[12] == 0, isFirst {
        isFirst = false
        return []
      }
      return [packet]
    }
    let id = try talk.client.open(label: "second", isOrdered: false, now: talk.now)
    for number in 0..<10 {
      try talk.client.send([UInt8(number)], isText: false, on: id, now: talk.now)
      talk.run(for: 1_000_000)
    }
    talk.run(for: 30 * DataTalk.second)
    #expect(talk.messages(1) == (0..<10).map { [UInt8($0)] })
  }

  @Test(arguments: [DataChannelReliability.retransmissions(0), .lifetime(milliseconds: 100)], [true, false])
  func whatIsUnreliableGetsLostAndTheRestArrives(reliability: DataChannelReliability, isOrdered: Bool) throws {
    let talk = try DataTalk(seed: 3)
    let (id, _) = try talk.channel(isOrdered: isOrdered, reliability: reliability)
    talk.lost = 30
    let messages = (0..<200).map { DataTalk.message($0, size: 500) }
    for message in messages {
      try talk.client.send(message, isText: false, on: id, now: talk.now)
      talk.run(for: 20_000_000)
    }
    talk.lost = 0
    talk.run(for: 30 * DataTalk.second)
    let arrived = talk.messages(1)
    #expect((50..<200).contains(arrived.count))
    #expect(Set(arrived).isSubset(of: Set(messages)) && Set(arrived).count == arrived.count)
    if isOrdered { #expect(arrived == messages.filter(Set(arrived).contains)) }
    #expect(talk.client.bufferedAmount(of: id) == 0)
    // What is sent when nothing gets lost any more arrives.
    try talk.client.send([7], isText: false, on: id, now: talk.now)
    talk.run(for: 5 * DataTalk.second)
    #expect(talk.messages(1).last == [7])
  }

  @Test func whatWaitedTooLongIsNotSent() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel(reliability: .lifetime(milliseconds: 500))
    let bulk = try talk.channel("bulk").client
    // Nothing gets through for two seconds, and the library is full.
    talk.change = { _, _ in [] }
    for _ in 0..<2 { try talk.client.send([UInt8](repeating: 1, count: 260_000), isText: false, on: bulk, now: talk.now) }
    for _ in 0..<10 { try talk.client.send([2], isText: false, on: id, now: talk.now) }
    talk.run(for: 2 * DataTalk.second)
    talk.change = { [$1] }
    talk.run(for: 60 * DataTalk.second)
    #expect(talk.messages(1).filter { $0 == [2] }.isEmpty)
    #expect(talk.messages(1).map(\.count) == [260_000, 260_000])
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func longMessagesArrive(seed: UInt64) throws {
    let talk = try DataTalk(seed: seed)
    talk.lost = seed < 4 ? 0 : 3
    talk.jitter = 5_000_000
    let (id, _) = try talk.channel()
    let message = DataTalk.message(1, size: 262_144)
    try talk.client.send(message, isText: false, on: id, now: talk.now)
    talk.run(for: 300 * DataTalk.second) { !talk.messages(1).isEmpty }
    #expect(talk.messages(1) == [message])
  }
}
