import MediaCore
import Testing

@testable import MediaSCTP

@Suite struct SendingTests {
  @Test func negotiatedChannelsNeedNoMessages() throws {
    let talk = try DataTalk()
    let id = try talk.client.open(label: "a", negotiated: 40, now: talk.now)
    talk.run(for: DataTalk.second)
    let theirs = try talk.server.open(label: "b", negotiated: 40, now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.opened(0).map(\.id) == [id] && talk.opened(1).map(\.id) == [theirs])
    #expect(talk.opened(0)[0].isNegotiated)
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    try talk.server.send([2], isText: false, on: theirs, now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.messages(1, of: theirs) == [[1]] && talk.messages(0, of: id) == [[2]])
    talk.server.close(theirs, now: talk.now)
    talk.run(for: 5 * DataTalk.second)
    #expect(talk.closed(0) == [id] && talk.closed(1) == [theirs])
  }

  @Test func aStreamHasOneChannel() throws {
    let talk = try DataTalk()
    _ = try talk.client.open(label: "a", negotiated: 0, now: talk.now)
    let error = #expect(throws: MediaError.self) { try talk.client.open(label: "b", negotiated: 0, now: talk.now) }
    #expect(error?.status == .exists)
    _ = try talk.server.open(label: "a", negotiated: 0, now: talk.now)
    let id = try talk.client.open(label: "c", now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.opened(0).first { $0.id == id }?.stream == 2)
  }

  @Test func streamsThatAreNotThereAreRefused() throws {
    var few = DataChannelSettings()
    few.streams = 10
    let talk = try DataTalk(server: few)
    // The other end's number is not known yet.
    let late = try talk.client.open(label: "a", negotiated: 10, now: talk.now)
    let error = #expect(throws: MediaError.self) { try talk.server.open(label: "a", negotiated: 10, now: talk.now) }
    #expect(error?.status == .range)
    talk.run(for: DataTalk.second)
    #expect(talk.events[0].first == .up(streams: 10))
    #expect(talk.events[0].contains { if case .closed(late, let error) = $0 { error?.status == .limit } else { false } })
    for _ in 0..<5 { _ = try talk.client.open(label: "a", now: talk.now) }
    let full = #expect(throws: MediaError.self) { try talk.client.open(label: "a", now: talk.now) }
    #expect(full?.status == .full)
    talk.run(for: DataTalk.second)
    #expect(talk.opened(1).map(\.stream) == [0, 2, 4, 6, 8])
  }

