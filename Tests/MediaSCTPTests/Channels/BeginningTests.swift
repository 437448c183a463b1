import MediaCore
import Testing

@testable import MediaSCTP

/// Channels before there is an association, and between two.
@Suite struct BeginningTests {
  private func begin(_ ends: [DataChannels], most: UInt64 = 0, now: Int64 = 0) throws {
    for (end, role) in zip(ends, [DataChannels.Role.client, .server]) {
      try end.begin(role: role, peerMostBytes: most, random: SeededRandom(seed: UInt64(now) + (role == .client ? 1 : 2)), now: now)
    }
  }

  private func carry(_ ends: [DataChannels], now: Int64) {
    var isMore = true
    while isMore {
      isMore = false
      for from in 0..<2 {
        while let packet = ends[from].takePacket() {
          isMore = true
          packet.withUnsafeBytes { ends[1 - from].receive($0, now: now) }
        }
      }
    }
  }

  private func events(_ end: DataChannels) -> [DataChannelEvent] {
    var events: [DataChannelEvent] = []
    while let event = end.takeEvent() { events.append(event) }
    return events
  }

  private func ends(_ change: (inout DataChannelSettings) -> Void = { _ in }) throws -> [DataChannels] {
    var settings = DataChannelSettings()
    change(&settings)
    return try (0..<2).map { _ in try DataChannels(settings: settings, now: 0) }
  }

  @Test func whatIsOpenedAndSentBeforeWaits() throws {
    let ends = try ends()
    // The lowest stream of this end that is free, whichever end it will be.
    let known = try ends[1].open(label: "known", negotiated: 1, now: 0)
    let ids = try ends.map { try $0.open(label: "early", now: 0) }
    try ends[0].send([1], isText: false, on: ids[0], now: 0)
    try ends[1].send([2], isText: true, on: ids[1], now: 0)
    #expect(ends.allSatisfy { $0.nextDeadline == .max && $0.takePacket() == nil && $0.takeEvent() == nil && !$0.hasBegun })
    #expect(ends[0].bufferedAmount(of: ids[0]) == 1)
    try begin(ends)
    #expect(ends.allSatisfy { $0.hasBegun && $0.nextDeadline < .max })
    carry(ends, now: 1)
    let (client, server) = (events(ends[0]), events(ends[1]))
    func opened(_ events: [DataChannelEvent]) -> [UInt16] {
      events.compactMap { if case .opened(let info) = $0 { info.stream } else { nil } }.sorted()
    }
    #expect(opened(client) == [0, 3] && opened(server) == [0, 1, 3] && known < ids[1])
    #expect(client.contains { if case .message(_, [2], true) = $0 { true } else { false } })
    #expect(server.contains { if case .message(_, [1], false) = $0 { true } else { false } })
  }

  @Test func whatDoesNotFitIsClosedWhenItBegins() throws {
    let ends = try ends { $0.streams = 4 }
    let ids = try (0..<4).map { try ends[0].open(label: "\($0)", now: 0) }
    try ends[0].send([UInt8](repeating: 1, count: 2000), isText: false, on: ids[0], now: 0)
    try begin(ends, most: 1999)
    var closed: [DataChannelID: Status?] = [:]
    for case .closed(let id, let error) in events(ends[0]) { closed[id] = error?.status }
    #expect(closed == [ids[0]: .range, ids[3]: .full] && ends[0].mostSentBytes == 1999)
    carry(ends, now: 1)
    #expect(events(ends[0]).contains { if case .opened(let info) = $0 { info.id == ids[2] && info.stream == 2 } else { false } })
  }

  @Test func anotherOneBeginsAfterTheEnd() throws {
    let ends = try ends()
    let first = try ends[0].open(label: "first", now: 0)
    try begin(ends)
    carry(ends, now: 1)
    _ = ends.map { events($0) }
    let again = #expect(throws: MediaError.self) {
      try ends[0].begin(role: .client, peerMostBytes: 0, random: SeededRandom(seed: 1), now: 2)
    }
    #expect(again?.status == .state)
    for end in ends { end.end(MediaError(.closed, "refused"), now: 3) }
    let error = MediaError(.closed, "refused")
    #expect(events(ends[0]) == [.closed(first, error), .lost(error)] && events(ends[1]).last == .lost(error))
    #expect(ends.allSatisfy { !$0.hasBegun && $0.nextDeadline == .max })
    // The ABORT of both, which the next association does not take.
    let late = try #require(ends[0].takePacket())
    _ = ends[1].takePacket()
    let second = try ends[0].open(label: "second", now: 4)
    #expect(second > first)
    try begin(ends, now: 5)
    late.withUnsafeBytes { ends[1].receive($0, now: 5) }
    carry(ends, now: 6)
    #expect(events(ends[0]).contains { if case .opened(let info) = $0 { info.id == second && info.stream == 0 } else { false } })
    #expect(!events(ends[1]).contains { if case .lost = $0 { true } else { false } })
  }

  @Test func theEndOfWhatHasNotBegunIsSaid() throws {
    let end = try ends()[0]
    end.end(MediaError(.unsupported, "none"), now: 0)
    #expect(events(end).isEmpty)
    let id = try end.open(label: "a", now: 0)
    let error = MediaError(.unsupported, "none")
    end.end(error, now: 0)
    #expect(events(end) == [.closed(id, error), .lost(error)])
    end.close(now: 0)
    #expect(throws: MediaError.self) { try end.open(label: "b", now: 0) }
  }

  @Test func portsOfBothEndsAreTheirOwn() throws {
    let ends = try [6000 as UInt16, 7000].map { port in
      var settings = DataChannelSettings()
      settings.ownPort = port
      return try DataChannels(settings: settings, now: 0)
    }
    let none = #expect(throws: MediaError.self) {
      try ends[0].begin(role: .client, peerPort: 0, peerMostBytes: 0, random: SeededRandom(seed: 1), now: 0)
    }
    #expect(none?.status == .range && !ends[0].hasBegun)
    try ends[0].begin(role: .client, peerPort: 7000, peerMostBytes: 0, random: SeededRandom(seed: 1), now: 0)
    try ends[1].begin(role: .server, peerPort: 6000, peerMostBytes: 0, random: SeededRandom(seed: 2), now: 0)
    _ = try ends[1].open(label: "a", now: 0)
    carry(ends, now: 1)
    #expect(events(ends[0]).contains { if case .opened(let info) = $0 { info.stream == 1 } else { false } })
  }
}
