import MediaCore
import Testing

@testable import MediaSDK

@Suite final class OutgoingDataStreamsTests {
  private var streams = OutgoingDataStreams()

  private func open(_ number: UInt64, isText: Bool = true, size: UInt64? = nil) throws {
    var info = DataStreamInfo(isText: isText)
    info.size = size
    try streams.begin(number, id: "id \(number)", info, to: ["bert"])
    streams.sent(number, bytes: nil)
  }

  /// Why it is refused; nil: it is not.
  private func status(_ body: () throws -> Void) -> Status? {
    do {
      try body()
      return nil
    } catch {
      return (error as? MediaError)?.status
    }
  }

  @Test func chunksAreCounted() throws {
    try open(1)
    for index: UInt64 in 0..<3 {
      let place = try streams.write([65], to: 1)
      #expect(place == .init(id: "id 1", index: index, recipients: ["bert"]))
      streams.sent(1, bytes: 1)
    }
    // One that was not sent has the next one's number.
    _ = try streams.write([65], to: 1)
    streams.refused(1)
    let next = try streams.write([65], to: 1)
    #expect(next.index == 3)
    streams.sent(1, bytes: 1)
    let end = try streams.end(1, isComplete: true)
    #expect(end.id == "id 1")
    streams.cancel(1)
    #expect(status { _ = try streams.write([65], to: 1) } == .notFound)
  }

  @Test func anIDIsThatOfOneOpenStream() throws {
    try open(1)
    #expect(status { try streams.begin(2, id: "id 1", DataStreamInfo(isText: false), to: []) } == .exists)
    streams.cancel(1)
    try streams.begin(2, id: "id 1", DataStreamInfo(isText: false), to: [])
  }

  @Test func oneThreadWritesAtATime() throws {
    try open(1)
    _ = try streams.write([65], to: 1)
    #expect(status { _ = try streams.write([65], to: 1) } == .state)
    #expect(status { _ = try streams.end(1, isComplete: true) } == .state)
  }

  @Test func aStreamIsWhatItBeganWith() throws {
    try open(1, size: 3)
    #expect(status { _ = try streams.write([65, 65, 65, 65], to: 1) } == .range)
    #expect(status { _ = try streams.write([0xFF], to: 1) } == .invalid)
    _ = try streams.write([65, 65], to: 1)
    streams.sent(1, bytes: 2)
    #expect(status { _ = try streams.end(1, isComplete: true) } == .state)
    _ = try streams.end(1, isComplete: false)
    try open(2, isText: false)
    _ = try streams.write([0xFF], to: 2)
  }

  @Test func thereAreSoManyUntilTheSessionLeaves() throws {
    for number in 1...UInt64(OutgoingDataStreams.most) { try open(number) }
    #expect(status { try open(1_000) } == .full)
    streams.leave()
    try open(1_000)
    #expect(status { _ = try streams.write([], to: 1) } == .notFound)
  }
}
