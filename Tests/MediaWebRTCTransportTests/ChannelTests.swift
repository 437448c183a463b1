import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaTransport
import Testing

@testable import MediaWebRTC
@testable import MediaWebRTCTransport

/// Data channels of sessions over WebRTC.
@Suite struct ChannelTests {
  private let house = WebRTCHouse(seed: 11)

  private func pair(_ urls: (String, String) = ("webrtc:?receive=none", "webrtc:?receive=none")) throws -> (WebRTCEnd, WebRTCEnd) {
    let a = try house.end(urls.0, at: "10.0.0.1", polite: false)
    let b = try house.end(urls.1, at: "10.0.0.2")
    a.joins(b)
    for (one, other) in [(a, b), (b, a)] { house.network.setConditions(.init(delay: 20 * millisecond), from: one.host, to: other.host) }
    return (a, b)
  }

  private func text(_ text: String) -> ChannelMessage { ChannelMessage(Array(text.utf8), isText: true) }

  @Test func aSessionOfMessagesAlone() throws {
    let (a, b) = try pair()
    var options = MessageChannelOptions(label: "chat")
    (options.protocol, options.isOrdered, options.retransmissions) = ("json", false, 3)
    let id = try a.transport.openChannel(options)
    try a.transport.send(text("hello"), on: id)
    #expect(try house.run(for: 5 * second) { a.isConnected && b.isConnected && !b.messages.isEmpty })
    let theirs = try #require(b.channels.first)
    #expect(theirs.options == options && theirs.isIncoming && b.messages[theirs.id] == [text("hello")])
    let answer = ChannelMessage([0, 255], isText: false)
    try b.transport.send(answer, on: theirs.id)
    #expect(try house.run(for: second) { a.messages[id] == [answer] && a.channels.first?.id == id })
    #expect(a.channels.first?.isIncoming == false && b.added.isEmpty && a.errors.isEmpty && b.errors.isEmpty)
    try a.transport.closeChannel(id)
    #expect(try house.run(for: second) { a.closed[id] == [nil] && b.closed[theirs.id] == [nil] })
    #expect(failure { try a.transport.send(text("late"), on: id) }?.status == .notFound)
    #expect(failure { _ = try b.transport.readMessage(of: theirs.id, upTo: 10) }?.status == .notFound)
    try house.close()
    #expect(failure { _ = try a.transport.openChannel(options) }?.status == .state)
  }

  @Test func messagesJoinMedia() throws {
    let (a, b) = try pair(("webrtc:", "webrtc:"))
    try a.publish(.video)
    #expect(try house.run(for: 5 * second) { a.isConnected && b.isConnected })
    try a.call(for: second)
    let id = try b.transport.openChannel(MessageChannelOptions(label: "late"))
    try b.transport.send(text("one"), on: id)
    try a.call(for: second)
    #expect(a.messages.values.first == [text("one")] && (50...61).contains(b.received(Int32(MSDK_CODEC_VP8))))
    try house.close()
  }

  /// Nothing is announced twice before it was read, and who does not read stops the sender, not the session.
  @Test func whoDoesNotReadStopsTheSender() throws {
    let (a, b) = try pair()
    b.reads = false
    let id = try a.transport.openChannel(MessageChannelOptions(label: "flood"))
    #expect(try house.run(for: 5 * second) { b.channels.count == 1 })
    let message = ChannelMessage([UInt8](repeating: 7, count: 20_000), isText: false)
    var sent = 0
    for _ in 0..<1500 {
      let error = failure { try a.transport.send(message, on: id) }
      #expect(error == nil || error?.status == .again)
      if error == nil { sent += 1 }
      try house.run(for: 10 * millisecond)
    }
    // A megabyte each that is sent, has come to the library, is an event, and is to be read.
    #expect((150..<300).contains(sent) && b.count("readable") == 1)
    #expect(try a.transport.bufferedAmount(of: id) > 900_000)
    try a.transport.setLowThreshold(50_000, of: id)
    // Another one waits, too, and can be read when there is room again.
    let other = try a.transport.openChannel(MessageChannelOptions(label: "other"))
    try a.transport.send(text("urgent"), on: other)
    try house.run(for: second)
    #expect(b.channels.count == 1)
    b.reads = true
    b.read(b.channels[0].id)
    #expect(try house.run(for: 30 * second) { b.messages[b.channels[0].id]?.count == sent && b.messages.count == 2 })
    #expect(b.channels.count == 2)
    #expect(a.has("low") && a.isConnected && b.isConnected)
    try house.close()
  }

