import MediaCore
import Testing

@testable import MediaSDK

@Suite final class IncomingDataStreamsTests {
  private var streams = IncomingDataStreams()
  private var lastNumber: UInt64 = 0

  init() throws { try streams.accept(nil) }

  private func take(_ part: DataStreamPart, _ bytes: [UInt8] = [], from userID: String = "anna") -> Bool {
    var next = lastNumber
    defer { lastNumber = next }
    return streams.take(part, bytes, from: userID) {
      next += 1
      return next
    }
  }

  private func begin(_ id: String, isText: Bool = true, size: UInt64? = nil, topic: String = "", from userID: String = "anna") {
    var info = DataStreamInfo(isText: isText)
    (info.topic, info.size) = (topic, size)
    _ = take(.begin(id: id, info), from: userID)
  }

  /// What can be read: `+1` began, `1:text`, `-1` ended, `!1 why`.
  private func read() -> [String] {
    var found: [String] = []
    while let (message, _) = streams.read(upTo: .max) {
      switch message.content {
      case .began: found.append("+\(message.stream)")
      case .chunk(let bytes): found.append("\(message.stream):\(String(decoding: bytes, as: UTF8.self))")
      case .ended: found.append("-\(message.stream)")
      case .aborted(let reason): found.append("!\(message.stream) \(reason)")
      }
    }
    return found
  }

  @Test func streamsAreReadInTheOrderInWhichTheirPartsCame() {
    begin("x", topic: "chat")
    begin("x", isText: false, from: "bert")
    _ = take(.chunk(id: "x", index: 0), Array("one".utf8))
    _ = take(.chunk(id: "x", index: 0), [65], from: "bert")
    _ = take(.end(id: "x", reason: "", attributes: [:]))
    _ = take(.chunk(id: "x", index: 1), [66], from: "bert")
    let found = read()
    #expect(found == ["+1", "+2", "1:one", "2:A", "-1", "2:B"])
    _ = take(.end(id: "x", reason: "stopped", attributes: [:]), from: "bert")
    let end = read()
    #expect(end == ["!2 stopped"])
    // Both ids are free again.
    begin("x")
    #expect(read() == ["+3"])
  }

  @Test func theReaderIsNotifiedOnceUntilTheEndWasFound() {
    let begins = [take(.begin(id: "x", DataStreamInfo(isText: true))), take(.chunk(id: "x", index: 0), [65])]
    #expect(begins == [true, false])
    _ = read()
    #expect(take(.chunk(id: "x", index: 1), [65]))
    #expect(!take(.chunk(id: "y", index: 0), [65]))
  }

  @Test func whatIsNotAcceptedIsDropped() throws {
    streams = IncomingDataStreams()
    try streams.accept("chat")
    #expect(throws: MediaError.self) { try streams.accept("chat") }
    begin("a", topic: "other")
    begin("b", topic: "chat")
    begin("b", topic: "chat")
    begin("", topic: "chat")
    begin(String(repeating: "x", count: 129), topic: "chat")
    _ = take(.chunk(id: "a", index: 0), [65])
    #expect(read() == ["+1"])
    for number in 1..<IncomingDataStreams.mostTopics { try streams.accept("\(number)") }
    let error = #expect(throws: MediaError.self) { try streams.accept("one more") }
    #expect(error?.status == .limit)
    try streams.accept(nil)
    #expect(throws: MediaError.self) { try streams.accept(nil) }
    begin("a", topic: "other")
    #expect(read() == ["+2"])
  }

  @Test(arguments: [
    ("!1 a chunk of it was lost", [0, 2], ["a", "b"], 0), ("!1 a chunk of the text is not UTF-8", [0], ["\u{FF}"], 0),
    ("!1 it is longer than the 3 bytes that it began with", [0, 1], ["ab", "cd"], 3),
    ("!1 it ended after 2 of 3 bytes", [0], ["ab"], 3)
  ])
  func whatIsNotWholeIsAborted(expected: String, indices: [UInt64], chunks: [String], size: UInt64) {
    begin("x", size: size == 0 ? nil : size)
    for (index, chunk) in zip(indices, chunks) {
      _ = take(.chunk(id: "x", index: index), chunk == "\u{FF}" ? [0xFF] : Array(chunk.utf8))
    }
    _ = take(.end(id: "x", reason: "", attributes: [:]))
    let found = read()
    #expect(found.last == expected && found.count == 1 + chunks.count - (expected.hasPrefix("!1 it ended") ? 0 : 1) + 1)
  }

  @Test func aChunkThatComesTwiceIsOne() {
    begin("x")
    for index: UInt64 in [0, 0, 1, 0, 1] { _ = take(.chunk(id: "x", index: index), [65 + UInt8(index)]) }
    _ = take(.end(id: "x", reason: "", attributes: [:]))
    #expect(read() == ["+1", "1:A", "1:B", "-1"])
  }

