import MediaCore
import Testing

@testable import MediaSCTP

@Suite struct ClosingTests {
  @Test(arguments: 0..<8 as Range<UInt64>) func oneEndClosesAndBothHaveClosed(seed: UInt64) throws {
    let talk = try DataTalk(seed: seed)
    (talk.lost, talk.jitter) = (seed < 4 ? 0 : 20, seed % 2 == 0 ? 0 : 30_000_000)
    let (id, theirs) = try talk.channel()
    if seed % 2 == 0 { talk.client.close(id, now: talk.now) } else { talk.server.close(theirs, now: talk.now) }
    talk.run(for: 120 * DataTalk.second) { talk.closed(0) == [id] && talk.closed(1) == [theirs] }
    #expect(talk.closed(0) == [id] && talk.closed(1) == [theirs])
    #expect(talk.events[0].contains(.closed(id, nil)) && talk.events[1].contains(.closed(theirs, nil)))
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func bothCloseAtTheSameTime(seed: UInt64) throws {
    let talk = try DataTalk(seed: seed)
    talk.lost = seed < 2 ? 0 : 20
    let (id, theirs) = try talk.channel()
    talk.client.close(id, now: talk.now)
    talk.server.close(theirs, now: talk.now)
    talk.run(for: 120 * DataTalk.second)
    #expect(talk.closed(0) == [id] && talk.closed(1) == [theirs])
  }

  @Test func whatWasSentBeforeArrives() throws {
    let talk = try DataTalk()
    let (id, theirs) = try talk.channel()
    let messages = (0..<4).map { DataTalk.message($0, size: 200_000) }
    for message in messages { try talk.client.send(message, isText: false, on: id, now: talk.now) }
    talk.client.close(id, now: talk.now)
    let error = #expect(throws: MediaError.self) { try talk.client.send([1], isText: false, on: id, now: talk.now) }
    #expect(error?.status == .state)
    talk.run(for: 60 * DataTalk.second)
    #expect(talk.messages(1) == messages)
    #expect(talk.events[1].last == .closed(theirs, nil))
    let late = #expect(throws: MediaError.self) { try talk.client.send([1], isText: false, on: id, now: talk.now) }
    #expect(late?.status == .notFound)
  }

  @Test func theStreamIsUsedAgain() throws {
    let talk = try DataTalk()
    for number in 0..<5 {
      let (id, theirs) = try talk.channel("\(number)")
      #expect(talk.opened(1).last?.stream == 0)
      #expect(talk.opened(1).last?.label == Array("\(number)".utf8))
      try talk.client.send([UInt8(number)], isText: false, on: id, now: talk.now)
      talk.run(for: DataTalk.second)
      #expect(talk.messages(1, of: theirs) == [[UInt8(number)]])
      talk.client.close(id, now: talk.now)
      talk.run(for: 5 * DataTalk.second)
      #expect(talk.closed(0).last == id && talk.closed(1).last == theirs)
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>) func theStreamIsUsedAgainAtOnceOverLoss(seed: UInt64) throws {
    let talk = try DataTalk(seed: seed)
    (talk.lost, talk.jitter) = (20, 20_000_000)
    for number in 0..<10 {
      let (id, theirs) = try talk.channel("\(number)")
      try talk.server.send([UInt8(number)], isText: false, on: theirs, now: talk.now)
      try talk.client.send([UInt8(number)], isText: false, on: id, now: talk.now)
      talk.run(for: 120 * DataTalk.second) { talk.messages(1, of: theirs) == [[UInt8(number)]] && !talk.messages(0, of: id).isEmpty }
      #expect(talk.messages(1, of: theirs) == [[UInt8(number)]])
      #expect(talk.messages(0, of: id) == [[UInt8(number)]])
      talk.client.close(id, now: talk.now)
      talk.run(for: 120 * DataTalk.second) { talk.closed(0).last == id }
      #expect(talk.closed(0).last == id)
    }
    talk.run(for: 60 * DataTalk.second)
    #expect(talk.closed(1).count == 10)
  }

  @Test func aChannelIsClosedBeforeTheAssociationIsUp() throws {
    let talk = try DataTalk()
    let id = try talk.client.open(label: "a", now: talk.now)
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    talk.client.close(id, now: talk.now)
    talk.run(for: 5 * DataTalk.second)
    #expect(talk.closed(0) == [id])
    #expect(talk.opened(1).isEmpty && talk.areUp)
    _ = try talk.channel()
    #expect(talk.opened(1).last?.stream == 0)
  }

  @Test func manyAreClosedAtOnce() throws {
    let talk = try DataTalk()
    let ids = try (0..<100).map { try talk.client.open(label: "\($0)", now: talk.now) }
    talk.run(for: 5 * DataTalk.second)
    #expect(talk.opened(1).count == 100)
    for id in ids { talk.client.close(id, now: talk.now) }
    talk.run(for: 60 * DataTalk.second)
    #expect(Set(talk.closed(0)) == Set(ids) && talk.closed(1).count == 100)
    _ = try talk.channel()
  }

  @Test func nothingIsReceivedOnAChannelThatIsBeingClosed() throws {
    let talk = try DataTalk()
    let (id, theirs) = try talk.channel()
    talk.client.close(id, now: talk.now)
    try talk.server.send([1], isText: false, on: theirs, now: talk.now)
    talk.run(for: 5 * DataTalk.second)
    #expect(talk.messages(0).isEmpty)
    #expect(talk.closed(0) == [id] && talk.closed(1) == [theirs])
  }
}