  @Test func whatCameBeforeTheEndCanBeRead() throws {
    let (a, b) = try pair()
    b.reads = false
    let ids = try (0..<2).map { try a.transport.openChannel(MessageChannelOptions(label: "\($0)")) }
    for id in ids { try a.transport.send(text("last"), on: id) }
    #expect(try house.run(for: 5 * second) { b.count("readable") == 2 })
    for id in ids { try a.transport.closeChannel(id) }
    #expect(try house.run(for: 5 * second) { b.closed.count == 2 })
    let theirs = b.channels.map(\.id)
    #expect(try b.transport.readMessage(of: theirs[0], upTo: 3) == .tooLong(4))
    b.read(theirs[0])
    #expect(b.messages[theirs[0]] == [text("last")])
    // What is dropped takes no room any longer.
    try b.transport.closeChannel(theirs[1])
    for id in theirs { #expect(failure { _ = try b.transport.readMessage(of: id, upTo: 10) }?.status == .notFound) }
    #expect(b.transport.channels.withLock { $0.count == 0 && $0.bytes == 0 })
    try house.close()
  }

  /// The peer ends the connection as soon as its message is acknowledged, before whoever reads had their turn.
  @Test func whatCameBeforeTheConnectionEndedCanBeRead() throws {
    let (a, b) = try pair()
    b.reads = false
    let id = try a.transport.openChannel(MessageChannelOptions(label: "last"))
    try a.transport.send(text("goodbye"), on: id)
    #expect(try house.run(for: 5 * second) { (try? a.transport.bufferedAmount(of: id)) == 0 && b.count("readable") == 1 })
    a.transport.disconnect()
    #expect(try house.run(for: 5 * second) { b.count("disconnected") == 1 }, "\(b.events)")
    let theirs = try #require(b.channels.first).id
    #expect(try b.transport.readMessage(of: theirs, upTo: 100) == .message(text("goodbye")))
    #expect(failure { _ = try b.transport.readMessage(of: theirs, upTo: 100) }?.status == .state)
    b.transport.disconnect()
    try house.close()
  }

  @Test func bothProgramsMayKnowTheNumber() throws {
    let (a, b) = try pair()
    var options = MessageChannelOptions(label: "known")
    options.number = 5
    let (mine, theirs) = (try a.transport.openChannel(options), try b.transport.openChannel(options))
    try b.transport.send(text("x"), on: theirs)
    #expect(try house.run(for: 5 * second) { a.messages[mine] == [text("x")] })
    #expect(a.channels.map(\.options) == [options] && failure { _ = try a.transport.openChannel(options) }?.status == .exists)
    try house.close()
  }

  @Test func wrongOptionsAreRefused() throws {
    let (a, _) = try pair()
    var both = MessageChannelOptions(label: "both")
    (both.retransmissions, both.lifetime) = (1, 1)
    #expect(failure { _ = try a.transport.openChannel(both) }?.status == .invalid)
    let long = MessageChannelOptions(label: String(repeating: "x", count: 1025))
    #expect(failure { _ = try a.transport.openChannel(long) }?.status == .range)
    #expect(failure { try a.transport.send(text("x"), on: MessageChannelID(value: 1 << 60)) }?.status == .notFound)
    try house.close()
  }

  /// An address changes in the middle, and all arrives.
  @Test func messagesSurviveALostPath() throws {
    let (a, b) = try pair()
    let id = try a.transport.openChannel(MessageChannelOptions(label: "chat"))
    #expect(try house.run(for: 5 * second) { a.isConnected && b.channels.count == 1 })
    for number in 0..<200 {
      try a.transport.send(text("\(number)"), on: id)
      if number == 50 {
        for (one, other) in [(a, b), (b, a)] { house.network.setConditions(.init(isDisconnected: true), from: one.host, to: other.host) }
      }
      if number == 150 {
        for (one, other) in [(a, b), (b, a)] { house.network.setConditions(.init(delay: 20 * millisecond), from: one.host, to: other.host) }
      }
      try house.run(for: 200 * millisecond)
    }
    #expect(try house.run(for: 20 * second) { b.messages.values.first?.count == 200 })
    #expect(b.messages.values.first == (0..<200).map { text("\($0)") } && b.has("reconnecting") && a.closed.isEmpty)
    try house.close()
  }
}