  @Test func attributesOfTheEndAreAdded() {
    var info = DataStreamInfo(isText: true)
    info.attributes = ["a": "1", "b": "2", "": "3", String(repeating: "k", count: 64): "4", "long": String(repeating: "v", count: 1024)]
    _ = take(.begin(id: "x", info))
    #expect(streams.info(of: 1)?.attributes == ["a": "1", "b": "2"])
    _ = take(.end(id: "x", reason: "", attributes: ["b": "3", "c": "4"]))
    _ = streams.read(upTo: 0)
    #expect(streams.info(of: 1)?.attributes == ["a": "1", "b": "2"])
    let end = streams.read(upTo: 0)?.message.info.attributes
    #expect(end == ["a": "1", "b": "3", "c": "4"] && streams.info(of: 1)?.attributes == end)
    info.attributes = Dictionary(uniqueKeysWithValues: (10..<50).map { ("\($0)", "") })
    _ = take(.begin(id: "y", info))
    _ = streams.read(upTo: 0)
    #expect(streams.info(of: 1) == nil && streams.info(of: 2)?.attributes.keys.sorted() == (10..<42).map { "\($0)" })
  }

  @Test func whatIsNamedIsBounded() {
    let long = String(repeating: "x", count: 129)
    var info = DataStreamInfo(isText: true)
    (info.replyTo, info.attachments) = (long, ["", long, "a"] + (0..<40).map { "\($0)" })
    _ = take(.begin(id: "x", info))
    #expect(streams.info(of: 1)?.replyTo == "" && streams.info(of: 1)?.attachments == ["a"] + (0..<31).map { "\($0)" })
    info.replyTo = String(long.dropLast())
    _ = take(.begin(id: "y", info))
    #expect(streams.info(of: 2)?.replyTo == info.replyTo)
    let messages = (0..<2).compactMap { _ in streams.read(upTo: 0)?.message }
    #expect(messages.map(\.id) == ["x", "y"])
  }

  @Test func whoLeavesEndsTheirStreams() {
    begin("x")
    begin("y", from: "bert")
    begin("z")
    let isNews = streams.left("anna")
    #expect(!isNews && read() == ["+1", "+2", "+3", "!1 the participant has left the room", "!3 the participant has left the room"])
    let isLast = streams.leave()
    #expect(isLast)
    #expect(read() == ["!2 the session has left the room"])
  }

  @Test func aChunkThatDoesNotFitIsReadLater() {
    begin("x")
    _ = take(.chunk(id: "x", index: 0), [65, 66])
    _ = streams.read(upTo: 0)
    let isTaken = streams.read(upTo: 1)?.isTaken
    #expect(isTaken == false)
    #expect(read() == ["1:AB"])
  }

  /// Of anna's, and those of others go on.
  @Test func whoIsNotReadLosesTheirStreamAndNobodyElseDoes() {
    begin("x", isText: false)
    begin("y", isText: false, from: "bert")
    let chunk = [UInt8](repeating: 1, count: 65_536)
    for index in 0..<200 { _ = take(.chunk(id: "x", index: UInt64(index)), chunk) }
    _ = take(.chunk(id: "y", index: 0), [66], from: "bert")
    _ = take(.end(id: "y", reason: "", attributes: [:]), from: "bert")
    var (bytes, ends) = (0, [String]())
    while let (message, _) = streams.read(upTo: .max) {
      switch message.content {
      case .began: break
      case .chunk(let chunk): bytes += message.userID == "anna" ? chunk.count : 0
      case .ended: ends.append("\(message.userID) ended")
      case .aborted(let reason): ends.append("\(message.userID) \(reason)")
      }
    }
    #expect(bytes == IncomingDataStreams.mostBytesOfOne)
    #expect(ends == ["anna the program did not read what came before", "bert ended"])
    // And then there is room again.
    begin("x", isText: false)
    for index in 0..<100 { _ = take(.chunk(id: "x", index: UInt64(index)), chunk) }
    var count = 0
    while streams.read(upTo: .max) != nil { count += 1 }
    #expect(count == 101)
  }

  @Test func smallChunksAreCounted() {
    begin("x")
    for index in 0...IncomingDataStreams.mostChunksOfOne { _ = take(.chunk(id: "x", index: UInt64(index)), [65]) }
    #expect(read().count == 1 + IncomingDataStreams.mostChunksOfOne + 1)
  }

  @Test func tooManyAtOnceAreMissed() {
    for number in 0..<70 { begin("\(number)") }
    for user in 0..<8 { for number in 0..<40 { begin("\(number)", from: "\(user)") } }
    var missed: [UInt64] = []
    while let (message, _) = streams.read(upTo: .max) { if message.missed > 0 { missed.append(message.missed) } }
    #expect(lastNumber == 256 && missed == [6 + 320 - 192])
    // An end that is read makes room for the next.
    begin("one more")
    _ = take(.end(id: "0", reason: "", attributes: [:]))
    _ = read()
    begin("one more")
    #expect(lastNumber == 257)
  }
}
