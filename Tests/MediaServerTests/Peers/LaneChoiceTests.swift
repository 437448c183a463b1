import MediaTransport
import Testing

@testable import MediaServer

@Suite struct LaneChoiceTests {
  private func stream(_ id: UInt64, _ user: String, video: Bool = false, screen: Bool = false) -> LaneChoice.Candidate {
    .init(id: StreamID(value: id), userID: user, isVideo: video, isScreen: screen)
  }

  /// `lanes`: "a" and "v"; after it the number of the stream that it has.
  private func assign(_ lanes: [String], _ streams: [LaneChoice.Candidate], isOfOne: Bool = false) -> [UInt64?] {
    LaneChoice.assign(
      lanes.map { ($0.hasPrefix("v"), UInt64($0.dropFirst()).map { StreamID(value: $0) }) }, streams, isOfOne: isOfOne
    ).map { $0?.value }
  }

  @Test func aPlayerOfOneOfEachHearsWhomItSees() {
    let streams = [stream(1, "ann"), stream(2, "bob", video: true), stream(3, "bob"), stream(4, "ann", video: true)]
    #expect(assign(["a", "v"], streams) == [3, 2])
    #expect(assign(["a"], streams) == [1])
    #expect(assign(["v"], []) == [nil])
  }

  @Test func aPlayerOfManyReceivesAll() {
    let streams = [stream(1, "ann"), stream(2, "bob", video: true), stream(3, "bob"), stream(4, "ann", video: true)]
    #expect(assign(["a", "a", "v", "v", "v"], streams) == [1, 3, 2, 4, nil])
  }

  @Test func whatASectionHasItKeeps() {
    let streams = [stream(1, "ann", video: true), stream(2, "bob", video: true)]
    #expect(assign(["v2"], streams) == [2])
    #expect(assign(["v9"], streams) == [1])
    #expect(assign(["v2", "v"], streams) == [2, 1])
  }

  @Test func aParticipantsScreenHasItsSection() {
    let camera = stream(1, "ann", video: true)
    let screen = stream(2, "ann", video: true, screen: true)
    #expect(assign(["a", "v", "v"], [screen], isOfOne: true) == [nil, nil, 2])
    #expect(assign(["a", "v", "v"], [camera], isOfOne: true) == [nil, 1, nil])
    #expect(assign(["a", "v", "v"], [screen, camera], isOfOne: true) == [nil, 1, 2])
    // With one section: the camera before the screen.
    #expect(assign(["v"], [screen, camera], isOfOne: true) == [1])
    #expect(assign(["v"], [screen], isOfOne: true) == [2])
  }

  @Test func theMicrophoneComesBeforeASharedSound() {
    #expect(assign(["a"], [stream(1, "ann", screen: true), stream(2, "ann")], isOfOne: true) == [2])
    #expect(assign(["a", "a"], [stream(1, "ann", screen: true), stream(2, "ann")], isOfOne: true) == [2, 1])
  }
}