  @Test func lengthsAreChecked() throws {
    var small = DataChannelSettings()
    small.mostBytes = 2000
    let talk = try DataTalk(server: small)
    let (id, _) = try talk.channel()
    #expect(talk.client.mostSentBytes == 2000 && talk.server.mostSentBytes == 262_144)
    let error = #expect(throws: MediaError.self) {
      try talk.client.send([UInt8](repeating: 0, count: 2001), isText: false, on: id, now: talk.now)
    }
    #expect(error?.status == .range)
    try talk.client.send([UInt8](repeating: 0, count: 2000), isText: false, on: id, now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.messages(1).map(\.count) == [2000])
    for label in ["", String(repeating: "a", count: 1024)] { _ = try talk.client.open(label: label, now: talk.now) }
    for (label, other) in [(String(repeating: "a", count: 1025), ""), ("", String(repeating: "a", count: 1025))] {
      let error = #expect(throws: MediaError.self) { try talk.client.open(label: label, protocol: other, now: talk.now) }
      #expect(error?.status == .range)
    }
  }

  @Test func theLongestMessagesArrive() throws {
    var large = DataChannelSettings()
    (large.mostBytes, large.mostBufferedBytes) = (16_777_216, 67_108_864)
    let talk = try DataTalk(client: large, server: large, serverMost: 0)
    talk.delay = 1_000_000
    #expect(talk.client.mostSentBytes == 67_108_864 && talk.server.mostSentBytes == 16_777_216)
    let (_, theirs) = try talk.channel()
    let message = DataTalk.message(1, size: 16_777_216)
    try talk.server.send(message, isText: false, on: theirs, now: talk.now)
    talk.run(for: 600 * DataTalk.second) { !talk.messages(0).isEmpty }
    #expect(talk.messages(0).first == message)
  }

  @Test func whatIsBufferedIsCountedAndReported() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    talk.client.setLowThreshold(100_000, of: id)
    // So that not all is acknowledged at the same moment.
    talk.jitter = 40_000_000
    #expect(talk.client.bufferedAmount(of: id) == 0)
    for _ in 0..<8 { try talk.client.send([UInt8](repeating: 0, count: 100_000), isText: false, on: id, now: talk.now) }
    #expect(talk.client.bufferedAmount(of: id) == 800_000)
    var highest = 0
    talk.run(for: 60 * DataTalk.second) {
      let isLow = talk.events[0].contains(.bufferedAmountLow(id))
      if !isLow { highest = talk.client.bufferedAmount(of: id) ?? 0 }
      return isLow
    }
    #expect(highest > 100_000)
    #expect(talk.client.bufferedAmount(of: id) == 100_000)
    talk.run(for: 10 * DataTalk.second)
    #expect(talk.client.bufferedAmount(of: id) == 0)
    #expect(talk.events[0].filter { $0 == .bufferedAmountLow(id) }.count == 1)
    #expect(talk.messages(1).count == 8)
    #expect(talk.client.bufferedAmount(of: DataChannelID(number: 99)) == nil)
  }

  @Test func moreThanMayBeBufferedIsRefused() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    var count = 0
    let error = #expect(throws: MediaError.self) {
      while true {
        try talk.client.send([UInt8](repeating: 0, count: 10_000), isText: false, on: id, now: talk.now)
        count += 1
      }
    }
    #expect(error?.status == .full && count == 104)
    talk.run(for: 30 * DataTalk.second)
    #expect(talk.messages(1).count == 104)
    // Small ones are counted.
    count = 0
    #expect(throws: MediaError.self) {
      while true {
        try talk.client.send([], isText: false, on: id, now: talk.now)
        count += 1
      }
    }
    #expect(count == 8192 + 1024)
    talk.run(for: 60 * DataTalk.second)
    #expect(talk.messages(1).count == 104 + count)
  }

  @Test func aBusyChannelDoesNotHoldBackAnother() throws {
    let talk = try DataTalk()
    let (bulk, _) = try talk.channel("bulk")
    let (id, theirs) = try talk.channel("chat")
    for _ in 0..<50 { try talk.client.send([UInt8](repeating: 0, count: 20_000), isText: false, on: bulk, now: talk.now) }
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    talk.run(for: 60 * DataTalk.second) { !talk.messages(1, of: theirs).isEmpty }
    // Of 50, those that the library had already.
    #expect(talk.messages(1).count < 25)
  }

  @Test func manyChannelsOfBothEnds() throws {
    var settings = DataChannelSettings()
    settings.mostChannels = 1024
    let talk = try DataTalk(client: settings, server: settings)
    let ids = try (0..<2).map { end in try (0..<512).map { try talk.end(end).open(label: "\($0)", now: talk.now) } }
    talk.run(for: 30 * DataTalk.second)
    #expect(talk.opened(0).count == 1024 && talk.opened(1).count == 1024)
    #expect(throws: MediaError.self) { try talk.client.open(label: "a", now: talk.now) }
    for (end, ids) in ids.enumerated() {
      for (number, id) in ids.enumerated() {
        try talk.end(end).send([UInt8(number & 255), UInt8(number >> 8)], isText: false, on: id, now: talk.now)
      }
    }
    talk.run(for: 30 * DataTalk.second)
    for end in 0..<2 {
      #expect(Set(talk.messages(end)) == Set((0..<512).map { [UInt8($0 & 255), UInt8($0 >> 8)] }))
      #expect(talk.messages(end).count == 512)
    }
  }
}
