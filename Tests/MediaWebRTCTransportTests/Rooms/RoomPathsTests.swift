import MediaTransport
import Testing

@testable import MediaWebRTCTransport

@Suite struct RoomPathsTests {
  @Test func theFirstThatIsLostAndTheLastThatIsFoundAreNews() {
    var paths = RoomPaths()
    #expect(paths.find(.sending).isEmpty)
    #expect(paths.lose(.sending).map { "\($0)" } == ["reconnecting"])
    #expect(paths.lose(.sending).isEmpty && paths.lose(.receiving).isEmpty && paths.find(.sending).isEmpty)
    #expect(paths.find(.receiving).map { "\($0)" } == ["reconnected"])
    #expect(paths.find(.receiving).isEmpty)
  }
}
